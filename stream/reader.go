package stream

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A Policy says what becomes of a value that is not JSON.
type Policy uint8

const (
	// Fail ends the run with the error.
	Fail Policy = iota
	// Pass copies the value unchanged.
	Pass
	// Skip leaves the value out.
	Skip
)

// String returns the name Set takes.
func (p Policy) String() string {
	switch p {
	case Pass:
		return "pass"
	case Skip:
		return "skip"
	}
	return "fail"
}

// Set makes p the policy called name; with String it is a flag.Value.
func (p *Policy) Set(name string) error {
	for _, q := range []Policy{Fail, Pass, Skip} {
		if q.String() == name {
			*p = q
			return nil
		}
	}
	return fmt.Errorf("want fail, pass or skip")
}

// ReaderOptions are the options of a [Reader]. The zero value reads JSON from
// files and os.Stdin and stops at the first error.
type ReaderOptions struct {
	// Stdin is what the name "-" stands for, os.Stdin if nil.
	Stdin io.Reader
	// Raw makes the inputs together one text instead of JSON.
	Raw bool
	// Seq reads JSON text sequences (RFC 7464).
	Seq bool
	// Window is the size of the scanner's window, see [Options].
	Window int
	// Invalid is what becomes of a value that is not JSON.
	Invalid Policy
	// PassTo is where Pass copies such a value, the writer given to Next if nil.
	PassTo io.Writer
	// Keep makes Rewind and going back with SeekTo possible on pipes.
	Keep bool
	// Trail is how many bytes remain at hand for ReadBefore on pipes.
	Trail int
	// OnError, if not nil, is called with each error that does not end the run:
	// an input that cannot be opened, a value that is not JSON under Pass and
	// Skip. A second pass does not report it again.
	OnError func(error)
	// BeforeRead, if not nil, is called before each read that may have to wait.
	BeforeRead func()
	// OnRead, if not nil, is called with the number of decoded bytes after each
	// read.
	OnRead func(n int)
}

// A Reader reads the values of several inputs as one stream. No value spans two
// inputs: where one ends, so does the value in it.
//
//	for {
//		ok, err := r.Next(w)
//		if err != nil || !ok {
//			return err
//		}
//		w.Begin()
//		err = w.CopyValue(r.Scanner())
//		w.End()
//	}
//
// A Reader is not safe for concurrent use.
type Reader struct {
	o     ReaderOptions
	names []string

	held map[int]*Source // inputs that cannot be opened a second time
	i    int             // index of the next input
	src  *Source         // the current input; nil between two
	base int64           // offset of src in the concatenation

	in    *Scanner // over src
	out   *Scanner // what the caller gets: in, or one over rec
	rec   Spool    // under Pass and Skip: the value, after it was found valid
	recIn SpoolReader
	gap   gapWriter
	given bool  // a value was given since the scanner was set
	at    place // the scanner's place then
	bare  bool  // the last byte passed on was the end of a value

	text     []byte // under Raw: the window, of which [p:e] is to be given
	p, e     int
	pos      int64 // offset of text[p] in the concatenation
	replaced int64

	record int64
	head   []byte // the first bytes of the inputs, as far as they were asked for
	errs   int
	told   [2]int64 // input and offset of the last error that was reported
}

// NewReader returns a Reader of the inputs called names, in order: files, and
// "-" for standard input, which no names mean as well. Nothing is opened yet.
func NewReader(names []string, o ReaderOptions) *Reader {
	if len(names) == 0 {
		names = []string{"-"}
	}
	return &Reader{o: o, names: names, record: -1, told: [2]int64{-1, -1}}
}

func (r *Reader) options() Options {
	return Options{Name: r.src.Name(), Window: r.o.Window, Seq: r.o.Seq}
}

// soft notes an error that does not end the run.
func (r *Reader) soft(input int, off int64, err error) {
	if int64(input) < r.told[0] || int64(input) == r.told[0] && off <= r.told[1] {
		return
	}
	r.told = [2]int64{int64(input), off}
	r.errs++
	if r.o.OnError != nil {
		r.o.OnError(err)
	}
}

// Errors returns the number of errors so far that did not end the run.
func (r *Reader) Errors() int { return r.errs }

