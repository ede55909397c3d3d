package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
)

// A Kind is the kind of a token.
type Kind uint8

// The kinds of tokens. Commas, colons and white space are no tokens.
const (
	End Kind = iota // no more input
	Null
	False
	True
	Number
	String
	Name // of an object's member
	ObjectBegin
	ObjectEnd
	ArrayBegin
	ArrayEnd
)

var kindNames = [...]string{
	"end of input", "null", "false", "true", "number", "string", "name", "{", "}", "[", "]",
}

// String returns what the kind is called in messages.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

const (
	// pad is how many zero bytes follow the data in the window. NUL is legal
	// nowhere in JSON, so every loop stops there without comparing lengths, and
	// a load of 8 or 64 bytes that begins before it stays in the slice.
	pad = 64

	defaultWindow   = 256 << 10 // fits the second-level cache
	minWindow       = 16        // a pair of surrogate escapes has 12 bytes
	defaultMaxDepth = 10000

	// history is how many consumed bytes stay in the window for the excerpt
	// of an error, in windows of at least historyWindow bytes.
	history       = 64
	historyWindow = 4096

	maxEmptyReads = 100
)

// recordSeparator stands before each value of an RFC 7464 text sequence.
const recordSeparator = 0x1E

// Options of a [Scanner]. The zero value is ready for use.
type Options struct {
	Name     string // of the input, for messages
	Window   int    // bytes of the window, 0 for 256 KiB
	MaxDepth int    // levels of nesting, 0 for 10,000
	Seq      bool   // RFC 7464: accept record separators (0x1E) before top-level values
}

// A Scanner reads a sequence of JSON values token by token, or whole values at a
// time, over one window that it uses again and again, and checks them as it
// goes. It allocates nothing per token.
//
//	for {
//		k, err := s.Next()
//		if err != nil {
//			return err
//		}
//		if k == stream.End {
//			return nil
//		}
//		...
//	}
//
// After an error all methods that read return that error, until [Scanner.Resync]
// or a reset. A Scanner is not safe for concurrent use.
type Scanner struct {
	// The window: buf[pos:end] is to be consumed, buf[end:end+pad] is zero,
	// always, from the first moment on.
	buf      []byte
	pos, end int
	base     int64 // offset of buf[0] in the input
	src      io.Reader
	srcErr   error // what src returned last; nothing more comes

	name     string
	seq      bool
	maxDepth int

	// Where in the grammar: what may come next, how deep it is nested, and
	// where in the innermost container (see record). outer[i] is the record of
	// level i, which encloses level i+1; level 0 is the sequence of values.
	st    Expect
	depth int
	cur   record
	outer []record
	names []savedName // by level, of names that have left the window

	// The token.
	tok      int64 // its offset
	tokA     int   // its place in the window, if held
	tokB     int
	held     hold
	body     Kind     // String, Name or Number of which Chunk has to read more
	after    Expect   // what may come after that body
	checked  int      // up to this index of the window the body is checked
	num      numState // there
	bodyLen  int64    // raw bytes of the body checked so far
	less     int64    // by how much its characters are fewer
	tokLine  int64    // line of tok less 1, and where that line begins,
	tokStart int64    // if tok has left the window
	raw      []byte   // what Text has not decoded yet
	rawTok   int64    // offset of the token it is of
	rawDone  bool     // nothing follows raw
	scratch  []byte   // decoded text

	// Copies of what is consumed.
	tees  [2]io.Writer
	teeAt int64 // offset of the first byte that the writers have not seen

	// Line feeds before buf[0] and offset of the byte after the last of them;
	// the same up to offset seen.
	line, lineStart         int64
	seen                    int64
	seenLine, seenLineStart int64

	longer int // skipTo stops before a string value that is longer

	err error
}

// hold says whether the window holds the whole token.
type hold uint8

const (
	heldNone   hold = iota
	heldWhole       // at buf[tokA:tokB]
	heldPassed      // as well, and Chunk has returned it
)

