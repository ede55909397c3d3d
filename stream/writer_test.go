package stream

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// writeLog keeps each write apart.
type writeLog []string

func (w *writeLog) Write(p []byte) (int, error) {
	*w = append(*w, string(p))
	return len(p), nil
}

func TestWriterRecords(t *testing.T) {
	rows := []struct {
		name   string
		layout Layout
		want   string
	}{
		{"as found", Layout{}, "{ \"a\" : 1 }[2]\n"},
		{"compact", Layout{Compact: true}, "{\"a\":1}\n[2]\n"},
		{"sequence", Layout{Seq: true}, "\x1e{ \"a\" : 1 }\n\x1e[2]\n"},
		{"compact sequence", Layout{Seq: true, Compact: true}, "\x1e{\"a\":1}\n\x1e[2]\n"},
		{"tab", Layout{Tab: true}, "{\n\t\"a\": 1\n}\n[\n\t2\n]\n"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var got bytes.Buffer
			w := NewWriter(&got, row.layout)
			s := NewScanner(strings.NewReader(`{ "a" : 1 } [2]`), Options{})
			for range 2 {
				if err := s.SkipSpace(nil); err != nil {
					t.Fatal(err)
				}
				w.Begin()
				if err := w.CopyValue(s); err != nil {
					t.Fatal(err)
				}
				w.End()
			}
			if err := w.Finish(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, got.String()); diff != "" {
				t.Error(diff)
			}
			if w.Written() != int64(got.Len()) {
				t.Errorf("Written = %d, want %d", w.Written(), got.Len())
			}
		})
	}
}

// TestWriterWholeRecords looks at the writes: none but those of a record larger
// than the buffer may begin or end inside a record.
func TestWriterWholeRecords(t *testing.T) {
	var log writeLog
	w := NewWriter(&log, Layout{Compact: true})
	var want strings.Builder
	for i := range 3000 {
		n := i * 37 % 1000
		if i == 1500 {
			n = 3 * writerSize
		}
		line := `"` + strings.Repeat("x", n) + `"`
		w.Begin()
		for j := 0; j < len(line); j += 300 {
			if _, err := w.Value().Write([]byte(line[j:min(j+300, len(line))])); err != nil {
				t.Fatal(err)
			}
		}
		w.End()
		want.WriteString(line + "\n")
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(log, ""); got != want.String() {
		t.Fatalf("wrote %d bytes that differ from the %d", len(got), want.Len())
	}
	split := 0
	for i, p := range log {
		if !strings.HasSuffix(p, "\n") {
			split++
			if len(p) < writerSize/2 {
				t.Errorf("write %d of %d bytes ends inside a record", i, len(p))
			}
		}
	}
	if split == 0 || split > 4 {
		t.Errorf("%d writes end inside a record", split)
	}
}

// TestWriterLaw holds the writer to a plain buffer.
func TestWriterLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var got bytes.Buffer
		w := NewWriter(&got, Layout{})
		var want []byte
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			n := rapid.SampledFrom([]int{0, 1, 5, 1000, writerSize - 1, writerSize, writerSize + 1}).Draw(t, "n")
			p := bytes.Repeat([]byte{rapid.SampledFrom([]byte("ab\n")).Draw(t, "c")}, n)
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				w.Write(p)
				want = append(want, p...)
			case 1:
				w.WriteString(string(p))
				want = append(want, p...)
			case 2:
				w.WriteByte('c')
				want = append(want, 'c')
			case 3:
				w.Begin()
				w.Write(p)
				w.End()
				want = append(want, p...)
			case 4:
				w.Begin()
				w.Write(p)
				w.FlushRecords()
				w.Write(p)
				w.End()
				want = append(append(want, p...), p...)
			case 5:
				w.Flush()
			}
			if w.Written() != int64(len(want)) {
				t.Fatalf("Written = %d, want %d", w.Written(), len(want))
			}
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		if len(want) > 0 && want[len(want)-1] != '\n' {
			want = append(want, '\n')
		}
		if !bytes.Equal(want, got.Bytes()) {
			t.Fatalf("wrote %d bytes, want %d", got.Len(), len(want))
		}
	})
}

