package stream

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// SpoolMemory is how many bytes a Spool holds in memory unless told otherwise.
const SpoolMemory = 4 << 20

// spoolPending bounds the bytes that wait to be written to the file in one go,
// so that many small writes do not become as many system calls.
const spoolPending = 64 << 10

// A Spool keeps bytes that are written once and read back any number of times:
// in memory as long as they are few, then in a temporary file that has no name,
// so that nothing is left behind however the program ends. The file is made in
// $TMPDIR, or else in /tmp, or in /var/tmp where /tmp is held in memory.
//
// The zero value is an empty spool with the default limit. A Spool is not safe
// for concurrent use.
type Spool struct {
	// Memory is the number of bytes held in memory, [SpoolMemory] if zero. It
	// must not change after the first write.
	Memory int

	mem  []byte   // the first bytes, up to the limit
	file *os.File // the bytes after mem; nil until needed
	dir  string   // where the file is
	size int64    // bytes in file
	pend []byte   // bytes after those in file
	err  error    // first failure to write; sticky until Reset
}

// Len returns the number of bytes in the spool.
func (sp *Spool) Len() int64 {
	return int64(len(sp.mem)) + sp.size + int64(len(sp.pend))
}

// Write appends p. When the disk is full the error says where and wraps
// syscall.ENOSPC; later writes return the same error.
func (sp *Spool) Write(p []byte) (int, error) {
	if sp.err != nil {
		return 0, sp.err
	}
	limit := sp.Memory
	if limit == 0 {
		limit = SpoolMemory
	}
	n := 0
	if sp.size == 0 && len(sp.pend) == 0 && len(sp.mem) < limit {
		n = min(len(p), limit-len(sp.mem))
		sp.grow(len(sp.mem)+n, limit)
		sp.mem = append(sp.mem, p[:n]...)
		p = p[n:]
	}
	if len(p) == 0 {
		return n, nil
	}
	if len(sp.pend)+len(p) > spoolPending {
		if err := sp.drain(); err != nil {
			return n, err
		}
	}
	if len(p) > spoolPending {
		if err := sp.store(p); err != nil {
			return n, err
		}
		return n + len(p), nil
	}
	sp.pend = append(sp.pend, p...)
	return n + len(p), nil
}

// grow makes room for n bytes in memory, in few and large steps: append would
// leave three times the limit behind as garbage.
func (sp *Spool) grow(n, limit int) {
	if n > cap(sp.mem) {
		mem := make([]byte, len(sp.mem), min(max(n, 8*cap(sp.mem), spoolPending), limit))
		copy(mem, sp.mem)
		sp.mem = mem
	}
}

// drain moves the pending bytes to the file.
func (sp *Spool) drain() error {
	if sp.err != nil || len(sp.pend) == 0 {
		return sp.err
	}
	if err := sp.store(sp.pend); err != nil {
		return err
	}
	sp.pend = sp.pend[:0]
	return nil
}

// store writes p at the end of the file, which it makes if there is none.
func (sp *Spool) store(p []byte) error {
	if sp.file == nil {
		sp.dir = spoolDir()
		f, err := openUnnamed(sp.dir)
		if err != nil {
			sp.err = spoolError(sp.dir, err)
			return sp.err
		}
		sp.file = f
	}
	if _, err := sp.file.WriteAt(p, sp.size); err != nil {
		sp.err = spoolError(sp.dir, err)
		return sp.err
	}
	sp.size += int64(len(p))
	return nil
}

