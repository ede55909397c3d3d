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

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func gzipped(t testing.TB, parts ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, p := range parts {
		z := gzip.NewWriter(&b)
		if _, err := io.WriteString(z, p); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func zstded(t testing.TB, window int, parts ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, p := range parts {
		z, err := zstd.NewWriter(&b, zstd.WithWindowSize(window))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(z, p); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// writeFile puts content into a new file and returns its name.
func writeFile(t testing.TB, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "in.json")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// openers are the ways an input can arrive: each opens one that holds text.
var openers = []struct {
	name string
	open func(t testing.TB, text string) *Source
}{
	{"file", func(t testing.TB, text string) *Source { return mustOpen(t, writeFile(t, text), nil) }},
	{"stdin from a file", func(t testing.TB, text string) *Source {
		f, err := os.Open(writeFile(t, "passed over"+text))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		if _, err := f.Seek(int64(len("passed over")), io.SeekStart); err != nil {
			t.Fatal(err)
		}
		return mustOpen(t, "-", f)
	}},
	{"reader", func(t testing.TB, text string) *Source { return mustOpen(t, "-", strings.NewReader(text)) }},
	{"one byte at a time", func(t testing.TB, text string) *Source {
		return mustOpen(t, "-", iotest.OneByteReader(strings.NewReader(text)))
	}},
	{"data with its end", func(t testing.TB, text string) *Source {
		return mustOpen(t, "-", iotest.DataErrReader(strings.NewReader(text)))
	}},
	{"pipe", func(t testing.TB, text string) *Source {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			io.WriteString(w, text)
			w.Close()
		}()
		t.Cleanup(func() { r.Close() })
		return mustOpen(t, "-", r)
	}},
	{"gzip file", func(t testing.TB, text string) *Source {
		half := len(text) / 2
		return mustOpen(t, writeFile(t, gzipped(t, text[:half], text[half:])), nil)
	}},
	{"gzip one byte at a time", func(t testing.TB, text string) *Source {
		return mustOpen(t, "-", iotest.OneByteReader(strings.NewReader(gzipped(t, text))))
	}},
	{"zstd file", func(t testing.TB, text string) *Source {
		half := len(text) / 2
		return mustOpen(t, writeFile(t, zstded(t, 1<<20, text[:half], text[half:])), nil)
	}},
	{"zstd stdin behind a skippable frame", func(t testing.TB, text string) *Source {
		return mustOpen(t, "-", strings.NewReader("\x50\x2a\x4d\x18\x03\x00\x00\x00abc"+zstded(t, 1<<20, text)))
	}},
}

func mustOpen(t testing.TB, name string, stdin io.Reader) *Source {
	t.Helper()
	s, err := Open(name, stdin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// sourceTexts are contents whose first bytes come near a magic number, and one
// that is larger than any buffer.
var sourceTexts = []string{
	"", "{", "(", "\x1f", "\x1f\x8b", "P*M", "P*M\n", "\x28\xb5\x2f", "[1,2]\n",
	strings.Repeat(`{"id":17,"text":"some text"}`+"\n", 20000),
}

func TestSourceRead(t *testing.T) {
	for _, o := range openers {
		for _, text := range sourceTexts {
			t.Run(fmt.Sprintf("%s/%d bytes %.5q", o.name, len(text), text), func(t *testing.T) {
				s := o.open(t, text)
				got, err := io.ReadAll(s)
				if err != nil {
					t.Fatal(err)
				}
				if string(got) != text {
					t.Fatalf("read %d bytes that differ from the %d", len(got), len(text))
				}
				if s.Offset() != int64(len(text)) {
					t.Errorf("Offset = %d, want %d", s.Offset(), len(text))
				}
			})
		}
	}
}

func TestSourceSeek(t *testing.T) {
	text := sourceTexts[len(sourceTexts)-1]
	for _, o := range openers {
		t.Run(o.name, func(t *testing.T) {
			s := o.open(t, text)
			s.Keep()
			for _, off := range []int{0, 1, 300000, 300001, 70000, len(text), 0, 299990} {
				if err := s.SeekTo(int64(off)); err != nil {
					t.Fatal(err)
				}
				got := make([]byte, min(10, len(text)-off))
				if _, err := io.ReadFull(s, got); err != nil {
					t.Fatalf("at %d: %v", off, err)
				}
				if diff := cmp.Diff(text[off:off+len(got)], string(got)); diff != "" {
					t.Errorf("at %d: %s", off, diff)
				}
				before, err := s.ReadBefore(int64(off), 64)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(text[max(0, off-64):off], string(before)); diff != "" {
					t.Errorf("before %d: %s", off, diff)
				}
			}
			err := s.SeekTo(int64(len(text)) + 1)
			var beyond *BeyondError
			if !errors.As(err, &beyond) || beyond.Size != int64(len(text)) {
				t.Errorf("seeking beyond the end gave %v", err)
			}
			if err := s.Rewind(); err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(s)
			if err != nil || string(got) != text {
				t.Errorf("after Rewind %d bytes, %v; want %d", len(got), err, len(text))
			}
		})
	}
}

func TestSourceNoWayBack(t *testing.T) {
	s := mustOpen(t, "-", strings.NewReader("[1,2,3]"))
	if err := s.SeekTo(3); err != nil {
		t.Fatal(err)
	}
	err := s.SeekTo(2)
	if err == nil || err.Error() != "<stdin>: cannot go back in a pipe" {
		t.Errorf("got %v", err)
	}
}

// TestSourceTrail reads in pieces of many sizes and asks for what lies just
// behind.
func TestSourceTrail(t *testing.T) {
	text := sourceTexts[len(sourceTexts)-1]
	s := mustOpen(t, "-", strings.NewReader(text))
	s.Trail(100)
	for i, off := 0, 0; off < len(text)-1000; i++ {
		n := 1 + i*i%701
		if _, err := io.ReadFull(s, make([]byte, n)); err != nil {
			t.Fatal(err)
		}
		off += n
		at := off - i%30
		if at < 0 {
			continue
		}
		got, err := s.ReadBefore(int64(at), 64)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(text[max(0, at-64):at], string(got)); diff != "" {
			t.Fatalf("before %d: %s", at, diff)
		}
	}
	if _, err := s.ReadBefore(1000, 64); err == nil {
		t.Error("bytes long gone were given")
	}
}

func TestSourceErrors(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("some text that is rather long ", 1000)
	cut := writeFile(t, gzipped(t, long)[:60])
	cutZstd := writeFile(t, zstded(t, 1<<20, long)[:30])
	// A frame header that asks for a window of 16 MiB: descriptor without
	// single segment, window exponent 14, an empty last block.
	wide := writeFile(t, "\x28\xb5\x2f\xfd\x00\x70\x01\x00\x00")
	rows := []struct{ name, file, want string }{
		{"missing", filepath.Join(dir, "no"), filepath.Join(dir, "no") + ": no such file or directory"},
		{"directory", dir, dir + ": is a directory"},
		{"gzip cut short", cut, cut + ": the compressed data ends too early: unexpected EOF"},
		{"zstd cut short", cutZstd, cutZstd + ": the compressed data ends too early: unexpected EOF"},
		{"zstd window", wide, wide + ": the zstd window is larger than 8 MiB (zstd -d --long=31 reads it): window size exceeded"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s, err := Open(row.file, nil)
			if err == nil {
				_, err = io.ReadAll(s)
				s.Close()
			}
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(row.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSourceBeforeRead(t *testing.T) {
	for _, row := range []struct {
		name string
		src  *Source
		want bool
	}{
		{"file", mustOpen(t, writeFile(t, "[1]"), nil), false},
		{"reader", mustOpen(t, "-", strings.NewReader("[1]")), true},
		{"gzip reader", mustOpen(t, "-", strings.NewReader(gzipped(t, "[1]"))), true},
	} {
		t.Run(row.name, func(t *testing.T) {
			called := false
			row.src.BeforeRead = func() { called = true }
			if _, err := io.ReadAll(row.src); err != nil {
				t.Fatal(err)
			}
			if called != row.want {
				t.Errorf("called = %v, want %v", called, row.want)
			}
		})
	}
}