func TestWriterFlushRecords(t *testing.T) {
	var log writeLog
	w := NewWriter(&log, Layout{Compact: true})
	w.Begin()
	w.WriteString("[1]")
	w.End()
	w.Begin()
	w.WriteString("[2")
	if err := w.FlushRecords(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(writeLog{"[1]\n"}, log); diff != "" {
		t.Error(diff)
	}
	w.WriteString("]")
	w.Unbuffered = true
	w.End()
	if diff := cmp.Diff(writeLog{"[1]\n", "[2]\n"}, log); diff != "" {
		t.Error(diff)
	}
}

func TestWriterErrors(t *testing.T) {
	t.Run("the first one sticks", func(t *testing.T) {
		w := NewWriter(failing{}, Layout{})
		w.WriteString("x")
		if err := w.Flush(); !errors.Is(err, errFailing) {
			t.Errorf("Flush: %v", err)
		}
		if _, err := w.Write([]byte("y")); !errors.Is(err, errFailing) {
			t.Errorf("Write: %v", err)
		}
		if err := w.Finish(); !errors.Is(err, errFailing) || !errors.Is(w.Err(), errFailing) {
			t.Errorf("Finish: %v, Err: %v", err, w.Err())
		}
	})
	t.Run("it ends a copy", func(t *testing.T) {
		w := NewWriter(failing{}, Layout{Compact: true})
		text := `"` + strings.Repeat("x", 4*writerSize) + `"`
		err := w.CopyValue(NewScanner(strings.NewReader(text), Options{}))
		if !errors.Is(err, errFailing) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a full disk", func(t *testing.T) {
		f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip(err)
		}
		defer f.Close()
		w := NewWriter(f, Layout{})
		w.WriteString("x")
		if err := w.Finish(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("got %v", err)
		}
	})
}

var errFailing = errors.New("no more")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFailing }

// TestCopyValueLaw copies random values whatever the window and the reads.
func TestCopyValueLaw(t *testing.T) {
	layouts := []Layout{{}, {Compact: true}, {Indent: 3}, {Tab: true}}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.TrimSpace(jsonText(t))
		for _, l := range layouts {
			var got bytes.Buffer
			w := NewWriter(&got, l)
			s := NewScanner(iotest.OneByteReader(strings.NewReader(text)), Options{Window: rapid.IntRange(16, 100).Draw(t, "window")})
			if err := w.CopyValue(s); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(l.Append(nil, []byte(text))), got.String()); diff != "" {
				t.Fatalf("%+v: %s", l, diff)
			}
		}
	})
}

// benchmarkText is NDJSON of the given size: tool results with source text, or
// small objects.
func benchmarkText(kind string) string {
	line := `{"id":17,"name":"some name","tags":["a","b"],"score":0.75,"ok":true,"parent":null}` + "\n"
	if kind == "strings" {
		line = `{"type":"tool_result","tool_use_id":"toolu_01","content":"` +
			strings.Repeat(`func main() {\n\tfmt.Println(\"hello, world\")\n}\n`, 80) + `"}` + "\n"
	}
	return strings.Repeat(line, (4<<20)/len(line))
}

func BenchmarkCopyValue(b *testing.B) {
	for _, kind := range []string{"objects", "strings"} {
		text := benchmarkText(kind)
		for _, row := range []struct {
			name   string
			layout Layout
		}{{"as found", Layout{}}, {"compact", Layout{Compact: true}}, {"indent 2", Layout{Indent: 2}}} {
			b.Run(kind+"/"+row.name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				s := NewScanner(nil, Options{})
				for b.Loop() {
					w := NewWriter(discard{}, row.layout)
					s.Reset(strings.NewReader(text), Options{})
					for {
						if err := s.SkipSpace(nil); err != nil {
							b.Fatal(err)
						}
						if kind, err := s.Peek(); err != nil || kind == End {
							break
						}
						w.Begin()
						if err := w.CopyValue(s); err != nil {
							b.Fatal(err)
						}
						w.End()
					}
				}
			})
		}
	}
}

func BenchmarkLayoutAppend(b *testing.B) {
	for _, kind := range []string{"objects", "strings"} {
		text := []byte(benchmarkText(kind))
		for _, row := range []struct {
			name   string
			layout Layout
		}{{"compact", Layout{Compact: true}}, {"indent 2", Layout{Indent: 2}}} {
			b.Run(kind+"/"+row.name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				var dst []byte
				for b.Loop() {
					dst = row.layout.Append(dst[:0], text)
				}
			})
		}
	}
}

// discard is io.Discard without its other methods.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
