package stream

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// entries returns the names in dir.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func mustWrite(t *testing.T, f *AtomicFile, text string) {
	t.Helper()
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAtomicFile(t *testing.T) {
	t.Run("nothing under the name before Commit", func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "out.json")
		f, err := CreateAtomic(path, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Abort()
		mustWrite(t, f, "[1,")
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("before Commit: %v", err)
		}
		mustWrite(t, f, "2]\n")
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		f.Abort()
		if diff := cmp.Diff("[1,2]\n", content(t, path)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"out.json"}, entries(t, dir)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("Abort leaves nothing", func(t *testing.T) {
		dir := t.TempDir()
		f, err := CreateAtomic(filepath.Join(dir, "out.json"), 0o644)
		if err != nil {
			t.Fatal(err)
		}
		mustWrite(t, f, "[1,")
		f.Abort()
		if diff := cmp.Diff([]string(nil), entries(t, dir)); diff != "" {
			t.Error(diff)
		}
		if _, err := f.Write([]byte("2")); err == nil {
			t.Error("a write after Abort succeeded")
		}
		if err := f.Commit(); err == nil {
			t.Error("a Commit after Abort succeeded")
		}
	})
	t.Run("an existing file keeps its mode", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("no such modes here")
		}
		path := filepath.Join(t.TempDir(), "out.json")
		if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
			t.Fatal(err)
		}
		f, err := CreateAtomic(path, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		mustWrite(t, f, "new")
		if diff := cmp.Diff("old", content(t, path)); diff != "" {
			t.Error(diff)
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		fi, err := os.Stat(path)
		if err != nil || fi.Mode() != 0o640 {
			t.Errorf("mode %v, %v", fi.Mode(), err)
		}
		if diff := cmp.Diff("new", content(t, path)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a link is followed", func(t *testing.T) {
		dir := t.TempDir()
		target, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "link.json")
		if err := os.WriteFile(target, []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("real.json", link); err != nil {
			t.Skip(err)
		}
		f, err := CreateAtomic(link, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		mustWrite(t, f, "new")
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		if fi, err := os.Lstat(link); err != nil || fi.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link is gone: %v, %v", fi, err)
		}
		if diff := cmp.Diff("new", content(t, target)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a device is written to", func(t *testing.T) {
		if _, err := os.Stat("/dev/null"); err != nil {
			t.Skip(err)
		}
		f, err := CreateAtomic("/dev/null", 0o644)
		if err != nil {
			t.Fatal(err)
		}
		mustWrite(t, f, "x")
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		if fi, err := os.Stat("/dev/null"); err != nil || fi.Mode().IsRegular() {
			t.Fatalf("the device is %v, %v", fi.Mode(), err)
		}
	})
	t.Run("errors name the file", func(t *testing.T) {
		dir := t.TempDir()
		_, err := CreateAtomic(dir, 0o644)
		if err == nil || err.Error() != dir+": is a directory" {
			t.Errorf("got %v", err)
		}
		path := filepath.Join(dir, "no", "out.json")
		_, err = CreateAtomic(path, 0o644)
		if err == nil || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a long name", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), strings.Repeat("x", 250))
		f, err := CreateAtomic(path, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestSameFile(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, p := range []string{a, b} {
		if err := os.WriteFile(p, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	hard, soft := filepath.Join(dir, "hard"), filepath.Join(dir, "soft")
	if err := os.Link(a, hard); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(a, soft); err != nil {
		t.Skip(err)
	}
	rows := []struct {
		name, path string
		names      []string
		want       string
	}{
		{"itself", a, []string{b, a}, a},
		{"another", a, []string{b}, ""},
		{"a hard link", hard, []string{b, a}, a},
		{"a symbolic link", a, []string{soft}, soft},
		{"another spelling", dir + "/./a", []string{a}, a},
		{"not there yet", filepath.Join(dir, "new"), []string{a}, ""},
		{"a missing input", a, []string{filepath.Join(dir, "new")}, ""},
		{"a device", "/dev/null", []string{"/dev/null"}, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got, ok := SameFile(row.path, row.names)
			if got != row.want || ok != (row.want != "") {
				t.Errorf("got %q, %v; want %q", got, ok, row.want)
			}
		})
	}
}
