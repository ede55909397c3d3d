package stream

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// StdinName is what standard input is called in messages.
const StdinName = "<stdin>"

const (
	// dropSize is how much is read at a time when input is passed over.
	dropSize = 256 << 10
	// packedSize is how much compressed input is read at a time.
	packedSize = 128 << 10
	// trailSize is how many bytes before its target [Source.SeekTo] keeps at
	// hand where it has to read its way forward.
	trailSize = 4 << 10
	// maxZstdWindow bounds the memory a zstd frame may ask for. It is what
	// RFC 8878 section 3.1.1.1.2 tells every decoder to support, and what all
	// levels of zstd but --ultra and --long stay within.
	maxZstdWindow = 8 << 20
)

// codec is how an input is compressed.
type codec uint8

const (
	codecUnknown codec = iota // nothing has been read yet
	codecNone
	codecGzip
	codecZstd
)

// A Source is one input: a file, a pipe, or standard input, plain or compressed
// with gzip (RFC 1952) or zstd (RFC 8878), which it recognises by the first
// bytes. All offsets count decoded bytes from the place where reading began,
// which for standard input need not be the beginning of its file.
//
// Errors name the source. A Source is not safe for concurrent use.
type Source struct {
	// BeforeRead, if not nil, is called before each read that may have to wait
	// for another process, so that what was written so far can be flushed.
	BeforeRead func()
	// OnRead, if not nil, is called with the number of decoded bytes after each
	// read.
	OnRead func(n int)

	name    string
	raw     io.Reader // the bytes as stored
	file    *os.File  // raw, if it is a file
	own     bool      // Close closes file
	regular bool      // file is a regular file
	start   int64     // offset in file of the first byte
	codec   codec
	head    []byte    // read to recognise the codec, not yet passed on
	in      io.Reader // decoded bytes, behind head when there is no codec
	zstd    *zstd.Decoder
	off     int64 // of the next byte to be given
	keep    *Spool
	trail   []byte // the last bytes given, at least trailN of them
	trailN  int
	first   []byte // the first bytes given, at most headSize
}

// Open opens the file called name, or standard input if name is "-". It does
// not read yet, except from regular files.
func Open(name string, stdin io.Reader) (*Source, error) {
	s := &Source{name: name}
	if name == "-" {
		s.name, s.raw = StdinName, stdin
		if stdin == nil {
			s.raw = os.Stdin
		}
		s.file, _ = s.raw.(*os.File)
	} else {
		f, err := os.Open(name)
		if err != nil {
			return nil, s.wrap(err)
		}
		s.raw, s.file, s.own = f, f, true
	}
	if s.file != nil {
		if err := s.examine(); err != nil {
			if s.own {
				s.file.Close()
			}
			return nil, err
		}
	}
	return s, nil
}

// examine finds out what kind of file the input is.
func (s *Source) examine() error {
	fi, err := s.file.Stat()
	if err != nil {
		return s.wrap(err)
	}
	switch mode := fi.Mode(); {
	case mode.IsDir():
		return fmt.Errorf("%s: is a directory", s.name)
	case mode&os.ModeNamedPipe != 0:
		growPipe(s.file)
	case mode.IsRegular():
		start, err := s.file.Seek(0, io.SeekCurrent)
		// A file that says it is empty is read like a pipe: it is at its end, or
		// it is one of /proc, which have no size.
		if err != nil || start >= fi.Size() {
			return nil
		}
		var head [4]byte
		n, err := s.file.ReadAt(head[:], start)
		if err != nil && err != io.EOF {
			return s.wrap(err)
		}
		s.regular, s.start = true, start
		s.codec = recognise(head[:n])
	}
	return nil
}

// Magic numbers: RFC 1952 section 2.3.1 with CM 8, RFC 8878 sections 3.1.1 and
// 3.1.2. None of them begins a JSON text.
const (
	gzipMagic = "\x1f\x8b\x08"
	zstdMagic = "\x28\xb5\x2f\xfd"
	skipMagic = "\x2a\x4d\x18" // of a skippable frame, after a byte 0x50 to 0x5f
)

// recognise returns the codec of an input that begins with head, codecUnknown
// if more bytes are needed to tell. Four bytes are always enough.
func recognise(head []byte) codec {
	unsure := false
	match := func(magic string, head []byte, c codec) codec {
		n := min(len(magic), len(head))
		if string(head[:n]) != magic[:n] {
			return codecNone
		}
		if n < len(magic) {
			unsure = true
			return codecNone
		}
		return c
	}
	if c := match(gzipMagic, head, codecGzip); c != codecNone {
		return c
	}
	if c := match(zstdMagic, head, codecZstd); c != codecNone {
		return c
	}
	if len(head) > 0 && head[0]&0xf0 == 0x50 {
		if c := match(skipMagic, head[1:], codecZstd); c != codecNone {
			return c
		}
	}
	if unsure {
		return codecUnknown
	}
	return codecNone
}