// open opens the next input that can be opened. It is false after the last.
func (r *Reader) open() (bool, error) {
	for r.i < len(r.names) {
		i := r.i
		r.i++
		if src := r.held[i]; src != nil {
			if err := src.Rewind(); err != nil {
				return false, err
			}
			r.use(src)
			return true, nil
		}
		src, err := Open(r.names[i], r.o.Stdin)
		if err != nil {
			r.soft(i, 0, err)
			continue
		}
		src.OnRead = r.o.OnRead
		if r.o.BeforeRead != nil {
			src.BeforeRead = r.beforeRead
		}
		src.Trail(r.o.Trail)
		if r.o.Keep {
			src.Keep()
		}
		if r.names[i] == "-" || src.keep != nil {
			if r.held == nil {
				r.held = make(map[int]*Source)
			}
			r.held[i] = src
		}
		r.use(src)
		return true, nil
	}
	return false, nil
}

// beforeRead hands on what has been consumed before it lets the caller flush:
// the line feed behind a record must not wait for the next record.
func (r *Reader) beforeRead() {
	if r.in != nil {
		// The writer's error comes up again at the next write.
		_ = r.in.flush(r.in.pos)
	}
	r.o.BeforeRead()
}

// use makes src the current input.
func (r *Reader) use(src *Source) {
	r.src = src
	if !r.o.Raw {
		r.reset()
	}
}

// reset sets the scanners to the place the current input is at.
func (r *Reader) reset() {
	r.given = false
	r.p, r.e, r.pos = 0, 0, r.base
	if r.src == nil {
		return
	}
	off := r.src.Offset()
	r.pos += off
	switch {
	case r.o.Raw:
		return
	case r.in == nil:
		r.in = NewScanner(r.src, r.options())
		r.out = r.in
	}
	if off == 0 {
		r.in.Reset(r.src, r.options())
	} else {
		r.in.ResetAt(r.src, r.options(), off, 1)
	}
	if r.o.Invalid != Fail && r.out == r.in {
		r.out = NewScanner(nil, r.options())
	}
}

// leave ends the current input, which has size bytes.
func (r *Reader) leave(size int64) error {
	src := r.src
	if r.base == 0 {
		head, err := src.headBytes()
		if err != nil {
			return err
		}
		r.head = append(r.head[:0], head...)
	}
	r.src = nil
	r.base += size
	if r.held[r.i-1] == src {
		return nil
	}
	return src.Close()
}

// Scanner returns the scanner of the current value, which stands before the
// value after Next. It must be asked for after each Next. It is nil under Raw.
func (r *Reader) Scanner() *Scanner { return r.out }

// Source returns the current input, nil between two and at the end.
func (r *Reader) Source() *Source { return r.src }

// Record returns the number of the value that Next came to last, from 0,
// counted over all inputs since the beginning or the last SeekTo.
func (r *Reader) Record() int64 { return max(r.record, 0) }

// Offset returns the number of decoded bytes of all inputs before the place
// reached. Under Raw it is the end of the last piece of text.
func (r *Reader) Offset() int64 {
	switch {
	case r.o.Raw:
		return r.pos
	case r.src == nil:
		return r.base
	case r.given:
		return r.base + r.out.InputOffset()
	}
	return r.base + r.in.InputOffset()
}

// gapWriter passes on the white space between values, without marks that are
// not part of it, and notes whether there was any.
type gapWriter struct {
	w   io.Writer
	any bool
}

func (g *gapWriter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := 0
		for n < len(rest) && isSpace(rest[n]) {
			n++
		}
		if n > 0 {
			g.any = true
			if g.w != nil {
				if _, err := g.w.Write(rest[:n]); err != nil {
					return 0, err
				}
			}
			rest = rest[n:]
			continue
		}
		rest = rest[1:]
	}
	return len(p), nil
}

// lastWriter passes on what is written to it and notes its last byte.
type lastWriter struct {
	w    io.Writer
	last byte
}

