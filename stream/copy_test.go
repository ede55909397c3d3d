package stream

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCopyValue(t *testing.T) {
	in := `{"a": [ 1,2 ] ,"b":{}, "long": "` + strings.Repeat(`x\n`, 100) + `"}`
	for _, window := range []int{16, 100, 0} {
		s := NewScanner(iotest.HalfReader(strings.NewReader(in)), Options{Window: window})
		var got []string
		for {
			k, err := s.Next()
			if err != nil {
				t.Fatal(err)
			}
			if k == End {
				break
			}
			if k != Name {
				continue
			}
			var b bytes.Buffer
			if err := s.CopyValue(&b); err != nil {
				t.Fatal(err)
			}
			got = append(got, b.String())
		}
		if diff := cmp.Diff([]string{`[ 1,2 ]`, `{}`, `"` + strings.Repeat(`x\n`, 100) + `"`}, got); diff != "" {
			t.Errorf("window %d (-want +got):\n%s", window, diff)
		}
	}
}

// What a Tee sees is the input between where it began and where it ended,
// whatever is done between.
func TestTeeLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := []byte(strings.Repeat(stateful+"\n", rapid.IntRange(1, 3).Draw(t, "times")))
		r := rapid.SampledFrom(readers).Draw(t, "reader")
		s := NewScanner(r.make(in), Options{Window: rapid.SampledFrom([]int{16, 33, 100, 4096}).Draw(t, "window")})
		var tee bytes.Buffer
		from := int64(-1)
		for {
			if from < 0 && rapid.Bool().Draw(t, "open") {
				from = s.InputOffset()
				tee.Reset()
				s.Tee(&tee)
			}
			var call bytes.Buffer
			before := s.InputOffset()
			var err error
			end := false
			switch rapid.IntRange(0, 6).Draw(t, "call") {
			case 0, 1:
				var k Kind
				k, err = s.Next()
				end = k == End
			case 2:
				_, err = s.Peek()
			case 3:
				if err = s.SkipSpace(&call); err == nil && s.InputOffset()-before == int64(call.Len()) {
					if want := in[before:s.InputOffset()]; !bytes.Equal(want, call.Bytes()) {
						t.Fatalf("SkipSpace copied %q, passed %q", call.Bytes(), want)
					}
				}
			case 4:
				if err = s.CopyValue(&call); err == nil {
					if want := in[s.TokenOffset():s.InputOffset()]; !bytes.Equal(want, call.Bytes()) {
						t.Fatalf("CopyValue copied %q, value is %q", call.Bytes(), want)
					}
				}
			case 5:
				_, _, err = s.Chunk()
			case 6:
				if err = s.Resync(&call); err == nil {
					if want := in[before:s.InputOffset()]; !bytes.Equal(want, call.Bytes()) {
						t.Fatalf("Resync copied %q, passed %q", call.Bytes(), want)
					}
				}
			}
			var se *SyntaxError
			if err != nil && err != io.EOF && err != ErrNoValue && !errors.As(err, &se) {
				t.Fatal(err)
			}
			if from >= 0 && (end || err == io.EOF || rapid.Bool().Draw(t, "close")) {
				if err := s.StopTee(); err != nil {
					t.Fatal(err)
				}
				if want := in[from:s.InputOffset()]; !bytes.Equal(want, tee.Bytes()) {
					t.Fatalf("Tee saw %q, want %q", tee.Bytes(), want)
				}
				from = -1
			}
			if end || err == io.EOF {
				return
			}
			if se != nil {
				if err := s.Resync(nil); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func TestSkipSpace(t *testing.T) {
	in := "\xEF\xBB\xBF \n\x1e1" + strings.Repeat("\t \r\n", 2000) + "{ } \x1e\n"
	for _, window := range []int{16, 0} {
		s := NewScanner(strings.NewReader(in), Options{Seq: true, Window: window})
		var got []string
		for range 3 {
			var b bytes.Buffer
			if err := s.SkipSpace(&b); err != nil {
				t.Fatal(err)
			}
			got = append(got, b.String())
			if err := s.Skip(); err != nil && err != io.EOF {
				t.Fatal(err)
			}
		}
		want := []string{"\xEF\xBB\xBF \n\x1e", strings.Repeat("\t \r\n", 2000), " \x1e\n"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("window %d (-want +got):\n%s", window, diff)
		}
	}
}

// A writer that fails.
type refusing struct{ err error }

func (f refusing) Write([]byte) (int, error) { return 0, f.err }

func TestCopyError(t *testing.T) {
	full := errors.New("no space left")
	in := strings.Repeat(" ", 100) + `["` + strings.Repeat("a", 1000) + `"]`
	calls := []struct {
		name string
		call func(*Scanner) error
	}{
		{"CopyValue", func(s *Scanner) error { return s.CopyValue(refusing{full}) }},
		{"SkipSpace", func(s *Scanner) error { return s.SkipSpace(refusing{full}) }},
		{"Resync", func(s *Scanner) error { return s.Resync(refusing{full}) }},
		{"Tee and Skip", func(s *Scanner) error {
			s.Tee(refusing{full})
			if err := s.Skip(); err != nil {
				return err
			}
			return s.StopTee()
		}},
		{"Tee twice", func(s *Scanner) error {
			s.Tee(refusing{full})
			if _, err := s.Peek(); err != nil {
				return err
			}
			s.Tee(io.Discard)
			return s.Err()
		}},
	}
	for _, c := range calls {
		for _, window := range []int{16, 0} {
			s := NewScanner(strings.NewReader(in), Options{Window: window})
			if err := c.call(s); err != full {
				t.Errorf("%s, window %d: %v", c.name, window, err)
			}
		}
	}
}

func TestResync(t *testing.T) {
	tests := []struct {
		name string
		in   string
		opts Options
		want []string // values, and what was passed after errors in parentheses
	}{
		{"bad line", "{}\n{\"a\":x}\n[]\n", Options{}, []string{"{}", "(x}\n)", "[]"}},
		{"unterminated string", "\"a\n1\n", Options{}, []string{"(\n)", "1"}},
		{"last line", "1\n[x", Options{}, []string{"1", "(x)"}},
		{"cut at the end", "1\n[", Options{}, []string{"1", "()"}},
		{"long line", "x" + strings.Repeat("y", 10000) + "\n2", Options{}, []string{"(x" + strings.Repeat("y", 10000) + "\n)", "2"}},
		{"deep", strings.Repeat("[", 20) + "\n3", Options{MaxDepth: 10}, []string{"(" + strings.Repeat("[", 10) + "\n)", "3"}},
		{"sequence", "\x1e{\"a\":\n\x1e4\n\x1e\"a\nb\"\n\x1e5", Options{Seq: true}, []string{"()", "4", "(\nb\"\n)", "5"}},
		{"no JSON at all", "a\nb\nc", Options{}, []string{"(a\n)", "(b\n)", "(c)"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, window := range []int{16, 100, 0} {
				for _, r := range readers {
					tt.opts.Window = window
					s := NewScanner(r.make([]byte(tt.in)), tt.opts)
					var got []string
					for {
						var b bytes.Buffer
						err := s.CopyValue(&b)
						if err == io.EOF {
							break
						}
						if err != nil {
							b.Reset()
							if err := s.Resync(&b); err != nil {
								t.Fatal(err)
							}
							got = append(got, "("+b.String()+")")
							continue
						}
						got = append(got, b.String())
					}
					if diff := cmp.Diff(tt.want, got); diff != "" {
						t.Fatalf("window %d, %s (-want +got):\n%s", window, r.name, diff)
					}
				}
			}
		})
	}
}

func TestResyncReadError(t *testing.T) {
	broken := errors.New("broken")
	s := NewScanner(io.MultiReader(strings.NewReader("x y"), iotest.ErrReader(broken)), Options{})
	if err := s.Skip(); err == nil {
		t.Fatal("no error")
	}
	for range 2 {
		if err := s.Resync(nil); err != broken {
			t.Errorf("Resync: %v", err)
		}
	}
}