// ReadAt reads the bytes at off, as io.ReaderAt.
func (sp *Spool) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, errors.New("spool: negative offset")
	}
	n := 0
	if off < int64(len(sp.mem)) {
		n = copy(p, sp.mem[off:])
		off += int64(n)
	}
	if at := off - int64(len(sp.mem)); n < len(p) && at < sp.size {
		want := int(min(int64(len(p)-n), sp.size-at))
		m, err := sp.file.ReadAt(p[n:n+want], at)
		n, off = n+m, off+int64(m)
		if m < want {
			if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return n, spoolError(sp.dir, err)
		}
	}
	if at := off - int64(len(sp.mem)) - sp.size; n < len(p) && at >= 0 && at < int64(len(sp.pend)) {
		n += copy(p[n:], sp.pend[at:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Reader returns a reader over the spool from its first byte. What is written
// to the spool after a read is seen by the next one.
func (sp *Spool) Reader() *SpoolReader {
	return &SpoolReader{sp: sp}
}

// WriteTo writes all bytes of the spool to w.
func (sp *Spool) WriteTo(w io.Writer) (int64, error) {
	return sp.Reader().WriteTo(w)
}

// Truncate forgets all bytes after the first n. It does nothing if there are
// no more than n.
func (sp *Spool) Truncate(n int64) error {
	if n < 0 {
		return errors.New("spool: negative length")
	}
	inMem, inFile := int64(len(sp.mem)), int64(len(sp.mem))+sp.size
	switch {
	case n >= sp.Len():
		return nil
	case n >= inFile:
		sp.pend = sp.pend[:n-inFile]
		return nil
	case n >= inMem:
		sp.pend = sp.pend[:0]
		sp.size = n - inMem
	default:
		sp.pend = sp.pend[:0]
		sp.size = 0
		sp.mem = sp.mem[:n]
	}
	if sp.file == nil {
		return nil
	}
	if err := sp.file.Truncate(sp.size); err != nil {
		return spoolError(sp.dir, err)
	}
	return nil
}

// Reset forgets all bytes, and an error, but keeps the memory for later use.
// The disk space is given back.
func (sp *Spool) Reset() {
	sp.mem, sp.pend, sp.err = sp.mem[:0], sp.pend[:0], nil
	if sp.size > 0 {
		sp.closeFile()
	}
}

// Close forgets all bytes and gives the memory and the disk space back. The
// spool can be used again.
func (sp *Spool) Close() error {
	sp.mem, sp.pend, sp.err = nil, nil, nil
	return sp.closeFile()
}

func (sp *Spool) closeFile() error {
	f := sp.file
	sp.file, sp.size = nil, 0
	if f == nil {
		return nil
	}
	return f.Close()
}

// spoolError says where a temporary copy could not be kept, and why.
func spoolError(dir string, err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("no room in %s for a temporary copy of the input (TMPDIR names another place): %w", dir, err)
	}
	return fmt.Errorf("cannot keep a temporary copy of the input in %s: %w", dir, err)
}

// createRemoved makes a temporary file in dir and removes its name at once.
func createRemoved(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "jlop-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// A SpoolReader reads a Spool from its beginning.
type SpoolReader struct {
	sp  *Spool
	off int64
}

// Read reads the next bytes, as io.Reader.
func (r *SpoolReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := r.sp.ReadAt(p, r.off)
	r.off += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

// WriteTo writes what has not been read to w, without a copy of what is held
// in memory.
func (r *SpoolReader) WriteTo(w io.Writer) (int64, error) {
	var done int64
	write := func(p []byte) error {
		n, err := w.Write(p)
		done += int64(n)
		r.off += int64(n)
		if err == nil && n < len(p) {
			err = io.ErrShortWrite
		}
		return err
	}
	sp := r.sp
	if r.off < int64(len(sp.mem)) {
		if err := write(sp.mem[r.off:]); err != nil {
			return done, err
		}
	}
	if r.off >= sp.Len() {
		return done, nil
	}
	buf := make([]byte, spoolPending)
	for {
		n, err := sp.ReadAt(buf, r.off)
		if n > 0 {
			if err := write(buf[:n]); err != nil {
				return done, err
			}
		}
		if err == io.EOF {
			return done, nil
		}
		if err != nil {
			return done, err
		}
	}
}