// An Expect says what a [Scanner] expects next.
type Expect uint8

const (
	ExpectAny     Expect = iota // at top level: a value or the end of the input
	ExpectValue                 // a value: an element after ',' or a member's value after ':'
	ExpectElement               // after '[': an element or ']'
	ExpectMember                // after '{': a name or '}'
	ExpectName                  // a name after ','
	ExpectColon                 // ':' after a name
	ExpectComma                 // after a value in a container: ',' or the end of the container
)

// A record is where in a container the scanner is. For an array it is the
// number of elements begun. For an object it is negative: the complement of
// the offset of the current member's name, or noName.
type record int64

const noName record = math.MinInt64

// NewScanner returns a scanner of what r has. r may return any number of bytes
// at a time, and its error along with the last ones.
func NewScanner(r io.Reader, o Options) *Scanner {
	s := &Scanner{}
	s.Reset(r, o)
	return s
}

// Reset makes s a new scanner of what r has, which keeps the memory of the old.
func (s *Scanner) Reset(r io.Reader, o Options) {
	window := o.Window
	if window <= 0 {
		window = defaultWindow
	}
	window = max(window, minWindow)
	if o.MaxDepth <= 0 {
		o.MaxDepth = defaultMaxDepth
	}
	buf := s.buf
	if len(buf) != window+pad {
		buf = make([]byte, window+pad)
	}
	clear(buf[:pad])
	*s = Scanner{
		buf: buf, src: r,
		name: o.Name, seq: o.Seq, maxDepth: o.MaxDepth,
		outer: s.outer, names: s.names[:0], scratch: s.scratch, longer: noLimit,
	}
	if len(s.outer) > o.MaxDepth || s.outer == nil {
		s.outer = make([]record, min(64, o.MaxDepth))
	}
}

// ResetAt is [Scanner.Reset] for an r that is at a later place of its input: off
// bytes with line-1 line feeds in them have gone before. Here a value, or white
// space before one, has to begin. Columns are right if a line begins here.
func (s *Scanner) ResetAt(r io.Reader, o Options, off, line int64) {
	s.Resume(r, o, State{Offset: off, Line: line, LineStart: off})
}

// limit is the length of the window.
func (s *Scanner) limit() int { return len(s.buf) - pad }

// fill reads more input behind buf[:end]. What is before keep is consumed, and is
// dropped if room is needed: the rest of the window then moves down by the
// number of bytes that fill returns. more is false if there are no new bytes,
// because there is no more input or because buf[keep:] is full.
func (s *Scanner) fill(keep int) (moved int, more bool) {
	limit := s.limit()
	s.pos = keep
	if s.srcErr != nil {
		return 0, false
	}
	// Input that comes in small pieces is appended as long as there is room, so
	// that no byte is moved often.
	carry, room := s.end-keep, limit-s.end
	if room == 0 || carry <= history && room < limit/2 {
		moved = keep
		if limit >= historyWindow && carry <= limit/2 {
			moved = max(0, keep-history)
		}
		if !s.drop(moved, keep) {
			return 0, false
		}
	}
	if s.end == limit {
		return moved, false
	}
	n := 0
	for range maxEmptyReads {
		n, s.srcErr = s.src.Read(s.buf[s.end:limit])
		if n < 0 || n > limit-s.end {
			n, s.srcErr = 0, errors.New("the reader returned an impossible count")
		}
		if n > 0 || s.srcErr != nil {
			break
		}
	}
	if n == 0 && s.srcErr == nil {
		s.srcErr = io.ErrNoProgress
	}
	s.end += n
	clear(s.buf[s.end : s.end+pad])
	return moved, n > 0
}

