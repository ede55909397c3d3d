package stream

import (
	"bytes"
	"io"
	"slices"
	"strings"
)

// This file is what cursors are made of: the bytes around a place, by which it
// is recognised, and going on at a place inside a value.

// headSize is how many of its first bytes an input remembers.
const headSize = 64

// Head returns the first n bytes of the inputs, at most 64: fewer if they have
// fewer, or if less has been read of them.
func (r *Reader) Head(n int) ([]byte, error) {
	if len(r.head) < headSize && r.src != nil && r.base == 0 {
		head, err := r.src.headBytes()
		if err != nil {
			return nil, err
		}
		r.head = append(r.head[:0], head...)
	}
	return r.head[:min(n, len(r.head))], nil
}

// headBytes returns the first bytes of s.
func (s *Source) headBytes() ([]byte, error) {
	if size, ok := s.Size(); ok && s.Regular() && len(s.first) < headSize {
		return s.ReadBefore(min(size, headSize), headSize)
	}
	return s.first, nil
}

// noteHead remembers the first bytes given: p, which begins at offset off.
func (s *Source) noteHead(p []byte, off int64) {
	if n := len(s.first); n < headSize && off == int64(n) {
		s.first = append(s.first, p[:min(len(p), headSize-n)]...)
	}
}

// Size returns the number of decoded bytes of all inputs if it is known without
// reading them: if all are uncompressed regular files that are still there.
func (r *Reader) Size() (size int64, ok bool) {
	for i, name := range r.names {
		src := r.held[i]
		if src == nil {
			var err error
			if src, err = Open(name, r.o.Stdin); err != nil {
				return 0, false
			}
			if name != "-" {
				defer src.Close()
			}
		}
		if !src.Regular() {
			return 0, false
		}
		n, ok := src.Size()
		if !ok {
			return 0, false
		}
		size += n
	}
	return size, true
}

// Inside returns a scanner of what follows in the inputs, which must be at offset
// off of line line, as if open had stood right before: "[" makes it the elements
// of an array, "{" the members of an object, a quote the body of a string.
// Offsets are those in the concatenation.
func (r *Reader) Inside(open string, off, line int64) *Scanner {
	s := NewScanner(nil, Options{})
	o := Options{Window: r.o.Window}
	var src io.Reader = strings.NewReader("")
	if r.src != nil {
		o.Name, src = r.src.Name(), r.src
	}
	s.ResetAt(io.MultiReader(strings.NewReader(open), src), o, off-int64(len(open)), line)
	return s
}

// Before returns the n bytes before InputOffset, at most 64, as long as the
// token that is being read is not longer than half the window.
func (s *Scanner) Before(n int) []byte { return s.buf[max(0, s.pos-min(n, history)):s.pos] }

// Unread goes back to st, a place that s has passed since. consumed is what it
// has read from there on, as a writer given to Tee or CopyValue got it, even one
// that ended the reading with an error: that error is forgotten.
func (s *Scanner) Unread(st State, consumed []byte) {
	from := st.Offset + int64(len(consumed)) - s.base
	rest := slices.Concat(consumed, s.buf[from:s.end])
	src := s.src
	if s.srcErr != nil && s.srcErr != s.err {
		src = &failed{s.srcErr}
	}
	o := Options{Name: s.name, Window: s.limit(), MaxDepth: s.maxDepth, Seq: s.seq}
	s.Resume(io.MultiReader(bytes.NewReader(rest), src), o, st)
}

// A failed reader has nothing but an error.
type failed struct{ err error }

func (f *failed) Read([]byte) (int, error) { return 0, f.err }

// IsRoot reports whether p names the whole value.
func (p Path) IsRoot() bool { return len(p) == 0 }

// Member is the path of a member of what p names.
func (p Path) Member(name string) Path { return append(slices.Clone(p), name) }

// Writer returns a writer that lays out the one JSON value that is written to
// it, in pieces cut anywhere, and writes it to w.
func (l Layout) Writer(w io.Writer) io.Writer {
	if l.AsFound() {
		return w
	}
	lw := &layoutWriter{w: w}
	lw.reset(l)
	return lw
}
