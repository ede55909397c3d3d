package stream

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// An AtomicFile is a file that appears under its name only when it is complete.
// Until then it is a temporary file beside it, so that a program that ends
// early, in whatever way, leaves the old file as it was or no file at all.
//
// Its methods are not safe for concurrent use.
type AtomicFile struct {
	name string // what messages call it
	path string // what the rename goes to
	file *os.File
	temp string // empty where file is the target itself
	mode os.FileMode
	keep bool // mode is that of the file to be replaced
	err  error
}

// CreateAtomic makes a file that will be called path. It gets the permissions
// perm less the umask, or those of the file it replaces. A symbolic link is
// followed: its target is replaced. What is not a regular file, like a device or
// a pipe, is written to directly.
func CreateAtomic(path string, perm os.FileMode) (*AtomicFile, error) {
	f := &AtomicFile{name: path, path: path}
	fi, err := os.Stat(path)
	switch {
	case err == nil && fi.IsDir():
		return nil, fmt.Errorf("%s: is a directory", path)
	case err == nil && !fi.Mode().IsRegular():
		if f.file, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
			return nil, f.wrap(err)
		}
		return f, nil
	case err == nil:
		f.mode, f.keep = fi.Mode(), true
	case !errors.Is(err, os.ErrNotExist):
		return nil, f.wrap(err)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		f.path = real
	}
	dir, base := filepath.Split(f.path)
	if len(base) > 200 {
		base = base[:200] // room for the rest of a name of 255 bytes
	}
	for range 1000 {
		temp := dir + "." + base + "." + strconv.FormatUint(uint64(rand.Uint32()), 36) + ".tmp"
		f.file, err = os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if err == nil {
			f.temp = temp
			return f, nil
		}
		if !errors.Is(err, os.ErrExist) {
			break
		}
	}
	return nil, f.wrap(err)
}

// wrap names the file as the user did, not the temporary one.
func (f *AtomicFile) wrap(err error) error {
	if err == nil {
		return nil
	}
	var pe *os.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		err = pe.Err
	case errors.As(err, &le):
		err = le.Err
	}
	return fmt.Errorf("%s: %w", f.name, err)
}

// Write appends p. After a failure all later calls but Abort fail as well.
func (f *AtomicFile) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.file.Write(p)
	f.err = f.wrap(err)
	return n, f.err
}

// Commit makes the file appear under its name: its content is forced to disk
// first, then it is renamed. On an error there is no new file.
func (f *AtomicFile) Commit() error {
	if f.err != nil {
		err := f.err
		f.Abort()
		return err
	}
	if f.file == nil {
		return nil
	}
	if f.temp == "" {
		err := f.file.Close()
		f.file = nil
		return f.wrap(err)
	}
	var err error
	if f.keep {
		err = f.file.Chmod(f.mode)
	}
	if err == nil {
		err = f.file.Sync()
	}
	if err == nil {
		err = f.file.Close()
	}
	if err == nil {
		err = os.Rename(f.temp, f.path)
	}
	if err != nil {
		f.Abort()
		return f.wrap(err)
	}
	f.file = nil
	syncDir(filepath.Dir(f.path))
	return nil
}

// syncDir forces a rename to disk where the system can. If it cannot, the file
// is complete all the same, under one name or the other.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// Abort removes what was written. After Commit it does nothing, so that it can
// be deferred.
func (f *AtomicFile) Abort() {
	if f.file == nil {
		return
	}
	f.file.Close()
	f.file = nil
	f.err = fmt.Errorf("%s: %w", f.name, os.ErrClosed)
	if f.temp != "" {
		os.Remove(f.temp)
	}
}

// SameFile reports whether path is one of the regular files called names, under
// whatever name or link, and returns that name. "-" stands for standard input;
// no names mean it as well.
func SameFile(path string, names []string) (string, bool) {
	out, err := os.Stat(path)
	if err != nil || !out.Mode().IsRegular() {
		return "", false
	}
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, name := range names {
		var in os.FileInfo
		if name == "-" {
			in, err = os.Stdin.Stat()
		} else {
			in, err = os.Stat(name)
		}
		if err == nil && os.SameFile(out, in) {
			return name, true
		}
	}
	return "", false
}
