package stream

import (
	"io"
)

// writerSize is the size of a Writer's buffer. A record that fits is written in
// one piece.
const writerSize = 128 << 10

// A Writer writes records in a [Layout], through a buffer. It never splits a
// record that fits the buffer over two writes, so that several programs can
// share an output as long as their records are of moderate size.
//
// The first error sticks: all later calls return it and write nothing.
//
// A record is written as follows; between records, as found, the caller copies
// what stands between the values ([Reader.Next] does).
//
//	w.Begin()
//	w.CopyValue(s) // or any JSON text written to w.Value() in pieces
//	w.End()
type Writer struct {
	// Unbuffered makes End flush.
	Unbuffered bool

	w      io.Writer
	layout Layout
	lay    layoutWriter
	buf    []byte
	whole  int // bytes at the start of buf that are complete records
	open   bool
	n      int64
	last   byte
	err    error
}

// NewWriter returns a Writer to w in layout l.
func NewWriter(w io.Writer, l Layout) *Writer {
	wr := &Writer{w: w, layout: l, buf: make([]byte, 0, writerSize)}
	wr.lay.w = wr
	wr.lay.reset(l)
	return wr
}

// Layout returns the layout records are written in.
func (w *Writer) Layout() Layout { return w.layout }

// Written returns the number of bytes written so far, those in the buffer
// included.
func (w *Writer) Written() int64 { return w.n }

// Err returns the first error.
func (w *Writer) Err() error { return w.err }

// Write writes p verbatim.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	if len(p) > cap(w.buf)-len(w.buf) && w.room(len(p)) != nil {
		return 0, w.err
	}
	if len(p) > cap(w.buf) {
		// The buffer is empty now.
		if !w.put(p) {
			return 0, w.err
		}
	} else {
		w.buf = append(w.buf, p...)
	}
	w.wrote(p[len(p)-1], len(p))
	return len(p), nil
}

// WriteString writes s verbatim.
func (w *Writer) WriteString(s string) (int, error) {
	if w.err == nil && len(s) > 0 && len(s) <= cap(w.buf)-len(w.buf) {
		w.buf = append(w.buf, s...)
		w.wrote(s[len(s)-1], len(s))
		return len(s), nil
	}
	return w.Write([]byte(s))
}

// WriteByte writes c verbatim.
func (w *Writer) WriteByte(c byte) error {
	if w.err == nil && len(w.buf) < cap(w.buf) {
		w.buf = append(w.buf, c)
		w.wrote(c, 1)
		return nil
	}
	_, err := w.Write([]byte{c})
	return err
}

// wrote counts what was accepted.
func (w *Writer) wrote(last byte, n int) {
	w.n += int64(n)
	w.last = last
	if !w.open {
		w.whole = len(w.buf)
	}
}

// room makes room for n more bytes: by writing the complete records, and if
// that is not enough, what there is of the last one.
func (w *Writer) room(n int) error {
	if w.whole > 0 {
		if w.FlushRecords() != nil {
			return w.err
		}
	}
	if n > cap(w.buf)-len(w.buf) {
		return w.Flush()
	}
	return nil
}

// put writes p to the underlying writer.
func (w *Writer) put(p []byte) bool {
	n, err := w.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	w.err = err
	return err == nil
}

// Flush writes out all that is in the buffer.
func (w *Writer) Flush() error {
	if w.err == nil && len(w.buf) > 0 && w.put(w.buf) {
		w.buf, w.whole = w.buf[:0], 0
	}
	return w.err
}

// FlushRecords writes out what is in the buffer but for a record that has been
// begun and not ended. It is meant to be called before waiting for input.
func (w *Writer) FlushRecords() error {
	if w.err == nil && w.whole > 0 && w.put(w.buf[:w.whole]) {
		n := copy(w.buf, w.buf[w.whole:])
		w.buf, w.whole = w.buf[:n], 0
	}
	return w.err
}

// Begin begins a record: with Seq it writes the record separator.
func (w *Writer) Begin() {
	w.open = true
	w.lay.reset(w.layout)
	if w.layout.Seq {
		w.WriteByte(recordSeparator)
	}
}

// End ends a record: with a line feed, unless it is written as found and
// without Seq.
func (w *Writer) End() {
	if w.layout.Framed() {
		w.WriteByte('\n')
	}
	w.open = false
	w.whole = len(w.buf)
	if w.Unbuffered {
		w.Flush()
	}
}

// Value returns a writer that lays out the JSON text written to it, which may
// come in pieces cut anywhere, and need not be whole: what was found can be
// mixed with what is new. Between Begin and End it takes one value.
func (w *Writer) Value() io.Writer {
	if w.layout.AsFound() {
		return w
	}
	return &w.lay
}

// CopyValue copies the next value of s in the writer's layout. It takes the same
// memory for a value of any size. The error is one of s or of the writer.
func (w *Writer) CopyValue(s *Scanner) error {
	return s.CopyValue(w.Value())
}

// Finish ends the output: with a line feed if it does not end in one, unless
// there was none, and flushes.
func (w *Writer) Finish() error {
	if w.n > 0 && w.last != '\n' {
		w.WriteByte('\n')
	}
	return w.Flush()
}

var _ interface {
	io.Writer
	io.ByteWriter
	io.StringWriter
} = (*Writer)(nil)
