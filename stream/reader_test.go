package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// copyAll copies every value of r in layout l, as an operation does that
// changes nothing.
func copyAll(r *Reader, l Layout) (string, error) {
	var out bytes.Buffer
	w := NewWriter(&out, l)
	var gap io.Writer
	if !l.Framed() {
		gap = w
	}
	for {
		ok, err := r.Next(gap)
		if !ok || err != nil {
			err = errors.Join(err, w.Flush())
			return out.String(), err
		}
		w.Begin()
		err = w.CopyValue(r.Scanner())
		w.End()
		if err != nil {
			err = errors.Join(err, w.Flush())
			return out.String(), err
		}
	}
}

// values returns the texts of all values that are left.
func values(t testing.TB, r *Reader) []string {
	t.Helper()
	var list []string
	for {
		ok, err := r.Next(nil)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return list
		}
		var b strings.Builder
		if err := r.Scanner().CopyValue(&b); err != nil {
			t.Fatal(err)
		}
		list = append(list, b.String())
	}
}

func TestReaderAsFound(t *testing.T) {
	rows := []struct {
		name  string
		files []string
		want  string
	}{
		{"nothing", []string{""}, ""},
		{"space alone", []string{" \n "}, " \n "},
		{"a value without a line feed", []string{`{"a": 1}`}, `{"a": 1}`},
		{"lines", []string{"1\n2\r\n\n3\n"}, "1\n2\r\n\n3\n"},
		{"glued", []string{`{}{}[1]"a"true`}, `{}{}[1]"a"true`},
		{"pretty", []string{"{\n  \"a\": 1\n}\n\n{\n}\n"}, "{\n  \"a\": 1\n}\n\n{\n}\n"},
		{"mark at the beginning", []string{"\ufeff[1]\n"}, "[1]\n"},
		{"two files", []string{"1\n", "2\n"}, "1\n2\n"},
		{"two files, no line feed between", []string{"1", "2\n"}, "1\n2\n"},
		{"two files, only the second begins with space", []string{"1", " 2"}, "1 2"},
		{"files with nothing in them", []string{"1", "", " ", "", "2"}, "1 2"},
		{"a mark in each", []string{"\ufeff1\n", "\ufeff2\n"}, "1\n2\n"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var names []string
			for _, text := range row.files {
				names = append(names, writeFile(t, text))
			}
			r := NewReader(names, ReaderOptions{})
			defer r.Close()
			got, err := copyAll(r, Layout{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReaderSeq(t *testing.T) {
	text := "\x1e{\"a\":1}\n\x1e[2]\n\x1e\x1e3\n"
	r := NewReader(nil, ReaderOptions{Stdin: strings.NewReader(text), Seq: true})
	defer r.Close()
	got, err := copyAll(r, Layout{Seq: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("\x1e{\"a\":1}\n\x1e[2]\n\x1e3\n", got); diff != "" {
		t.Error(diff)
	}
}

// TestReaderLaw copies random streams, cut into random inputs that arrive in
// every way.
func TestReaderLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(0, 6).Draw(rt, "values") {
			text.WriteString(jsonText(rt) + "\n")
		}
		window := rapid.IntRange(16, 300).Draw(rt, "window")
		for _, policy := range []Policy{Fail, Pass} {
			for _, in := range []io.Reader{
				strings.NewReader(text.String()),
				iotest.OneByteReader(strings.NewReader(text.String())),
				iotest.DataErrReader(strings.NewReader(text.String())),
				strings.NewReader(gzipped(t, text.String())),
			} {
				r := NewReader(nil, ReaderOptions{Stdin: in, Window: window, Invalid: policy})
				got, err := copyAll(r, Layout{})
				if err != nil {
					rt.Fatal(err)
				}
				if diff := cmp.Diff(text.String(), got); diff != "" {
					rt.Fatal(diff)
				}
				if r.Offset() != int64(text.Len()) {
					rt.Fatalf("Offset = %d, want %d", r.Offset(), text.Len())
				}
				r.Close()
			}
		}
	})
}

func TestReaderFilesAreJoined(t *testing.T) {
	a, b, c := writeFile(t, "1 [2]\n"), writeFile(t, gzipped(t, `{"x":3}`)), writeFile(t, "4")
	missing := filepath.Join(t.TempDir(), "no")
	var soft []string
	r := NewReader([]string{a, missing, b, "-", c}, ReaderOptions{
		Stdin:   strings.NewReader("true\nfalse"),
		OnError: func(err error) { soft = append(soft, err.Error()) },
	})
	defer r.Close()
	var got []string
	var offsets []int64
	for {
		ok, err := r.Next(nil)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		offsets = append(offsets, r.Offset())
		var v strings.Builder
		if err := r.Scanner().CopyValue(&v); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%d %s", r.Record(), &v))
	}
	if diff := cmp.Diff([]string{"0 1", "1 [2]", `2 {"x":3}`, "3 true", "4 false", "5 4"}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int64{0, 2, 6, 13, 18, 23}, offsets); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{missing + ": no such file or directory"}, soft); diff != "" || r.Errors() != 1 {
		t.Error(diff, r.Errors())
	}
}

// TestReaderLeftOver leaves values unread, or read in part.
func TestReaderLeftOver(t *testing.T) {
	r := NewReader(nil, ReaderOptions{Stdin: strings.NewReader(`[1,[2,3]] "some text" {"a":{"b":1}} 4 5`)})
	defer r.Close()
	for i := 0; ; i++ {
		ok, err := r.Next(nil)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			if i != 5 {
				t.Errorf("came to %d values, want 5", i)
			}
			return
		}
		s := r.Scanner()
		for range i {
			if _, err := s.Next(); err != nil {
				t.Fatal(err)
			}
			if s.Depth() == 0 {
				break
			}
		}
	}
}

// TestReaderTextLeft leaves a text that takes several pieces after the first.
func TestReaderTextLeft(t *testing.T) {
	r := NewReader(nil, ReaderOptions{Stdin: strings.NewReader(`"` + strings.Repeat(`ab\n`, 20000) + `" "next"`)})
	defer r.Close()
	for range 2 {
		if ok, err := r.Next(nil); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if _, err := r.Scanner().Next(); err != nil {
			t.Fatal(err)
		}
		piece, done, err := r.Text()
		if err != nil {
			t.Fatal(err)
		}
		if !done {
			continue
		}
		if diff := cmp.Diff("next", string(piece)); diff != "" {
			t.Error(diff)
		}
		return
	}
	t.Error("the second text is not whole")
}

func TestReaderFail(t *testing.T) {
	name := writeFile(t, "{\"a\":1}\n{\"a\":tru}\n3\n")
	for _, policy := range []Policy{Fail} {
		r := NewReader([]string{writeFile(t, "0\n"), name}, ReaderOptions{Invalid: policy})
		defer r.Close()
		got, err := copyAll(r, Layout{Compact: true})
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Fatalf("got %v", err)
		}
		if syntax.Name != name || syntax.Line != 2 || syntax.Pointer != "/a" {
			t.Errorf("the error is at %s:%d:%d in %s", syntax.Name, syntax.Line, syntax.Col, syntax.Pointer)
		}
		if !strings.HasPrefix(got, "0\n{\"a\":1}\n") {
			t.Errorf("before the error %q was written", got)
		}
	}
}

func TestReaderInvalid(t *testing.T) {
	rows := []struct {
		name, in   string
		seq        bool
		pass, skip string
		lines      []int64 // of the errors
	}{
		{"a bad line", "1\n{\"a\":tru}\n3\n", false, "1\n{\"a\":tru}\n3\n", "1\n3\n", []int64{2}},
		{"a bad first byte", "1\nerror: no\n3\n", false, "1\nerror: no\n3\n", "1\n3\n", []int64{2}},
		{"the last line", "1\n{\"a\":", false, "1\n{\"a\":", "1\n", []int64{2}},
		{"all of it", "x\ny\n", false, "x\ny\n", "", []int64{1, 2}},
		{"a string cut short", "\"abc\n2\n", false, "\"abc\n2\n", "2\n", []int64{1}},
		{"behind a value on its line", "1 x 2\n3\n", false, "1 x 2\n3\n", "1 3\n", []int64{1}},
		{"a record cut short", "1\n{\"a\":1\n{\"b\":2}\n3\n", false, "1\n{\"a\":1\n{\"b\":2}\n3\n", "1\n{\"b\":2}\n3\n", []int64{3}},
		{"a sequence", "\x1e1\n\x1e{\"a\n\x1e3\n", true, "1\n\x1e{\"a\n3\n", "1\n3\n", []int64{2}},
	}
	for _, row := range rows {
		for _, p := range []struct {
			policy Policy
			want   string
		}{{Pass, row.pass}, {Skip, row.skip}} {
			for _, window := range []int{0, 16} {
				t.Run(fmt.Sprintf("%s/%s/%d", row.name, p.policy, window), func(t *testing.T) {
					var lines []int64
					r := NewReader(nil, ReaderOptions{
						Stdin: strings.NewReader(row.in), Invalid: p.policy, Seq: row.seq, Window: window,
						OnError: func(err error) {
							var syntax *SyntaxError
							if !errors.As(err, &syntax) {
								t.Fatal(err)
							}
							lines = append(lines, syntax.Line)
						},
					})
					defer r.Close()
					got, err := copyAll(r, Layout{})
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(p.want, got); diff != "" {
						t.Error(diff)
					}
					if diff := cmp.Diff(row.lines, lines); diff != "" {
						t.Error(diff)
					}
				})
			}
		}
	}
}

// TestReaderHeldPositions makes sure that a value that was held while it was
// checked has the places it has in the input.
func TestReaderHeldPositions(t *testing.T) {
	text := "1\nx\n  [10,\n {\"a\": true}] 7\n"
	type place struct{ Offset, Line, Col int64 }
	var got [2][]place
	for i, policy := range []Policy{Fail, Skip} {
		in := text
		if policy == Fail {
			in = strings.Replace(in, "x", "0", 1)
		}
		r := NewReader(nil, ReaderOptions{Stdin: strings.NewReader(in), Invalid: policy})
		defer r.Close()
		for {
			ok, err := r.Next(nil)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			s := r.Scanner()
			at := r.Offset()
			for {
				if _, err := s.Next(); err != nil {
					t.Fatal(err)
				}
				line, col := s.Position(s.TokenOffset())
				if text[at] != 'x' && at != 2 {
					got[i] = append(got[i], place{s.TokenOffset(), line, col})
				}
				if s.Depth() == 0 {
					break
				}
			}
		}
	}
	if diff := cmp.Diff(got[0], got[1]); diff != "" {
		t.Error(diff)
	}
	if len(got[0]) < 8 {
		t.Errorf("only %d places", len(got[0]))
	}
}

// TestReaderSeek goes to every value and compares what follows.
func TestReaderSeek(t *testing.T) {
	parts := []string{"1 [2, 3]\n", `{"a": "b"}`, "", "\"c\"\n\n true"}
	whole := strings.Join(parts, "")
	starts := []int64{0, 2, 9, 19, 24}
	want := []string{"1", "[2, 3]", `{"a": "b"}`, `"c"`, "true"}
	inputs := []struct {
		name string
		open func(o ReaderOptions) *Reader
	}{
		{"files", func(o ReaderOptions) *Reader {
			var names []string
			for _, p := range parts {
				names = append(names, writeFile(t, p))
			}
			return NewReader(names, o)
		}},
		{"gzip files and a pipe", func(o ReaderOptions) *Reader {
			o.Stdin = strings.NewReader(parts[1])
			return NewReader([]string{writeFile(t, gzipped(t, parts[0])), "-", writeFile(t, gzipped(t, parts[2])), writeFile(t, zstded(t, 1<<20, parts[3]))}, o)
		}},
	}
	for _, in := range inputs {
		t.Run(in.name, func(t *testing.T) {
			kept := in.open(ReaderOptions{Keep: true})
			defer kept.Close()
			for _, i := range []int{4, 0, 1, 2, 3, 4, 2} {
				for name, r := range map[string]*Reader{"fresh": in.open(ReaderOptions{}), "kept": kept} {
					if err := r.SeekTo(starts[i]); err != nil {
						t.Fatal(err)
					}
					before, err := r.ReadBefore(starts[i], 3)
					if err != nil {
						t.Fatal(err)
					}
					part := max(0, starts[i]-3)
					for _, border := range []int64{9, 19} {
						if border <= starts[i] {
							part = max(part, border)
						}
					}
					if diff := cmp.Diff(whole[part:starts[i]], string(before)); diff != "" {
						t.Errorf("%s, before value %d: %s", name, i, diff)
					}
					if diff := cmp.Diff(want[i:], values(t, r)); diff != "" {
						t.Errorf("%s, from value %d: %s", name, i, diff)
					}
					if name == "fresh" {
						r.Close()
					}
				}
			}
			if err := kept.SeekTo(int64(len(whole))); err != nil {
				t.Fatal(err)
			}
			if got := values(t, kept); got != nil {
				t.Errorf("at the end there is %q", got)
			}
			var beyond *BeyondError
			if err := kept.SeekTo(int64(len(whole)) + 1); !errors.As(err, &beyond) || beyond.Size != int64(len(whole)) {
				t.Errorf("beyond the end: %v", err)
			}
		})
	}
}

func TestReaderRewind(t *testing.T) {
	text := strings.Repeat(`{"id":1,"text":"some text"}`+"\n", 5000)
	missing := filepath.Join(t.TempDir(), "no")
	pr, pw, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pr.Close()
	go func() {
		io.WriteString(pw, text+"bad\n")
		pw.Close()
	}()
	r := NewReader([]string{missing, "-", writeFile(t, "1\n"), "-"}, ReaderOptions{Stdin: pr, Keep: true, Invalid: Pass})
	defer r.Close()
	for pass := range 3 {
		got, err := copyAll(r, Layout{})
		if err != nil {
			t.Fatal(err)
		}
		if want := text + "bad\n1\n"; got != want {
			t.Fatalf("pass %d gave %d bytes that differ from the %d", pass, len(got), len(want))
		}
		if r.Errors() != 2 {
			t.Errorf("pass %d: %d errors, want 2", pass, r.Errors())
		}
		if err := r.Rewind(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReaderLive sends records one at a time and waits for each to come out,
// line feed included, before it sends the next.
func TestReaderLive(t *testing.T) {
	for _, policy := range []Policy{Fail, Pass} {
		for _, layout := range []Layout{{}, {Compact: true}} {
			t.Run(fmt.Sprintf("%s %+v", policy, layout), func(t *testing.T) {
				inR, inW := io.Pipe()
				outR, outW := io.Pipe()
				done := make(chan error)
				go func() {
					w := NewWriter(outW, layout)
					r := NewReader(nil, ReaderOptions{
						Stdin: inR, Invalid: policy, BeforeRead: func() { w.FlushRecords() },
					})
					var gap io.Writer
					if !layout.Framed() {
						gap = w
					}
					for {
						ok, err := r.Next(gap)
						if !ok || err != nil {
							done <- errors.Join(err, w.Finish())
							return
						}
						w.Begin()
						if err := w.CopyValue(r.Scanner()); err != nil {
							done <- err
							return
						}
						w.End()
					}
				}()
				for _, record := range []string{"{\"a\":1}\n", "17\n", "[\"some text\"]\n"} {
					// In two pieces, so that a record is open while it waits.
					for _, piece := range []string{record[:1], record[1:]} {
						if _, err := io.WriteString(inW, piece); err != nil {
							t.Fatal(err)
						}
					}
					got := make([]byte, len(record))
					if _, err := io.ReadFull(outR, got); err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(record, string(got)); diff != "" {
						t.Error(diff)
					}
				}
				inW.Close()
				if err := <-done; err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// readText returns the rest of the current text.
func readText(t testing.TB, r *Reader) string {
	t.Helper()
	var b strings.Builder
	for {
		piece, done, err := r.Text()
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(piece) {
			t.Fatalf("the piece %q is cut inside a character", piece)
		}
		b.Write(piece)
		if done {
			return b.String()
		}
	}
}

func TestReaderRaw(t *testing.T) {
	rows := []struct {
		name     string
		files    []string
		want     string
		replaced int64
	}{
		{"nothing", []string{""}, "", 0},
		{"text", []string{"some text\nnot \"JSON\"\n"}, "some text\nnot \"JSON\"\n", 0},
		{"files are one text", []string{"héllo ", "", "wörld 😀"}, "héllo wörld 😀", 0},
		{"a character over two files", []string{"a\xf0\x9f", "\x98\x80b"}, "a😀b", 0},
		{"not UTF-8", []string{"a\xffb\xc3(\xf0\x9f\x98"}, "a\ufffdb\ufffd(\ufffd\ufffd\ufffd", 5},
		{"U+FFFD itself", []string{"a\ufffdb"}, "a\ufffdb", 0},
		{"long", []string{strings.Repeat("añ😀", 30000)}, strings.Repeat("añ😀", 30000), 0},
	}
	for _, row := range rows {
		for _, window := range []int{0, 8, 33} {
			t.Run(fmt.Sprintf("%s window %d", row.name, window), func(t *testing.T) {
				var names []string
				for _, text := range row.files {
					names = append(names, writeFile(t, text))
				}
				r := NewReader(names, ReaderOptions{Raw: true, Window: window})
				defer r.Close()
				ok, err := r.Next(nil)
				if !ok || err != nil {
					t.Fatal(ok, err)
				}
				if diff := cmp.Diff(row.want, readText(t, r)); diff != "" {
					t.Error(diff)
				}
				if r.Replaced() != row.replaced {
					t.Errorf("Replaced = %d, want %d", r.Replaced(), row.replaced)
				}
				if want := int64(len(strings.Join(row.files, ""))); r.Offset() != want {
					t.Errorf("Offset = %d, want %d", r.Offset(), want)
				}
				if ok, err := r.Next(nil); ok || err != nil {
					t.Errorf("a second text: %v, %v", ok, err)
				}
			})
		}
	}
}

// TestReaderRawLaw compares with the standard library's idea of the text, and
// resumes at every piece.
func TestReaderRawLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]byte("ab\xff\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xed\xa0")), 0, 100).Draw(rt, "text")
		open := func() *Reader {
			return NewReader(nil, ReaderOptions{
				Stdin: iotest.HalfReader(bytes.NewReader(text)), Raw: true,
				Window: rapid.IntRange(8, 40).Draw(rt, "window"),
			})
		}
		want := string([]rune(string(text)))
		r := open()
		if _, err := r.Next(nil); err != nil {
			rt.Fatal(err)
		}
		got := ""
		for {
			piece, done, err := r.Text()
			if err != nil {
				rt.Fatal(err)
			}
			got += string(piece)
			if done {
				break
			}
			again := open()
			if err := again.SeekTo(r.Offset()); err != nil {
				rt.Fatal(err)
			}
			if _, err := again.Next(nil); err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(want[len(got):], readText(t, again)); diff != "" {
				rt.Fatalf("from %d: %s", r.Offset(), diff)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// TestReaderRawMissing makes sure that an input that is not there is no empty
// text.
func TestReaderRawMissing(t *testing.T) {
	r := NewReader([]string{filepath.Join(t.TempDir(), "no")}, ReaderOptions{Raw: true})
	defer r.Close()
	if ok, err := r.Next(nil); ok || err != nil || r.Errors() != 1 {
		t.Errorf("got %v, %v, %d errors", ok, err, r.Errors())
	}
}

func TestPolicySet(t *testing.T) {
	for _, want := range []Policy{Fail, Pass, Skip} {
		var got Policy
		if err := got.Set(want.String()); err != nil || got != want {
			t.Errorf("%s: %v, %v", want, got, err)
		}
	}
	var p Policy
	if err := p.Set("ignore"); err == nil || err.Error() != "want fail, pass or skip" {
		t.Errorf("got %v", err)
	}
}

func BenchmarkReader(b *testing.B) {
	for _, kind := range []string{"objects", "strings"} {
		text := benchmarkText(kind)
		for _, policy := range []Policy{Fail, Pass} {
			b.Run(kind+"/"+policy.String(), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					r := NewReader(nil, ReaderOptions{Stdin: strings.NewReader(text), Invalid: policy})
					w := NewWriter(discard{}, Layout{})
					for {
						ok, err := r.Next(w)
						if err != nil {
							b.Fatal(err)
						}
						if !ok {
							break
						}
						if err := w.CopyValue(r.Scanner()); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}

func BenchmarkReaderRaw(b *testing.B) {
	for name, text := range map[string]string{
		"ascii": strings.Repeat("func main() { fmt.Println() }\n", 1<<17),
		"cjk":   strings.Repeat("漢字かな混じり文。", 1<<17),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r := NewReader(nil, ReaderOptions{Stdin: strings.NewReader(text), Raw: true})
				for done := false; !done; {
					var err error
					if _, done, err = r.Text(); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// FuzzReaderPass holds Pass to its promise: whatever the bytes are, what comes
// out is what went in, but for a byte order mark.
func FuzzReaderPass(f *testing.F) {
	for _, text := range []string{
		"", "1\n2", "{\"a\":1\n{\"b\":2}\nx\n", "\ufeff[1]", "\xff\xfe1\x00", "[1,\n{\n", "\"a\n\"", "1 x{}\n", "\x1e1", "{}{}nul", "\xef\xbb",
	} {
		f.Add([]byte(text), uint8(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, window uint8) {
		want := string(bytes.TrimPrefix(data, []byte("\ufeff")))
		r := NewReader(nil, ReaderOptions{Stdin: bytes.NewReader(data), Invalid: Pass, Window: 16 + int(window)})
		defer r.Close()
		got, err := copyAll(r, Layout{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		if r.Offset() != int64(len(data)) {
			t.Fatalf("Offset = %d, want %d", r.Offset(), len(data))
		}
	})
}

// TestReaderSeekLaw goes to each value of a random stream and compares what
// follows.
func TestReaderSeekLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(1, 5).Draw(rt, "values") {
			text.WriteString(jsonText(rt) + "\n")
		}
		o := ReaderOptions{Window: rapid.IntRange(16, 100).Draw(rt, "window"), Keep: true}
		o.Stdin = strings.NewReader(text.String())
		whole := NewReader(nil, o)
		defer whole.Close()
		var starts []int64
		for {
			ok, err := whole.Next(nil)
			if err != nil {
				rt.Fatal(err)
			}
			if !ok {
				break
			}
			starts = append(starts, whole.Offset())
		}
		if err := whole.Rewind(); err != nil {
			rt.Fatal(err)
		}
		want := values(t, whole)
		o.Stdin = strings.NewReader(gzipped(t, text.String()))
		packed := NewReader(nil, o)
		defer packed.Close()
		for _, i := range rapid.Permutation(starts).Draw(rt, "order") {
			for _, r := range []*Reader{whole, packed} {
				if err := r.SeekTo(i); err != nil {
					rt.Fatal(err)
				}
				if diff := cmp.Diff(want[len(want)-countFrom(starts, i):], values(t, r)); diff != "" {
					rt.Fatalf("from %d: %s", i, diff)
				}
			}
		}
	})
}

// countFrom returns how many of the starts are at off or behind it.
func countFrom(starts []int64, off int64) int {
	n := 0
	for _, s := range starts {
		if s >= off {
			n++
		}
	}
	return n
}
