package tokenize

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"jlop/tokenize/internal/layout"
)

// TestTablesAreGenerated runs the generator and compares what it writes with the tables that are committed.
func TestTablesAreGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("skipped: no go command")
	}
	dir := t.TempDir()
	if out, err := exec.Command(goTool, "run", "generate.go", "-o", dir).CombinedOutput(); err != nil {
		t.Fatalf("go run generate.go: %v\n%s", err, out)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*.table"))
	if len(names) != len(referenceEncodings) {
		t.Fatalf("generated %d tables, want %d", len(names), len(referenceEncodings))
	}
	for _, name := range names {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Base(name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what go generate makes", filepath.Base(name))
		}
	}
}

// TestTableProperties checks what the counting relies on.
func TestTableProperties(t *testing.T) {
	for _, e := range referenceEncodings {
		v := openTable(*e.table)
		if v.reach+fanout*4 >= window {
			t.Errorf("%s: a window of %d bytes is too small for a reach of %d", e.Name(), window, v.reach)
		}
		if v.maxToken != e.MaxTokenBytes() || v.maxToken > v.reach {
			t.Errorf("%s: longest token %d, reach %d", e.Name(), v.maxToken, v.reach)
		}
		for c := range 256 {
			if !has(&v, []byte{byte(c)}) {
				t.Errorf("%s: byte %#x is not a token", e.Name(), c)
			}
		}
		if e.pattern == gpt2Pattern {
			continue
		}
		for n := range 1000 {
			for _, digits := range []string{"%d", "%02d", "%03d"} {
				if s := fmt.Sprintf(digits, n); len(s) <= 3 && !has(&v, []byte(s)) {
					t.Errorf("%s: %s is not a token", e.Name(), s)
				}
			}
		}
	}
}

func has(t *table, b []byte) bool {
	switch {
	case len(b) <= 7:
		return t.hasShort(layout.ShortKey(b))
	case len(b) <= 15:
		return t.hasMid(layout.MidKey(b))
	}
	return t.hasLong(b)
}