// wrap gives an error of the operating system or of a decoder the source's name.
func (s *Source) wrap(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	switch {
	case s.codec == codecZstd && (errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded)):
		err = fmt.Errorf("the zstd window is larger than %d MiB (zstd -d --long=31 reads it): %w", maxZstdWindow>>20, err)
	case s.codec > codecNone && errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("the compressed data ends too early: %w", err)
	}
	return fmt.Errorf("%s: %w", s.name, err)
}

// Name returns what the source is called in messages.
func (s *Source) Name() string { return s.name }

// Regular reports whether the source is an uncompressed regular file: whether
// any place in it can be reached at once.
func (s *Source) Regular() bool { return s.regular && s.codec == codecNone }

// Size returns the number of bytes of a regular file as it is now, counted from
// where reading began. It is false for all other sources.
func (s *Source) Size() (int64, bool) {
	if !s.Regular() {
		return 0, false
	}
	fi, err := s.file.Stat()
	if err != nil {
		return 0, false
	}
	return max(fi.Size()-s.start, 0), true
}

// Offset returns the number of bytes before the next one that Read gives.
func (s *Source) Offset() int64 { return s.off }

// Keep makes the source one that can be read again: what is read from a pipe
// goes to a [Spool] as well. Regular files, compressed or not, are read again
// from disk instead. It must be called before the first read.
func (s *Source) Keep() {
	if !s.regular && s.keep == nil {
		s.keep = new(Spool)
	}
}

// Trail makes the last n bytes given remain at hand for [Source.ReadBefore]
// where the source itself cannot be asked for them.
func (s *Source) Trail(n int) { s.trailN = max(s.trailN, n) }

// Read reads decoded bytes.
func (s *Source) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := s.read(p)
	s.noteHead(p[:n], s.off)
	s.off += int64(n)
	if s.OnRead != nil {
		s.OnRead(n)
	}
	if s.trailN > 0 && !s.Regular() {
		s.remember(p[:n])
	}
	return n, err
}

func (s *Source) read(p []byte) (int, error) {
	if s.keep != nil && s.off < s.keep.Len() {
		n, err := s.keep.ReadAt(p, s.off)
		if n > 0 && err == io.EOF {
			err = nil
		}
		return n, err
	}
	if s.in == nil {
		if err := s.begin(); err != nil {
			return 0, s.wrap(err)
		}
	}
	if len(s.head) > 0 {
		n := copy(p, s.head)
		s.head = s.head[n:]
		return n, s.store(p[:n])
	}
	n, err := s.in.Read(p)
	if n > 0 {
		if err := s.store(p[:n]); err != nil {
			return n, err
		}
	}
	return n, s.wrap(err)
}

// store keeps a copy of p for a later pass.
func (s *Source) store(p []byte) error {
	if s.keep == nil {
		return nil
	}
	if _, err := s.keep.Write(p); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

// remember keeps the last bytes given. The slice grows to twice what is wanted
// before it is cut, so that many small reads do not move it each time.
func (s *Source) remember(p []byte) {
	if len(p) >= s.trailN {
		s.trail = append(s.trail[:0], p[len(p)-s.trailN:]...)
		return
	}
	if len(s.trail)+len(p) > 2*s.trailN {
		n := copy(s.trail, s.trail[len(s.trail)-s.trailN:])
		s.trail = s.trail[:n]
	}
	s.trail = append(s.trail, p...)
}

// rawReader reads the bytes of a Source as they are stored.
type rawReader struct{ s *Source }

func (r rawReader) Read(p []byte) (int, error) {
	if !r.s.regular && r.s.BeforeRead != nil {
		r.s.BeforeRead()
	}
	return r.s.raw.Read(p)
}

// begin recognises the codec, if Open could not, and sets up decoding.
func (s *Source) begin() error {
	raw := rawReader{s}
	var head []byte
	for s.codec == codecUnknown {
		var b [4]byte
		n, err := raw.Read(b[:4-len(head)])
		head = append(head, b[:n]...)
		if s.codec = recognise(head); s.codec == codecUnknown && err != nil {
			s.codec = codecNone
		}
		if err != nil && err != io.EOF {
			return err
		}
		if err == io.EOF && len(head) == 0 {
			return err
		}
	}
	return s.decode(head, raw)
}

// decode sets up the decoder for an input that begins with head, which has been
// read already, and goes on with raw.
func (s *Source) decode(head []byte, raw io.Reader) error {
	if s.codec == codecNone {
		s.head, s.in = head, raw
		return nil
	}
	packed := raw
	if len(head) > 0 {
		packed = io.MultiReader(bytes.NewReader(head), raw)
	}
	buf := bufio.NewReaderSize(packed, packedSize)
	if s.codec == codecGzip {
		z, err := gzip.NewReader(buf)
		if err != nil {
			return err
		}
		s.in = z
		return nil
	}
	z, err := zstd.NewReader(buf,
		zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxZstdWindow),
		zstd.WithDecoderMaxMemory(1<<63))
	if err != nil {
		return err
	}
	s.in, s.zstd = z, z
	return nil
}

