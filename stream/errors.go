package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// ErrNoValue is returned by [Scanner.Skip] and [Scanner.CopyValue] where a name
// or the end of a container comes next. It does not stop the scanner.
var ErrNoValue = errors.New("no value comes next")

const (
	excerptBefore = 48 // bytes of a line shown before the place of an error
	excerptAfter  = 24
	pointerShown  = 240 // bytes of a pointer shown in a message
)

// A SyntaxError says where and why the input is not JSON.
type SyntaxError struct {
	Name    string // of the input, from [Options]
	Offset  int64  // of the offending byte, from 0; the length of the input if it ends too early
	Line    int64  // from 1
	Col     int64  // from 1, in bytes
	Pointer string // RFC 6901 pointer of the value in which it is, "" at the root
	Msg     string // in lower case, without full stop
	Excerpt []byte // raw bytes of the line around Offset, as far as the window holds them
	Caret   int    // index in Excerpt of the offending byte, len(Excerpt) at the end of a line
}

// Error returns "NAME:LINE:COL: text (in POINTER)". Without a name the message
// begins with the line, at the root it ends with the text. A very long pointer
// is shortened in its middle.
func (e *SyntaxError) Error() string {
	b := make([]byte, 0, 128)
	if e.Name != "" {
		b = append(append(b, e.Name...), ':')
	}
	b = append(strconv.AppendInt(b, e.Line, 10), ':')
	b = append(strconv.AppendInt(b, e.Col, 10), ": "...)
	b = append(b, e.Msg...)
	if e.Pointer != "" {
		b = append(append(append(b, " (in "...), shorten(e.Pointer)...), ')')
	}
	return string(b)
}

func shorten(p string) string {
	if len(p) <= pointerShown {
		return p
	}
	i, j := pointerShown/2, len(p)-pointerShown/2
	for !utf8.RuneStart(p[i]) {
		i--
	}
	for j < len(p) && !utf8.RuneStart(p[j]) {
		j++
	}
	return p[:i] + "…" + p[j:]
}

// fail makes the error of the byte at window index p, or of the end of the input
// if p is s.end, and stops the scanner there.
func (s *Scanner) fail(p int, msg string) error {
	found := "unexpected end of input"
	if p < s.end {
		if c := s.buf[p]; c >= 0x20 && c < 0x7F {
			found = fmt.Sprintf("found %q", c)
		} else {
			found = fmt.Sprintf("found byte 0x%02X", c)
		}
	}
	return s.failText(p, msg+", "+found)
}

// failText is fail for a message that says what was found.
func (s *Scanner) failText(p int, msg string) error {
	s.pos, s.body, s.held = p, End, heldNone
	line, start := s.lineAt(p)
	off := s.base + int64(p)
	a := max(0, p-excerptBefore)
	a += bytes.LastIndexByte(s.buf[a:p], '\n') + 1
	b := min(s.end, p+excerptAfter)
	if i := bytes.IndexByte(s.buf[p:b], '\n'); i >= 0 {
		b = p + i
	}
	s.err = &SyntaxError{
		Name: s.name, Offset: off, Line: line + 1, Col: off - start + 1,
		Pointer: s.Pointer(), Msg: msg,
		Excerpt: bytes.Clone(s.buf[a:b]), Caret: p - a,
	}
	return s.err
}

// short is the error of an input that ends where more is needed: that of the
// reader if it has one.
func (s *Scanner) short(msg string) error {
	if s.srcErr != io.EOF {
		return s.failRead()
	}
	return s.fail(s.end, msg)
}

// failRead stops the scanner with the error of the reader, or of the writer to
// which the input is copied.
func (s *Scanner) failRead() error {
	s.pos, s.body, s.held = s.end, End, heldNone
	s.err = s.srcErr
	return s.err
}