func (l *lastWriter) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.last = p[len(p)-1]
	}
	return l.w.Write(p)
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// Next goes to before the next value, over what the caller left of the last
// one. White space before it is copied to gap, if that is not nil, as it is
// found; a byte order mark and the record separators of RFC 7464 are dropped. A
// line feed stands in for the end of an input that does not end in white space.
//
// It is false after the last value. The error is a *[SyntaxError] if the value
// is not JSON and the policy is Fail, one of reading, or one of gap.
func (r *Reader) Next(gap io.Writer) (bool, error) {
	if r.o.Raw {
		return r.nextText()
	}
	if err := r.finish(); err != nil {
		return false, err
	}
	for {
		if r.src == nil {
			if ok, err := r.open(); !ok || err != nil {
				return false, err
			}
		}
		first := r.in.InputOffset() == 0
		r.gap = gapWriter{w: gap}
		err := r.in.SkipSpace(&r.gap)
		if r.gap.any {
			r.bare = false
		}
		kind := End
		if err == nil {
			kind, err = r.in.Peek()
		}
		if err == nil && kind == End {
			if err := r.leave(r.in.InputOffset()); err != nil {
				return false, err
			}
			continue
		}
		if r.bare && first && gap != nil {
			if _, err := gap.Write([]byte{'\n'}); err != nil {
				return false, err
			}
		}
		if r.o.Invalid != Fail {
			var ok bool
			if ok, err = r.check(gap, err); err == nil && !ok {
				continue
			}
		}
		if err != nil {
			return false, err
		}
		r.record++
		r.bare = true
		r.given, r.at = true, placeOf(r.in)
		return true, nil
	}
}

// A place tells whether a scanner has read anything: before a value it has not if
// no place and no count has changed.
type place struct{ input, token, chars int64 }

func placeOf(s *Scanner) place { return place{s.InputOffset(), s.TokenOffset(), s.Chars()} }

// finish consumes what the caller left of the current value.
func (r *Reader) finish() error {
	if !r.given {
		return nil
	}
	r.given = false
	switch {
	case r.out != r.in:
		return nil
	case placeOf(r.in) == r.at:
		return r.in.Skip()
	}
	return r.in.SkipTo(0)
}

// check finds out whether the value before which the scanner stands is valid,
// holding it meanwhile. If so, it sets the scanner for the caller to what was
// held. If not, the bytes are passed on or dropped and it is false. bad is the
// error of the value's first byte, if there was one.
func (r *Reader) check(gap io.Writer, bad error) (bool, error) {
	before := r.in.State()
	start := r.in.InputOffset()
	r.rec.Reset()
	r.in.Tee(&r.rec)
	if bad == nil {
		bad = r.in.Skip()
	}
	if err := r.in.StopTee(); err != nil {
		return false, err
	}
	if bad == nil {
		r.recIn = SpoolReader{sp: &r.rec}
		r.out.Resume(&r.recIn, r.options(), before)
		r.out.prime(before.before)
		return true, nil
	}
	var syntax *SyntaxError
	if !errors.As(bad, &syntax) {
		return false, bad
	}
	r.soft(r.i-1, start, bad)
	var to io.Writer
	if r.o.Invalid == Pass {
		if to = r.o.PassTo; to == nil {
			to = gap
		}
	}
	if to != nil {
		passed := &lastWriter{w: to}
		defer func() { r.bare = passed.last != '\n' }()
		to = passed
		if r.o.Seq {
			if _, err := to.Write([]byte{recordSeparator}); err != nil {
				return false, err
			}
		}
		if _, err := r.rec.WriteTo(to); err != nil {
			return false, err
		}
	}
	if !r.o.Seq && syntax.Offset > start && syntax.Col == 1 && strings.HasPrefix(string(syntax.Excerpt), "{") {
		// A record that lacks its end, and behind it one that begins a line.
		r.in.restart()
		return false, nil
	}
	return false, r.in.Resync(to)
}

// restart makes s forget a [*SyntaxError] and expect a value at top level where
// it is.
func (s *Scanner) restart() {
	s.err = nil
	s.body, s.held = End, heldNone
	s.st, s.depth, s.cur = ExpectAny, 0, 0
}

// nextText makes the one text of all inputs the current value.
func (r *Reader) nextText() (bool, error) {
	if r.record >= 0 {
		return false, nil
	}
	if r.src == nil {
		if ok, err := r.open(); !ok || err != nil {
			return false, err
		}
		r.reset()
	}
	r.record = 0
	return true, nil
}

// replacement stands for a byte that is not UTF-8.
var replacement = []byte("\uFFFD")

// Text returns the next piece of the current string's text, decoded; under Raw
// that is the text of the inputs. No piece ends inside a character. The slice is
// valid until the next call. After the last piece done is true.
//
// Under Raw a piece is either the bytes of the input as they are, or one U+FFFD
// for one byte that is not UTF-8, so that Offset tells where each came from.
func (r *Reader) Text() (piece []byte, done bool, err error) {
	if !r.o.Raw {
		return r.out.Text()
	}
	for {
		if n := validPrefix(r.text[r.p:r.e]); n > 0 {
			piece = r.text[r.p : r.p+n]
			r.p += n
			r.pos += int64(n)
			return piece, false, nil
		}
		full := r.p < r.e && utf8.FullRune(r.text[r.p:r.e])
		if !full {
			more, err := r.fill()
			if err != nil {
				return nil, false, err
			}
			if more {
				continue
			}
			if r.p == r.e {
				return nil, true, nil
			}
		}
		r.p++
		r.pos++
		r.replaced++
		return replacement, false, nil
	}
}

