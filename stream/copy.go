package stream

import (
	"bytes"
	"errors"
	"io"
)

// The writers that see what is consumed: that of Tee, and that of the call in
// progress that copies something.
const (
	teeOpen = iota
	teeCall
)

// Tee makes w see every byte that is consumed from InputOffset on, verbatim, in
// large slices: whenever they leave the window, and at StopTee. An earlier Tee
// ends as with StopTee, but that its error stops the scanner.
func (s *Scanner) Tee(w io.Writer) {
	if err := s.setTee(teeOpen, w); err != nil && s.err == nil {
		s.err = err
	}
}

// StopTee ends Tee at InputOffset. The error is that of the writer.
func (s *Scanner) StopTee() error { return s.setTee(teeOpen, nil) }

// setTee hands on what is consumed and makes w the writer of slot i from there
// on.
func (s *Scanner) setTee(i int, w io.Writer) error {
	err := s.flush(s.pos)
	s.tees[i] = w
	s.teeAt = s.InputOffset()
	return err
}

// flush hands on what comes before window index p and was not handed on yet.
func (s *Scanner) flush(p int) error {
	if s.tees == [2]io.Writer{} {
		return nil
	}
	b := s.buf[s.teeAt-s.base : p]
	s.teeAt = s.base + int64(p)
	if len(b) == 0 {
		return nil
	}
	for _, w := range s.tees {
		if w == nil {
			continue
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// CopyValue reads and checks the next value as [Scanner.Skip] does, and writes
// its exact bytes to w, in slices of the window. After a [*SyntaxError] in the
// value w has the bytes before InputOffset.
func (s *Scanner) CopyValue(w io.Writer) error {
	c, err := s.advance()
	if err != nil {
		return err
	}
	if err := s.setTee(teeCall, w); err != nil {
		return err
	}
	err = s.skipValue(c)
	return firstErr(err, s.setTee(teeCall, nil))
}

// firstErr returns the first error that is not nil.
func firstErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// SkipSpace passes what is left of the token and then white space, at top level
// also a byte order mark and record separators, and copies that to w unless it
// is nil. At the end of the input the error is nil.
func (s *Scanner) SkipSpace(w io.Writer) error {
	if s.err != nil {
		return s.err
	}
	if err := s.skipBody(); err != nil {
		return err
	}
	s.held = heldNone
	if err := s.setTee(teeCall, w); err != nil {
		return err
	}
	p, ok, err := s.pos, true, error(nil)
	if s.st == ExpectAny {
		p, ok, err = s.topSpace(p)
	} else {
		p, ok = s.space(p)
	}
	s.pos = p
	if !ok && err == nil && s.srcErr != io.EOF {
		err = s.failRead()
	}
	return firstErr(err, s.setTee(teeCall, nil))
}

// Resync forgets a [*SyntaxError] and passes the rest of its line with the line
// feed, or, in a text sequence, what comes before the next record separator.
// A value at top level is expected then. What is passed, from InputOffset on, is
// copied to w unless it is nil.
func (s *Scanner) Resync(w io.Writer) error {
	if e := (*SyntaxError)(nil); s.err != nil && !errors.As(s.err, &e) {
		return s.err
	}
	s.err = nil
	s.body, s.held = End, heldNone
	s.st, s.depth, s.cur = ExpectAny, 0, 0
	if err := s.setTee(teeCall, w); err != nil {
		return err
	}
	stop := byte('\n')
	if s.seq {
		stop = recordSeparator
	}
	var err error
	for {
		i := bytes.IndexByte(s.buf[s.pos:s.end], stop)
		if i >= 0 {
			s.pos += i
			if !s.seq {
				s.pos++
			}
			break
		}
		if _, more := s.fill(s.end); !more {
			if s.srcErr != io.EOF {
				err = s.failRead()
			}
			break
		}
	}
	return firstErr(err, s.setTee(teeCall, nil))
}
