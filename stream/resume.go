package stream

import (
	"bytes"
	"errors"
	"io"
	"math"
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
// off of line line, right behind SeekTo, as if it had stood inside a value there:
// with ArrayBegin before an element, or the end, of an array; with ObjectBegin
// before a name, or the end, of an object; with String in the body of a string,
// which is what Next then gives; with End before a value at top level. Offsets
// are those in the concatenation.
func (r *Reader) Inside(k Kind, off, line int64) (*Scanner, error) {
	s := &Scanner{}
	o := Options{Window: r.o.Window}
	var src io.Reader = strings.NewReader("")
	if r.src != nil {
		o.Name, src = r.src.Name(), r.src
	}
	st := State{Offset: off, Line: line, LineStart: off}
	switch k {
	case ArrayBegin:
		st.Expect, st.Levels = ExpectElement, []Level{{}}
	case ObjectBegin:
		st.Expect, st.Levels = ExpectMember, []Level{{Object: true}}
	case String:
		src = io.MultiReader(strings.NewReader(`"`), src)
		st.Offset--
		s.Resume(src, o, st)
		return s, nil
	}
	before, err := r.ReadBefore(off, history)
	if err != nil {
		return nil, err
	}
	s.Resume(src, o, st)
	s.prime(before)
	return s, nil
}

// CountFrom says which line the place is in that SeekTo has gone to, so that
// places behind it have the right lines.
func (r *Reader) CountFrom(line int64) error {
	if r.src == nil || r.src.Offset() == 0 || r.o.Raw {
		return nil
	}
	before, err := r.ReadBefore(r.base+r.src.Offset(), history)
	if err != nil {
		return err
	}
	r.in.ResetAt(r.src, r.options(), r.src.Offset(), line)
	r.in.prime(before)
	return nil
}

// prime puts the bytes before the place of s, which has not read yet, into its
// window.
func (s *Scanner) prime(before []byte) {
	n := copy(s.buf[:s.limit()], before)
	clear(s.buf[n : n+pad])
	s.pos, s.end = n, n
	s.base -= int64(n)
	s.line -= int64(bytes.Count(before, lineFeed))
	s.seen = 0
}

// Name is the name of the input that was read last.
func (r *Reader) Name() string {
	if r.src != nil {
		return r.src.Name()
	}
	if name := r.names[max(0, r.i-1)]; name != "-" {
		return name
	}
	return StdinName
}

// Drain reads the inputs to their end and drops what it reads. What a scanner
// has read of them counts as read.
func (r *Reader) Drain() error {
	for {
		if r.src == nil {
			if ok, err := r.open(); !ok || err != nil {
				return err
			}
		}
		if err := r.src.drop(math.MaxInt64); err != nil {
			var beyond *BeyondError
			if !errors.As(err, &beyond) {
				return err
			}
		}
		if err := r.leave(r.src.Offset()); err != nil {
			return err
		}
	}
}

// Before returns the n bytes before InputOffset, at most 64, as long as the
// token that is being read is not longer than half the window.
func (s *Scanner) Before(n int) []byte { return s.buf[max(0, s.pos-min(n, history)):s.pos] }

// Ahead returns the next n bytes, at most 64, or fewer at the end of the input.
// It is to be called between two tokens.
func (s *Scanner) Ahead(n int) []byte {
	for s.end-s.pos < n {
		if _, more := s.fill(s.pos); !more {
			break
		}
	}
	return s.buf[s.pos:min(s.pos+n, s.end)]
}

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
	s.prime(st.before)
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