// Replaced returns the number of bytes for which U+FFFD was given.
func (r *Reader) Replaced() int64 { return r.replaced }

// fill reads more text behind the few bytes left of the last. It is false at
// the end of the last input.
func (r *Reader) fill() (bool, error) {
	if r.text == nil {
		size := r.o.Window
		if size == 0 {
			size = defaultWindow
		}
		r.text = make([]byte, max(size, 2*utf8.UTFMax))
	}
	r.e = copy(r.text, r.text[r.p:r.e])
	r.p = 0
	for {
		if r.src == nil {
			if ok, err := r.open(); !ok || err != nil {
				return false, err
			}
		}
		n, err := r.src.Read(r.text[r.e:])
		r.e += n
		if n > 0 {
			return true, nil
		}
		if err == io.EOF {
			err = r.leave(r.src.Offset())
		}
		if err != nil {
			return false, err
		}
	}
}

// validPrefix returns the length of the longest prefix of p that is UTF-8.
func validPrefix(p []byte) int {
	const block = 4 << 10
	i := 0
	for i < len(p) {
		end := min(i+block, len(p))
		for range utf8.UTFMax - 1 {
			if end < len(p) && !utf8.RuneStart(p[end]) {
				end--
			}
		}
		if !utf8.Valid(p[i:end]) {
			break
		}
		i = end
	}
	for i < len(p) {
		_, n := utf8.DecodeRune(p[i:])
		if n == 1 && p[i] >= utf8.RuneSelf {
			break
		}
		i += n
	}
	return i
}

// Rewind goes back to the first value. Pipes must have been kept.
func (r *Reader) Rewind() error { return r.SeekTo(0) }

// SeekTo goes on at offset off of the concatenation of the decoded inputs, which
// must be between two values, or under Raw between two characters. Uncompressed
// regular files are passed over without reading them; for others see
// [Source.SeekTo]. At the border of two inputs it goes to the second. Lines are
// counted from there. Beyond the end the error is a *[BeyondError].
func (r *Reader) SeekTo(off int64) error {
	if off < 0 {
		return fmt.Errorf("negative offset %d", off)
	}
	if r.src == nil || off < r.base {
		if err := r.restart(); err != nil {
			return err
		}
	}
	name := ""
	for {
		if r.src == nil {
			ok, err := r.open()
			if err != nil {
				return err
			}
			if !ok && off > r.base {
				return &BeyondError{Name: name, Offset: off, Size: r.base}
			}
			if !ok {
				break
			}
		}
		name = r.src.Name()
		size, ok := int64(0), false
		err := r.src.SeekTo(off - r.base)
		var beyond *BeyondError
		switch {
		case errors.As(err, &beyond):
			size, ok = beyond.Size, true
		case err != nil:
			return err
		case r.i < len(r.names):
			size = off - r.base
			if ok, err = r.src.atEnd(); err != nil {
				return err
			}
		}
		if !ok {
			break
		}
		if err := r.leave(size); err != nil {
			return err
		}
	}
	r.record, r.bare = -1, false
	r.reset()
	return nil
}

// restart goes back to before the first input.
func (r *Reader) restart() error {
	if r.src != nil {
		if err := r.leave(0); err != nil {
			return err
		}
	}
	r.i, r.base = 0, 0
	return nil
}

// ReadBefore returns the n bytes before offset off of the concatenation, fewer
// if the current input, in which off must be, begins less than n bytes before.
// See [Source.ReadBefore].
func (r *Reader) ReadBefore(off int64, n int) ([]byte, error) {
	if r.src == nil && off == r.base {
		return nil, nil
	}
	if r.src == nil || off < r.base {
		return nil, fmt.Errorf("the %d bytes before offset %d are no longer at hand", n, off)
	}
	return r.src.ReadBefore(off-r.base, n)
}

// Close closes all inputs.
func (r *Reader) Close() error {
	err := r.restart()
	for i, src := range r.held {
		err = errors.Join(err, src.Close())
		delete(r.held, i)
	}
	r.i = len(r.names)
	return errors.Join(err, r.rec.Close())
}