// drop takes n bytes out of the window, of which keep are consumed, after it has
// passed on and noted what will be asked about them.
func (s *Scanner) drop(n, keep int) bool {
	if err := s.flush(keep); err != nil {
		s.srcErr = err
		return false
	}
	base := s.base + int64(n)
	if s.tok >= s.base && s.tok < base {
		s.tokLine, s.tokStart = s.lineAt(int(s.tok - s.base))
	}
	s.saveNames(base, keep)
	s.line, s.lineStart = s.lineAt(n)
	s.base = base
	copy(s.buf, s.buf[n:s.end])
	s.end -= n
	s.pos -= n
	return true
}

var lineFeed = []byte{'\n'}

// lineAt returns the number of line feeds before window index p, and the offset
// of the byte after the last of them. It counts each byte about once when it is
// asked about rising places.
func (s *Scanner) lineAt(p int) (line, start int64) {
	from := 0
	line, start = s.line, s.lineStart
	if off := s.seen - s.base; off > 0 && off <= int64(p) {
		from, line, start = int(off), s.seenLine, s.seenLineStart
	}
	b := s.buf[from:p]
	if n := bytes.Count(b, lineFeed); n > 0 {
		line += int64(n)
		start = s.base + int64(from+bytes.LastIndexByte(b, '\n')) + 1
	}
	s.seen, s.seenLine, s.seenLineStart = s.base+int64(p), line, start
	return line, start
}

// Position returns the line and the column, both from 1, the column in bytes, of
// an offset that is in the window, or that of the token or value read last.
func (s *Scanner) Position(offset int64) (line, col int64) {
	switch {
	case offset == s.tok && offset < s.base:
		line, col = s.tokLine, offset-s.tokStart
	default:
		var start int64
		p := min(max(offset-s.base, 0), int64(s.end))
		line, start = s.lineAt(int(p))
		col = offset - start
	}
	return line + 1, col + 1
}

// TokenOffset returns the offset of the first byte of the token, or of the value
// that was skipped or copied.
func (s *Scanner) TokenOffset() int64 { return s.tok }

// InputOffset returns how many bytes are consumed. After Next it is the offset
// behind the token, or behind what was read of it if the token is not whole;
// after Peek and More that of the next token; after a [*SyntaxError] that of the
// offending byte.
func (s *Scanner) InputOffset() int64 { return s.base + int64(s.pos) }

// Depth returns how many containers are open.
func (s *Scanner) Depth() int { return s.depth }

// Err returns the error that stopped the scanner, if any. The end of the input
// is none.
func (s *Scanner) Err() error { return s.err }

// level returns the record of level i of the nesting, from 1.
func (s *Scanner) level(i int) record {
	if i == s.depth {
		return s.cur
	}
	return s.outer[i]
}

// Index returns the index, from 0, of the element of the innermost open array
// that was read last or, after More and Peek, comes next: -1 before its first
// element or if no array is open.
func (s *Scanner) Index() int64 {
	for i := s.depth; i > 0; i-- {
		if r := s.level(i); r >= 0 {
			return int64(r) - 1
		}
	}
	return -1
}

// push opens a container at window index p.
func (s *Scanner) push(p int, r record, st Expect) error {
	if s.depth == len(s.outer) {
		if err := s.deepen(p); err != nil {
			return err
		}
	}
	s.outer[s.depth] = s.cur
	s.depth++
	s.cur, s.st = r, st
	return nil
}

// deepen makes room for more levels, for the container at window index p.
func (s *Scanner) deepen(p int) error {
	if s.depth >= s.maxDepth {
		return s.failText(p, fmt.Sprintf("nested deeper than %d levels", s.maxDepth))
	}
	s.outer = append(s.outer, make([]record, min(len(s.outer)+64, s.maxDepth-len(s.outer)))...)
	return nil
}

// pop closes the innermost container.
func (s *Scanner) pop() {
	s.depth--
	s.cur = s.outer[s.depth]
	s.st = s.afterValue()
}

// afterValue is what may come after a value at this depth.
func (s *Scanner) afterValue() Expect {
	if s.depth == 0 {
		return ExpectAny
	}
	return ExpectComma
}
