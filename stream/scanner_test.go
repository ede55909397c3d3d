package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// An outcome is what reading an input to its end, or to its first error, gave.
type outcome struct {
	Values  []string // the raw values at top level before the error
	Offset  int64    // of the error, -1 without
	Line    int64
	Col     int64
	Pointer string
	Msg     string
}

// ended makes the outcome of a run that ended with err.
func ended(values []string, err error) outcome {
	o := outcome{Values: values, Offset: -1}
	var se *SyntaxError
	switch {
	case errors.As(err, &se):
		o.Offset, o.Line, o.Col, o.Pointer, o.Msg = se.Offset, se.Line, se.Col, se.Pointer, se.Msg
	case err != nil && err != io.EOF:
		o.Msg = err.Error()
	}
	return o
}

// body reads what is left of the token's body in pieces.
func body(s *Scanner) (string, error) {
	var b []byte
	for {
		piece, done, err := s.Chunk()
		if err != nil {
			return "", err
		}
		b = append(b, piece...)
		if done {
			return string(b), nil
		}
	}
}

// token returns the raw token that was read.
func token(s *Scanner, k Kind) (string, error) {
	if raw, ok := s.Whole(); ok {
		return string(raw), nil
	}
	b, err := body(s)
	if k != Number {
		b = `"` + b + `"`
	}
	return b, err
}

// The walks read an input in different ways, which must make no difference.
var walks = []struct {
	name string
	walk func(*Scanner, []byte) outcome
}{
	{"next", func(s *Scanner, in []byte) outcome {
		var values []string
		from := int64(0)
		for {
			k, err := s.Next()
			if err != nil || k == End {
				return ended(values, err)
			}
			if s.Depth() == 1 && (k == ObjectBegin || k == ArrayBegin) || s.Depth() == 0 && k < ObjectBegin {
				from = s.TokenOffset()
			}
			raw, err := token(s, k)
			if err != nil {
				return ended(values, err)
			}
			to := s.TokenOffset() + int64(len(raw))
			if got := string(in[s.TokenOffset():to]); got != raw {
				return outcome{Msg: fmt.Sprintf("token %q where the input has %q", raw, got)}
			}
			if s.Depth() == 0 {
				values = append(values, string(in[from:to]))
			}
		}
	}},
	{"peek and skip", func(s *Scanner, in []byte) outcome {
		var values []string
		for {
			k, err := s.Peek()
			if err != nil || k == End {
				return ended(values, err)
			}
			from := s.InputOffset()
			if err := s.Skip(); err != nil {
				return ended(values, err)
			}
			if s.TokenOffset() != from {
				return outcome{Msg: fmt.Sprintf("skipped a value at %d, peeked at %d", s.TokenOffset(), from)}
			}
			values = append(values, string(in[from:s.InputOffset()]))
		}
	}},
	{"more", func(s *Scanner, in []byte) outcome {
		var values []string
		from := int64(-1)
		for {
			more, err := s.More()
			if err != nil {
				return ended(values, err)
			}
			if s.Depth() == 0 {
				if !more {
					return ended(values, nil)
				}
				from = s.InputOffset()
			}
			k, err := s.Next()
			if err == nil && !more && k != ObjectEnd && k != ArrayEnd {
				return outcome{Msg: "no more, but " + k.String()}
			}
			if err == nil && k == Name {
				err = s.Skip()
			}
			if err == nil && k < Name {
				_, err = body(s)
			}
			if err != nil {
				return ended(values, err)
			}
			if s.Depth() == 0 {
				values = append(values, string(in[from:s.InputOffset()]))
			}
		}
	}},
	{"skip to", func(s *Scanner, in []byte) outcome {
		var values []string
		for {
			k, err := s.Next()
			if err != nil || k == End {
				return ended(values, err)
			}
			from := s.TokenOffset()
			for range 3 {
				if s.Depth() > 0 && err == nil {
					_, err = s.Next()
				}
			}
			if err == nil {
				err = s.SkipTo(0)
			}
			if err == nil {
				_, err = body(s) // of a value that is no container
			}
			if err != nil {
				return ended(values, err)
			}
			values = append(values, string(in[from:s.InputOffset()]))
		}
	}},
	{"copy", func(s *Scanner, in []byte) outcome {
		var values []string
		for {
			var b bytes.Buffer
			if err := s.CopyValue(&b); err != nil {
				return ended(values, err)
			}
			values = append(values, b.String())
		}
	}},
}

// readers are ways in which an input may come.
var readers = []struct {
	name string
	make func(in []byte) io.Reader
}{
	{"whole", func(in []byte) io.Reader { return bytes.NewReader(in) }},
	{"bytes", func(in []byte) io.Reader { return iotest.OneByteReader(bytes.NewReader(in)) }},
	{"halves", func(in []byte) io.Reader { return iotest.HalfReader(bytes.NewReader(in)) }},
	{"data and EOF", func(in []byte) io.Reader { return iotest.DataErrReader(bytes.NewReader(in)) }},
	{"bytes and EOF", func(in []byte) io.Reader {
		return iotest.DataErrReader(iotest.OneByteReader(bytes.NewReader(in)))
	}},
}

var windows = []int{16, 17, 33, 64, 100, 4096}

// cutReader gives in up to the cut, then the rest.
func cutReader(in []byte, at int) io.Reader {
	return io.MultiReader(bytes.NewReader(in[:at]), bytes.NewReader(in[at:]))
}

// everyWay reads in in every way and fails t if the outcome is not the same. It
// returns that outcome.
func everyWay(t testing.TB, in []byte, o Options) outcome {
	t.Helper()
	s := NewScanner(bytes.NewReader(in), o)
	want := walks[0].walk(s, in)
	check := func(got outcome, format string, a ...any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q: %s: differs from the walk in one window (-want +got):\n%s", shorten(string(in)), fmt.Sprintf(format, a...), diff)
		}
	}
	for _, w := range walks {
		s.Reset(bytes.NewReader(in), o)
		check(w.walk(s, in), "%s", w.name)
	}
	for _, window := range windows {
		o.Window = window
		for _, r := range readers {
			for _, w := range walks {
				s.Reset(r.make(in), o)
				check(w.walk(s, in), "%s, window %d, %s", w.name, window, r.name)
			}
		}
	}
	if len(in) < 200 {
		o.Window = 64
		for at := range in {
			for _, w := range walks {
				s.Reset(cutReader(in, at), o)
				check(w.walk(s, in), "%s, cut at %d", w.name, at)
			}
		}
	}
	return want
}
