package stream

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestFraming(t *testing.T) {
	tests := []struct {
		name string
		in   string
		opts Options
		want []string // the values
	}{
		{"nothing", "", Options{}, nil},
		{"white space", " \r\n\t", Options{}, nil},
		{"only a byte order mark", "\xEF\xBB\xBF", Options{}, nil},
		{"glued", `{}{}[]1 2"a""b"{}1`, Options{}, strings.Fields(`{} {} [] 1 2 "a" "b" {} 1`)},
		{"number and container", `1{}2[]3"a"4`, Options{}, strings.Fields(`1 {} 2 [] 3 "a" 4`)},
		{"literal and container", `true{}null[]false"a"null`, Options{}, strings.Fields(`true {} null [] false "a" null`)},
		{"lines", "1\n2\n3\n", Options{}, strings.Fields("1 2 3")},
		{"CRLF, trailing tabs, empty lines", "{}\t\r\n\r\n\t\n[]\t\t\r\n", Options{}, strings.Fields("{} []")},
		{"no line feed at the end", "{}\n{}", Options{}, strings.Fields("{} {}")},
		{"text sequence", "\x1e{}\n\x1e1\n\x1e\"a\"\n", Options{Seq: true}, strings.Fields(`{} 1 "a"`)},
		{"empty texts of a sequence", "\x1e\x1e\n\x1e1\n\x1e", Options{Seq: true}, []string{"1"}},
		{"no separators in a sequence", "1\n2", Options{Seq: true}, strings.Fields("1 2")},
		{"byte order mark and sequence", "\xEF\xBB\xBF\x1e1\n", Options{Seq: true}, []string{"1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := outcome{Values: tt.want, Offset: -1}
			if diff := cmp.Diff(want, everyWay(t, []byte(tt.in), tt.opts)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSyntaxError(t *testing.T) {
	long := strings.Repeat("n", nameShown)
	tests := []struct {
		name string
		in   string // with the spot marked
		opts Options
		want string // after LINE:COL
	}{
		{"root", `¦x`, Options{}, `expected a value, found 'x'`},
		{"element", "[[],[1,¦x]]", Options{}, `expected a value, found 'x' (in /1/1)`},
		{"after an element", "[1 ¦2]", Options{}, `',' or ']' must follow an element of an array, found '2' (in /0)`},
		{"first element", "[¦", Options{}, `a value or ']' must follow '[', unexpected end of input`},
		{"member", `{"a":{"b":¦}}`, Options{}, `expected a value, found '}' (in /a/b)`},
		{"after a member", `{"a":1 ¦"b"`, Options{}, `',' or '}' must follow a member of an object, found '"' (in /a)`},
		{"colon", `{"a"¦,1}`, Options{}, `':' must follow a name, found ',' (in /a)`},
		{"name", `{"o":{"a":1,¦b:2}}`, Options{}, `a name in double quotes must follow ',', found 'b' (in /o)`},
		{"first name", `[{¦b:2}]`, Options{}, `a name in double quotes or '}' must follow '{', found 'b' (in /0)`},
		{"in a name", `{"a":1,"b\¦x":2}`, Options{}, `invalid escape sequence in a string, found 'x'`},
		{"in a long name", `{"a":1,"` + strings.Repeat("b", 5000) + `\¦x":2}`, Options{}, `invalid escape sequence in a string, found 'x'`},
		{"pointer escapes", `{"a/b~c":{"\"\u0041é":[0,{"":¦}]}}`, Options{}, `expected a value, found '}' (in /a~1b~0c/"Aé/1/)`},
		{"lone surrogate in a name", `{"\ud800":¦}`, Options{}, "expected a value, found '}' (in /\uFFFD)"},
		{"closed containers leave no trace", `{"a":{"b":[1,2]},"c":[{},[],¦`, Options{}, `expected a value, unexpected end of input (in /c/2)`},
		{"name of the length shown", `{"` + long + `":¦`, Options{}, `expected a value, unexpected end of input (in /` + long + `)`},
		{"longer name", `{"` + long + `n":¦`, Options{}, `expected a value, unexpected end of input (in /` + long + `…)`},
		{"long name cut at a character", `{"` + long[1:] + `é":¦`, Options{}, `expected a value, unexpected end of input (in /` + long[1:] + `…)`},
		{"long name cut at an escape", `{"` + long[1:] + `\n":¦`, Options{}, `expected a value, unexpected end of input (in /` + long[1:] + `…)`},
		{"very long name", `{"` + strings.Repeat("n", 5000) + `":¦`, Options{}, `expected a value, unexpected end of input (in /` + long + `…)`},
		{"long pointer", strings.Repeat("[", 200) + "[¦", Options{}, `a value or ']' must follow '[', unexpected end of input (in ` + strings.Repeat("/0", 60) + "…" + strings.Repeat("/0", 60) + `)`},
		{"depth", `[[[¦[`, Options{MaxDepth: 3}, `nested deeper than 3 levels (in /0/0/0)`},
		{"depth of objects", `{"a":{"b":¦{`, Options{MaxDepth: 2}, `nested deeper than 2 levels (in /a/b)`},
		{"default depth", strings.Repeat("[", 10000) + "¦[", Options{}, `nested deeper than 10000 levels (in ` + strings.Repeat("/0", 60) + "…" + strings.Repeat("/0", 60) + `)`},
		{"UTF-16LE", "¦\xFF\xFE[\x00", Options{}, `the input is UTF-16LE, JSON must be UTF-8`},
		{"UTF-16BE", "¦\xFE\xFF\x00[", Options{}, `the input is UTF-16BE, JSON must be UTF-8`},
		{"UTF-32LE", "¦\xFF\xFE\x00\x00[\x00\x00\x00", Options{}, `the input is UTF-32LE, JSON must be UTF-8`},
		{"UTF-32BE", "¦\x00\x00\xFE\xFF\x00\x00\x00[", Options{}, `the input is UTF-32BE, JSON must be UTF-8`},
		{"control character", "\"a¦\n\"", Options{}, `control characters in a string must be escaped, found byte 0x0A`},
		{"separator in no sequence", "¦\x1e1", Options{}, `expected a value, found the record separator of a text sequence (RFC 7464)`},
		{"number cut by a separator", "\x1e1¦\x1e2\n", Options{Seq: true}, `white space must follow a number, true, false or null at top level, found byte 0x1E`},
		{"value cut by a separator", "\x1e{\"a\":¦\x1e2\n", Options{Seq: true}, `expected a value, found byte 0x1E (in /a)`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, off := unspot(t, tt.in)
			o := everyWay(t, []byte(in), tt.opts)
			if o.Offset != off {
				t.Errorf("error at %d, want %d", o.Offset, off)
			}
			s := NewScanner(strings.NewReader(in), tt.opts)
			var err error
			for err == nil {
				err = s.Skip()
			}
			_, got, _ := strings.Cut(err.Error(), ": ")
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if s.Err() != err || s.InputOffset() != off {
				t.Errorf("Err %v, InputOffset %d", s.Err(), s.InputOffset())
			}
			if _, err2 := s.Next(); err2 != err {
				t.Errorf("Next after the error: %v", err2)
			}
		})
	}
}

func TestErrorPlace(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"first byte", `¦x`, `in:1:1:`},
		{"second line", "\n ¦x", `in:2:2:`},
		{"byte order mark counts", "\xEF\xBB\xBF¦x", `in:1:4:`},
		{"columns in bytes", `["é",¦]`, `in:1:7:`},
		{"CRLF", "{}\r\n{\"a\":[1,\r\n2 ¦3]}", `in:3:3:`},
		{"at the end of a line", "[1,\n2¦x\n]", `in:2:2:`},
		{"at the end", "[1,\n2\n¦", `in:3:1:`},
		{"far away", strings.Repeat("{}\n", 30000) + "[" + strings.Repeat(" \n", 3000) + " ¦x", `in:33001:2:`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, _ := unspot(t, tt.in)
			for _, window := range []int{0, 16, 100, 4096} {
				for _, r := range readers {
					s := NewScanner(r.make([]byte(in)), Options{Name: "in", Window: window})
					var err error
					for err == nil {
						err = s.Skip()
					}
					if !strings.HasPrefix(err.Error(), tt.want) {
						t.Errorf("window %d, %s: got %v, want %s", window, r.name, err, tt.want)
					}
				}
			}
		})
	}
}

func TestExcerpt(t *testing.T) {
	tests := []struct {
		name, in, want string // the excerpt, the caret as ¦
	}{
		{"short", `[1,¦x]`, `[1,¦x]`},
		{"one line of several", "[\n1, ¦x\n]", "1, ¦x"},
		{"at the end of the line", "\"abc¦\nx\"", `"abc¦`},
		{"at the end", `[1¦`, `[1¦`},
		{"long line", `["` + strings.Repeat("a", 1000) + `",¦x,"` + strings.Repeat("b", 1000), strings.Repeat("a", 46) + `",¦x,"` + strings.Repeat("b", 21)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, _ := unspot(t, tt.in)
			var se *SyntaxError
			if err := NewScanner(strings.NewReader(in), Options{}).Skip(); !errors.As(err, &se) {
				t.Fatal(err)
			}
			if got := string(se.Excerpt[:se.Caret]) + spot + string(se.Excerpt[se.Caret:]); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestReadError(t *testing.T) {
	broken := errors.New("the disk is on fire")
	for _, in := range []string{``, ` `, `1`, `12`, `-`, `tru`, `true`, `"`, `"a`, `"\`, `"\u00`, `"\ud800`, "\"\xe2\x82", `[`, `[1`, `[1,`, `[tr`, `{`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":"b`, "\xEF\xBB", `[1] `} {
		for _, window := range []int{16, 4096} {
			for _, w := range walks {
				r := io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken))
				s := NewScanner(r, Options{Window: window})
				got := w.walk(s, []byte(in))
				if got.Msg != broken.Error() || s.Err() != broken {
					t.Errorf("%q, window %d, %s: %+v", in, window, w.name, got)
				}
			}
		}
	}
}

// faulty returns what is not allowed of a reader.
type faulty struct{ n int }

func (f faulty) Read(p []byte) (int, error) {
	if f.n > 0 {
		return len(p) + f.n, nil
	}
	return f.n, nil
}

func TestFaultyReader(t *testing.T) {
	for _, n := range []int{-1, 0, 1} {
		if k, err := NewScanner(faulty{n}, Options{}).Next(); err == nil {
			t.Errorf("reader that returns %d: %v without an error", n, k)
		}
	}
}

// The window of the last input must not be seen after a reset.
func TestReset(t *testing.T) {
	s := NewScanner(strings.NewReader(`[1,2,{"a":"bcdefghijklmnopqrstuvwxyz`), Options{Window: 64, Name: "old"})
	for range 7 {
		if _, err := s.Next(); err != nil {
			break
		}
	}
	tests := []struct {
		name, in string
		want     outcome
	}{
		{"empty", "", outcome{Offset: -1}},
		{"shorter", `7`, outcome{Values: []string{"7"}, Offset: -1}},
		{"cut", `[`, outcome{Offset: 1, Line: 1, Col: 2, Msg: "a value or ']' must follow '[', unexpected end of input"}},
		{"other", `{"a":[]} x`, outcome{Values: []string{`{"a":[]}`}, Offset: 9, Line: 1, Col: 10, Msg: "expected a value, found 'x'"}},
	}
	for _, tt := range tests {
		for _, w := range walks {
			for _, window := range []int{64, 32} {
				s.Reset(iotest.OneByteReader(strings.NewReader(tt.in)), Options{Window: window})
				if diff := cmp.Diff(tt.want, w.walk(s, []byte(tt.in))); diff != "" {
					t.Errorf("%s, %s (-want +got):\n%s", tt.name, w.name, diff)
				}
			}
		}
	}
}

func TestResetAt(t *testing.T) {
	s := NewScanner(nil, Options{})
	s.ResetAt(strings.NewReader("\n {}\n [x]"), Options{Name: "f"}, 1000, 31)
	if err := s.Skip(); err != nil {
		t.Fatal(err)
	}
	if got := s.TokenOffset(); got != 1002 {
		t.Errorf("value at %d", got)
	}
	want := `f:33:3: expected a value, found 'x' (in /0)`
	if err := s.Skip(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// At offset 0 alone is a byte order mark no error.
func TestResetAtMark(t *testing.T) {
	s := NewScanner(nil, Options{})
	s.ResetAt(strings.NewReader("\xEF\xBB\xBF1"), Options{}, 7, 1)
	if err := s.Skip(); err == nil {
		t.Error("byte order mark accepted at offset 7")
	}
}

// A token of up to half the window is whole, however it comes.
func TestWhole(t *testing.T) {
	for _, window := range []int{16, 64, 4096} {
		for _, text := range []string{`"` + strings.Repeat("a", window/2-2) + `"`, strings.Repeat("1", window/2), `"` + strings.Repeat("é", window/4-2) + `"`} {
			in := []byte(`[` + strings.Repeat(" ", window-5) + text + `,` + text + `,true,null,` + text + `]`)
			for _, r := range readers {
				s := NewScanner(r.make(in), Options{Window: window})
				for {
					k, err := s.Next()
					if err != nil {
						t.Fatal(err)
					}
					if k == End {
						break
					}
					raw, ok := s.Whole()
					if !ok {
						t.Errorf("window %d, %s: %v at %d is not whole", window, r.name, k, s.TokenOffset())
					}
					if want := in[s.TokenOffset():s.InputOffset()]; !bytes.Equal(raw, want) {
						t.Errorf("window %d, %s: whole %q, want %q", window, r.name, raw, want)
					}
				}
			}
		}
	}
}

// What was read is no longer at hand once the scanner has moved on.
func TestNotWhole(t *testing.T) {
	s := NewScanner(strings.NewReader(`["abc", 1]`), Options{})
	for range 2 {
		if _, err := s.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Peek(); err != nil {
		t.Fatal(err)
	}
	if raw, ok := s.Whole(); ok {
		t.Errorf("whole %q after Peek", raw)
	}
	if b, done, err := s.Chunk(); len(b) > 0 || !done || err != nil {
		t.Errorf("Chunk %q, %v, %v after Peek", b, done, err)
	}
}

func TestIndexAndPointer(t *testing.T) {
	s := NewScanner(strings.NewReader(`{"a":[1,{"b":[]},[[2]]],"c":3} 4`), Options{})
	type step struct {
		Kind    Kind
		Depth   int
		Index   int64
		Pointer string
	}
	var got []step
	for {
		k, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, step{k, s.Depth(), s.Index(), s.Pointer()})
		if k == End {
			break
		}
	}
	want := []step{
		{ObjectBegin, 1, -1, ""},
		{Name, 1, -1, "/a"},
		{ArrayBegin, 2, -1, "/a"},
		{Number, 2, 0, "/a/0"},
		{ObjectBegin, 3, 1, "/a/1"},
		{Name, 3, 1, "/a/1/b"},
		{ArrayBegin, 4, -1, "/a/1/b"},
		{ArrayEnd, 3, 1, "/a/1/b"},
		{ObjectEnd, 2, 1, "/a/1"},
		{ArrayBegin, 3, -1, "/a/2"},
		{ArrayBegin, 4, -1, "/a/2/0"},
		{Number, 4, 0, "/a/2/0/0"},
		{ArrayEnd, 3, 0, "/a/2/0"},
		{ArrayEnd, 2, 2, "/a/2"},
		{ArrayEnd, 1, -1, "/a"},
		{Name, 1, -1, "/c"},
		{Number, 1, -1, "/c"},
		{ObjectEnd, 0, -1, ""},
		{Number, 0, -1, ""},
		{End, 0, -1, ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMore(t *testing.T) {
	s := NewScanner(strings.NewReader(` [ 10 ,{"a": [ ]} ] `), Options{})
	var got []int64
	for {
		more, err := s.More()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, s.InputOffset())
		if more2, err := s.More(); more2 != more || err != nil || s.InputOffset() != got[len(got)-1] {
			t.Errorf("More twice: %v, then %v, %v", more, more2, err)
		}
		k, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		if k == End {
			break
		}
		if ends := k == ArrayEnd || k == ObjectEnd; ends == more {
			t.Errorf("More %v, then %v", more, k)
		}
	}
	if diff := cmp.Diff([]int64{1, 3, 7, 8, 13, 15, 16, 18, 20}, got); diff != "" {
		t.Errorf("offsets (-want +got):\n%s", diff)
	}
}

func TestSkipNoValue(t *testing.T) {
	s := NewScanner(strings.NewReader(`{"a":[]}`), Options{})
	steps := []error{nil, ErrNoValue, nil, nil, ErrNoValue, nil, ErrNoValue, nil, io.EOF, nil, io.EOF}
	for i, want := range steps {
		if want == nil {
			if _, err := s.Next(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := s.Skip(); err != want {
			t.Errorf("step %d: Skip: %v, want %v", i, err, want)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	in := strings.Repeat(`{"id":1,"name":"x\ny","tags":["a",true,null,1.5e3],"o":{"p":"`+strings.Repeat("q", 100)+`"}}`+"\n", 100)
	r := strings.NewReader(in)
	s := NewScanner(r, Options{Window: 4096})
	for _, w := range []struct {
		name string
		walk func() error
	}{
		{"Next", func() error {
			for {
				if k, err := s.Next(); k == End {
					return err
				}
			}
		}},
		{"Skip", func() error {
			for {
				if err := s.Skip(); err != nil {
					return err
				}
			}
		}},
		{"CopyValue", func() error {
			for {
				if err := s.CopyValue(io.Discard); err != nil {
					return err
				}
			}
		}},
	} {
		n := testing.AllocsPerRun(5, func() {
			r.Reset(in)
			s.Reset(r, Options{Window: 4096})
			if err := w.walk(); err != nil && err != io.EOF {
				t.Fatal(err)
			}
		})
		if n > 0 {
			t.Errorf("%s allocates %v times in %d bytes", w.name, n, len(in))
		}
	}
}

// repeated is a reader of a long input that is nowhere in memory.
type repeated struct {
	head, part, tail string
	n                int // times part
	buf              []byte
}

func (r *repeated) Read(p []byte) (int, error) {
	if len(r.buf) == 0 {
		switch {
		case r.head != "":
			r.buf, r.head = []byte(r.head), ""
		case r.n > 0:
			k := min(r.n, 1000)
			r.buf, r.n = bytes.Repeat([]byte(r.part), k), r.n-k
		case r.tail != "":
			r.buf, r.tail = []byte(r.tail), ""
		default:
			return 0, io.EOF
		}
	}
	n := copy(p, r.buf)
	r.buf = r.buf[n:]
	return n, nil
}

func TestLongTokens(t *testing.T) {
	const times = 200_000
	tests := []struct {
		name             string
		head, part, tail string
		chars            int64 // per part
	}{
		{"string", `"`, `aé日😀\n\u00e9\ud83d\ude00\ud800x`, `"`, 9},
		{"name", `{"`, `0123456789\\`, `":1}`, 11},
		{"number", `-1.`, `0123456789`, `e+7 `, 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewScanner(&repeated{head: tt.head, part: tt.part, tail: tt.tail, n: times}, Options{})
			k, err := s.Next()
			if k == ObjectBegin {
				k, err = s.Next()
			}
			if err != nil || k.String() != tt.name {
				t.Fatal(k, err)
			}
			start := s.TokenOffset()
			if _, ok := s.Whole(); ok {
				t.Fatal("whole")
			}
			var sum, counted int64
			for {
				b, done, err := s.Chunk()
				if err != nil {
					t.Fatal(err)
				}
				sum += int64(len(b))
				counted += CountChars(b)
				if done {
					break
				}
			}
			want := int64(len(tt.part)) * times
			if k == Number {
				want += int64(len(`-1.e+7`))
			} else if s.Chars() != tt.chars*times || counted != s.Chars() {
				t.Errorf("%d characters, counted %d, want %d", s.Chars(), counted, tt.chars*times)
			}
			if sum != want {
				t.Errorf("%d bytes, want %d", sum, want)
			}
			if line, col := s.Position(start); line != 1 || col != start+1 {
				t.Errorf("token at %d:%d", line, col)
			}
			for {
				if k, err = s.Next(); err != nil {
					t.Fatal(err)
				}
				if k == End {
					break
				}
			}
		})
	}
}

func TestPosition(t *testing.T) {
	in := "{\n \"a\":\n[" + strings.Repeat("1,\n", 5000) + "2]}"
	for _, window := range []int{16, 100, 0} {
		s := NewScanner(strings.NewReader(in), Options{Window: window})
		for i := range 3 {
			k, err := s.Next()
			if err != nil {
				t.Fatal(err)
			}
			line, col := s.Position(s.TokenOffset())
			if got, want := [2]int64{line, col}, [][2]int64{{1, 1}, {2, 2}, {3, 1}}[i]; got != want {
				t.Errorf("window %d: %v at %v, want %v", window, k, got, want)
			}
		}
		s.Reset(strings.NewReader("\n"+in), Options{Window: window})
		if err := s.Skip(); err != nil {
			t.Fatal(err)
		}
		if line, col := s.Position(s.TokenOffset()); line != 2 || col != 1 {
			t.Errorf("window %d: skipped value at %d:%d", window, line, col)
		}
		if line, col := s.Position(s.InputOffset()); line != 5004 || col != 4 {
			t.Errorf("window %d: end of it at %d:%d", window, line, col)
		}
	}
}

// A value that is there to its end is read without waiting for more.
func TestNoReadAhead(t *testing.T) {
	for _, in := range []string{`{}`, `[1]`, `"a"`, `{"a":"\ud800\n"}`, "1\n", "null\n", `["é"]`, "\n{}", "\xEF\xBB\xBF{}", `1{}`} {
		for _, window := range []int{64, 0} {
			waits := iotest.ErrReader(errors.New("read ahead"))
			s := NewScanner(io.MultiReader(strings.NewReader(in), waits), Options{Window: window})
			if err := s.Skip(); err != nil {
				t.Errorf("Skip of %q: %v", in, err)
			}
			s.Reset(io.MultiReader(strings.NewReader(in), waits), Options{Window: window})
			if err := s.CopyValue(io.Discard); err != nil {
				t.Errorf("CopyValue of %q: %v", in, err)
			}
		}
	}
}