// Rewind goes back to the first byte. A pipe must have been kept.
func (s *Source) Rewind() error { return s.SeekTo(0) }

// SeekTo makes off the offset of the next byte that Read gives. It takes the
// same time for any offset in an uncompressed regular file and in what was
// kept. In all other sources the bytes up to off are read and dropped; to go
// back there is an error, except in compressed files, which are decoded again
// from the beginning.
func (s *Source) SeekTo(off int64) error {
	switch {
	case off < 0:
		return fmt.Errorf("%s: negative offset %d", s.name, off)
	case off == s.off:
		return nil
	case s.Regular():
		if size, ok := s.Size(); ok && off > size {
			return s.beyond(off, size)
		}
		if _, err := s.file.Seek(s.start+off, io.SeekStart); err != nil {
			return s.wrap(err)
		}
		s.off, s.in, s.head = off, rawReader{s}, nil
		return nil
	case s.keep != nil && (off < s.off || s.off < s.keep.Len()):
		s.trail = s.trail[:0]
		s.off = min(off, s.keep.Len())
	case off < s.off && s.regular:
		if _, err := s.file.Seek(s.start, io.SeekStart); err != nil {
			return s.wrap(err)
		}
		s.closeDecoder()
		s.off, s.trail = 0, s.trail[:0]
	case off < s.off:
		return fmt.Errorf("%s: cannot go back in a pipe", s.name)
	}
	return s.drop(off)
}

// beyond is the error of seeking past the end.
func (s *Source) beyond(off, size int64) error {
	return &BeyondError{Name: s.name, Offset: off, Size: size}
}

// A BeyondError says that a place was asked for that the input does not have.
type BeyondError struct {
	Name   string
	Offset int64 // what was asked for
	Size   int64 // what there is
}

func (e *BeyondError) Error() string {
	return fmt.Sprintf("%s: offset %d is beyond the end of the input at %d", e.Name, e.Offset, e.Size)
}

// drop reads up to off.
func (s *Source) drop(off int64) error {
	if s.off == off {
		return nil
	}
	s.Trail(trailSize)
	buf := make([]byte, min(dropSize, off-s.off))
	for s.off < off {
		n, err := s.Read(buf[:min(int64(len(buf)), off-s.off)])
		if err == io.EOF && s.off < off {
			return s.beyond(off, s.off)
		}
		if err != nil && err != io.EOF {
			return err
		}
		if n == 0 && err == nil {
			continue
		}
	}
	return nil
}

// atEnd reports whether there is nothing more to read. It may have to wait.
func (s *Source) atEnd() (bool, error) {
	if s.keep != nil && s.off < s.keep.Len() {
		return false, nil
	}
	if size, ok := s.Size(); ok {
		return s.off >= size, nil
	}
	if s.in == nil {
		if err := s.begin(); err != nil {
			if err == io.EOF {
				return true, nil
			}
			return false, s.wrap(err)
		}
	}
	for len(s.head) == 0 {
		var b [1]byte
		n, err := s.in.Read(b[:])
		s.head = append(s.head, b[:n]...)
		if n == 0 && err == io.EOF {
			return true, nil
		}
		if err != nil && err != io.EOF {
			return false, s.wrap(err)
		}
	}
	return false, nil
}

// ReadBefore returns the n bytes before off, fewer if off is less than n. In a
// regular file and in what was kept any place will do; elsewhere the bytes
// must be within what [Source.Trail] asked for, or before the target of the
// last SeekTo.
func (s *Source) ReadBefore(off int64, n int) ([]byte, error) {
	if off < 0 || n < 0 {
		return nil, fmt.Errorf("%s: negative offset", s.name)
	}
	n = int(min(int64(n), off))
	from := off - int64(n)
	buf := make([]byte, n)
	if n == 0 {
		return buf, nil
	}
	var err error
	switch first := s.off - int64(len(s.trail)); {
	case s.Regular():
		_, err = s.file.ReadAt(buf, s.start+from)
	case s.keep != nil && off <= s.keep.Len():
		_, err = s.keep.ReadAt(buf, from)
	case from >= first && off <= s.off:
		copy(buf, s.trail[from-first:])
	default:
		return nil, fmt.Errorf("%s: the %d bytes before offset %d are no longer at hand", s.name, n, off)
	}
	if err == io.EOF {
		size, _ := s.Size()
		return nil, s.beyond(off, size)
	}
	return buf, s.wrap(err)
}

func (s *Source) closeDecoder() {
	if s.zstd != nil {
		s.zstd.Close()
	}
	s.zstd, s.in, s.head = nil, nil, nil
}

// Close closes the file, unless it is standard input, and gives up what was
// kept.
func (s *Source) Close() error {
	s.closeDecoder()
	var err error
	if s.keep != nil {
		err = s.keep.Close()
	}
	if s.own {
		err = errors.Join(err, s.wrap(s.file.Close()))
	}
	return err
}
