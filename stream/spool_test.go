package stream

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestSpoolLaw holds a spool with a tiny memory to a plain byte slice, through
// any sequence of writes, cuts and reads.
func TestSpoolLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sp := Spool{Memory: rapid.IntRange(1, 200).Draw(t, "memory")}
		defer sp.Close()
		var want []byte
		steps := rapid.IntRange(1, 30).Draw(t, "steps")
		for range steps {
			switch rapid.SampledFrom([]string{"write", "write", "big", "cut", "readat", "reset"}).Draw(t, "step") {
			case "write":
				p := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "p")
				if _, err := sp.Write(p); err != nil {
					t.Fatal(err)
				}
				want = append(want, p...)
			case "big":
				p := bytes.Repeat([]byte{rapid.Byte().Draw(t, "b")}, rapid.IntRange(0, 2*spoolPending).Draw(t, "n"))
				if _, err := sp.Write(p); err != nil {
					t.Fatal(err)
				}
				want = append(want, p...)
			case "cut":
				n := rapid.IntRange(0, len(want)+5).Draw(t, "n")
				if err := sp.Truncate(int64(n)); err != nil {
					t.Fatal(err)
				}
				want = want[:min(n, len(want))]
			case "readat":
				off := rapid.IntRange(0, len(want)+5).Draw(t, "off")
				p := make([]byte, rapid.IntRange(1, 500).Draw(t, "n"))
				n, err := sp.ReadAt(p, int64(off))
				exp := want[min(off, len(want)):]
				exp = exp[:min(len(exp), len(p))]
				if !bytes.Equal(p[:n], exp) || (n < len(p)) != (err == io.EOF) {
					t.Fatalf("ReadAt(%d, %d) = %d bytes, %v; want %d", off, len(p), n, err, len(exp))
				}
			case "reset":
				sp.Reset()
				want = want[:0]
			}
			if sp.Len() != int64(len(want)) {
				t.Fatalf("Len = %d, want %d", sp.Len(), len(want))
			}
		}
		var got bytes.Buffer
		if _, err := sp.WriteTo(&got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, got.Bytes()) {
			t.Fatalf("WriteTo gave %d bytes, want %d", got.Len(), len(want))
		}
		read, err := io.ReadAll(struct{ io.Reader }{sp.Reader()})
		if err != nil || !bytes.Equal(want, read) {
			t.Fatalf("Reader gave %d bytes, %v; want %d", len(read), err, len(want))
		}
	})
}

// TestSpoolLeavesNothing looks for a file while the spool is using one.
func TestSpoolLeavesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file keeps its name here")
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	sp := Spool{Memory: 10}
	defer sp.Close()
	if _, err := sp.Write(make([]byte, 200<<10)); err != nil {
		t.Fatal(err)
	}
	if sp.file == nil {
		t.Fatal("no file was used above the memory limit")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("the directory holds %v, %v", left, err)
	}
}

func TestSpoolNoPlace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	sp := Spool{Memory: 4}
	defer sp.Close()
	_, err := sp.Write(make([]byte, 2*spoolPending))
	if err == nil {
		t.Fatal("a write without a place succeeded")
	}
	want := "cannot keep a temporary copy of the input in " + dir + ": no such file or directory"
	if runtime.GOOS != "windows" {
		if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Error(diff)
		}
	}
	if _, again := sp.Write([]byte("x")); again != err {
		t.Errorf("the second write gave %v", again)
	}
}

func BenchmarkSpool(b *testing.B) {
	chunk := make([]byte, 256<<10)
	b.SetBytes(16 << 20)
	for b.Loop() {
		var sp Spool
		for range 64 {
			if _, err := sp.Write(chunk); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := sp.WriteTo(io.Discard); err != nil {
			b.Fatal(err)
		}
		sp.Close()
	}
}
