package ops

import (
	"bytes"
	"math"
	"unicode/utf8"

	"jlop/stream"
	"jlop/tokenize"
)

// A textSource gives the pieces of one text: the body of a JSON string, or
// plain text. Pieces are raw, as they stand in the input, and end at character
// boundaries.
type textSource interface {
	// Chunk returns the next piece, valid until the next call; done comes with
	// the last one.
	Chunk() (raw []byte, done bool, err error)
	// decode appends the text of raw.
	decode(dst, raw []byte) []byte
	// given is the number of characters of the pieces so far.
	given() int64
	// boundary is the first place at or after i where raw may be cut.
	boundary(raw []byte, i int) int
}

// jsonText is the body of the JSON string that a scanner has just reported.
type jsonText struct{ *stream.Scanner }

func (jsonText) decode(dst, raw []byte) []byte  { return stream.AppendText(dst, raw) }
func (t jsonText) given() int64                 { return t.Chars() }
func (jsonText) boundary(raw []byte, i int) int { return boundaryAfter(raw, i) }

// plainText is the text of all inputs. What is not UTF-8 becomes U+FFFD, byte by
// byte.
type plainText struct {
	r     *stream.Reader
	chars int64 // of the pieces so far
}

// notUTF8 stands for a byte that is not UTF-8 in raw text.
var notUTF8 = []byte{0xFF}

func (p *plainText) Chunk() ([]byte, bool, error) {
	before := p.r.Replaced()
	text, done, err := p.r.Text()
	p.chars += countChars(text)
	if p.r.Replaced() > before {
		text = notUTF8
	}
	return text, done, err
}

func (*plainText) decode(dst, raw []byte) []byte {
	if utf8.Valid(raw) {
		return append(dst, raw...)
	}
	for len(raw) > 0 {
		c, n := utf8.DecodeRune(raw)
		dst = utf8.AppendRune(dst, c)
		raw = raw[n:]
	}
	return dst
}

func (p *plainText) given() int64                 { return p.chars }
func (*plainText) boundary(raw []byte, i int) int { return runeCeil(raw, i) }

// rawLen is the length of the raw form of the first n bytes of head.
func (t *heldText) rawLen(n int) int {
	if t.escaped {
		return rawLength(t.rawHead, n)
	}
	return t.plainLen(n)
}

// rawLength is how many bytes of the raw body of a JSON string hold the first n
// bytes of its text.
func rawLength(body []byte, n int) int {
	i := 0
	var one [8]byte
	for n > 0 && i < len(body) {
		size := 1
		if body[i] == '\\' {
			size = stream.RawLen(body[i:])
		}
		n -= len(stream.AppendText(one[:0], body[i:i+size]))
		i += size
	}
	return i
}

func (t *heldText) plainLen(n int) int {
	i := 0
	for n > 0 && i < len(t.rawHead) {
		c, size := utf8.DecodeRune(t.rawHead[i:])
		n -= utf8.RuneLen(c)
		i += size
	}
	return i
}

// heldText is what is kept of a text that is too long: enough of its head and
// of its tail to fill the budget, and totals over all of it.
type heldText struct {
	head, tail []byte // decoded; the same bytes if joined
	rawHead    []byte // the raw form of head; may be longer
	escaped    bool   // the raw form is the body of a JSON string
	joined     bool   // the whole text is held
	chars      int64  // of the whole text
	bytes      int64  // of the whole text, raw
	tokens     int64  // of the whole text
	exact      bool   // tokens was counted, not extrapolated
}

// estimateLimit is how much text is counted exactly for estimatedTokens.
const estimateLimit = 1 << 20

// part is what is kept with h bytes of head and n bytes of tail.
func (t *heldText) part(h, n int) part {
	p := part{head: t.head[:h], tail: t.tail[len(t.tail)-n:], stop: noUnit}
	p.kept = countChars(p.head) + countChars(p.tail)
	p.omitted = t.chars - p.kept
	return p
}

// rest is the cursor of what follows the first n bytes of a text, all of which
// begins at place and has the totals given.
func (t *heldText) rest(place cursor, n int, total, tokens int64) string {
	raw := t.rawHead[:t.rawLen(n)]
	c := place
	c.offset += int64(len(raw))
	c.index += countChars(t.head[:n])
	c.line += int64(bytes.Count(raw, []byte{'\n'}))
	c.total, c.tokens = total, tokens
	seen := append(append([]byte(nil), place.seen...), raw...)
	c.head = headDigest(place.in, c.offset)
	c.before = digest(seen[max(0, len(seen)-digestReach):])
	return c.String()
}

// free is how many bytes of tail may be kept beside h bytes of head, so that
// they do not overlap.
func (t *heldText) free(h int) int {
	if t.joined {
		return len(t.tail) - h
	}
	return len(t.tail)
}

// most is how many bytes of head may be kept beside n bytes of tail.
func (t *heldText) most(n int) int {
	if t.joined {
		return len(t.head) - n
	}
	return len(t.head)
}

// holdText reads src to its end and keeps what g may need. quoted says that the
// text will be written as a JSON string. A text that fits as it will be written
// comes back joined, with over false. first is what was already read of src; if
// total is not negative it is the number of characters of the text, and reading
// stops once the head is there.
func holdText(g *gauge, src textSource, first []byte, done, quoted bool, total int64) (t *heldText, over bool, err error) {
	t = &heldText{}
	_, t.escaped = src.(jsonText)
	fit := checker{g: g}
	est := estimator{g: g}
	var written []byte
	tail := tailRing{size: g.tailSize()}
	raw := first
	for {
		if !over {
			from := len(t.head)
			t.rawHead = append(t.rawHead, raw...)
			t.head = src.decode(t.head, raw)
			piece := t.head[from:]
			est.write(piece, len(raw))
			if quoted {
				written = stream.AppendEscaped(written[:0], piece)
				piece = written
			}
			over = !fit.more(piece)
		} else {
			if est.n < estimateLimit {
				written = src.decode(written[:0], raw)
			}
			est.write(written, len(raw))
		}
		t.bytes += int64(len(raw))
		tail.write(src, raw)
		if done {
			break
		}
		if over && total >= 0 {
			t.chars = total
			return t, true, nil
		}
		if raw, done, err = src.Chunk(); err != nil {
			return nil, false, err
		}
	}
	t.chars = src.given()
	t.tokens, t.exact = est.tokens()
	if !over {
		t.tail, t.joined = t.head, true
		return t, g.overQuoted(t.head, quoted), nil
	}
	t.tail = src.decode(nil, tail.buf)
	t.join()
	return t, true, nil
}

// overQuoted reports whether text is over the budget as it will be written.
func (g *gauge) overQuoted(text []byte, quoted bool) bool {
	if quoted {
		text = stream.AppendQuoted(nil, text)
	}
	return g.over(text) != noUnit
}

// join makes one buffer of head and tail if they meet or overlap.
func (t *heldText) join() {
	both := countChars(t.head) + countChars(t.tail) - t.chars
	if both < 0 {
		return
	}
	i := 0
	for ; both > 0 && i < len(t.tail); both-- {
		i = runeCeil(t.tail, i+1)
	}
	t.head = append(t.head, t.tail[i:]...)
	t.tail, t.joined = t.head, true
}

// tailSize is how many raw bytes the tail of a cut text may need.
func (g *gauge) tailSize() int {
	n := int64(1 << 12)
	if g.Bytes > 0 {
		n = max(n, g.Bytes)
	}
	if g.Chars > 0 {
		n = max(n, 4*g.Chars)
	}
	if g.Tokens > 0 {
		n = max(n, 24*g.tokens)
	}
	return int(min(n, 8<<20))
}

// A checker follows a text as it is written and says when it cannot fit any
// more. It looks at the vocabulary only once the text is longer than a budget
// in which every token were a single byte.
type checker struct {
	g       *gauge
	bytes   int64
	chars   int64
	pending []byte // not yet counted
	meter   *tokenize.Meter
	counted bool // pending has been given to the meter
}

// reset forgets the text.
func (c *checker) reset() {
	c.bytes, c.chars, c.pending, c.counted = 0, 0, c.pending[:0], false
}

// more appends p and reports whether all of it so far could fit. No further
// text makes it fit again after it has said no.
func (c *checker) more(p []byte) bool {
	g := c.g
	c.bytes += int64(len(p))
	if g.Bytes > 0 && c.bytes > g.Bytes {
		return false
	}
	if g.Chars > 0 {
		if c.chars += countChars(p); c.chars > g.Chars {
			return false
		}
	}
	if g.Tokens <= 0 {
		return true
	}
	if !c.counted {
		if c.bytes <= g.tokens {
			c.pending = append(c.pending, p...)
			return true
		}
		if c.meter == nil {
			c.meter = g.exact().Meter()
		}
		c.meter.Reset()
		c.meter.Write(c.pending)
		c.counted = true
	}
	c.meter.Write(p)
	return int64(c.meter.Decided()) <= g.tokens
}

// fits reports whether all of the text fits.
func (c *checker) fits() bool {
	g := c.g
	return (g.Bytes <= 0 || c.bytes <= g.Bytes) && (g.Chars <= 0 || c.chars <= g.Chars) &&
		(g.Tokens <= 0 || !c.counted || int64(c.meter.Count()) <= g.tokens)
}

// An estimator counts the tokens of a text of any length: exactly up to
// estimateLimit bytes, extrapolated beyond. It counts none with a gauge that
// has no encoding.
type estimator struct {
	g       *gauge
	meter   *tokenize.Meter
	n, more int64 // raw bytes counted, and not
}

// write takes a piece of the text that has raw bytes in the input. It is not
// looked at behind the limit.
func (e *estimator) write(p []byte, raw int) {
	if e.g.Encoding == nil {
		return
	}
	if e.meter == nil {
		e.meter = e.g.exact().Meter()
	}
	if e.n >= estimateLimit {
		e.more += int64(raw)
		return
	}
	e.meter.Write(p)
	e.n += int64(raw)
}

func (e *estimator) tokens() (n int64, exact bool) {
	if e.meter == nil {
		return 0, true
	}
	n = e.g.charge(int64(e.meter.Count()))
	if e.more == 0 {
		return n, true
	}
	return int64(math.Ceil(float64(n) * float64(e.n+e.more) / float64(e.n))), false
}

// A tailRing keeps the last size bytes, or a little more, of what is written.
type tailRing struct {
	size int
	buf  []byte
}

// write appends a piece of src that ends at a character boundary.
func (r *tailRing) write(src textSource, p []byte) {
	if len(p) >= r.size {
		r.buf = append(r.buf[:0], p[src.boundary(p, len(p)-r.size):]...)
		return
	}
	if len(r.buf)+len(p) > 2*r.size+64 {
		i := src.boundary(r.buf, max(0, len(r.buf)+len(p)-r.size))
		r.buf = r.buf[:copy(r.buf, r.buf[i:])]
	}
	r.buf = append(r.buf, p...)
}

// longestEscape is the length of a pair of surrogate escapes.
const longestEscape = 12

// boundaries returns the last place at or before i, and the first at or after
// it, at which the raw body of a JSON string may be cut: not inside an escape or
// a UTF-8 sequence.
func boundaries(raw []byte, i int) (before, after int) {
	// No escape that reaches i begins before p, unless the byte at p is escaped:
	// the length of the run of backslashes before it tells.
	p := max(0, i-longestEscape)
	run := 0
	for run < p && raw[p-1-run] == '\\' {
		run++
	}
	if run%2 != 0 {
		p++
	}
	before = p
	for p < i {
		before = p
		if raw[p] == '\\' {
			p += stream.RawLen(raw[p:])
		} else {
			p++
		}
	}
	if p == i {
		before = p
	}
	return runeFloor(raw, min(before, i)), runeCeil(raw, min(p, len(raw)))
}

// boundaryAfter is the first place at or after i at which raw may be cut.
func boundaryAfter(raw []byte, i int) int {
	_, after := boundaries(raw, i)
	return after
}

// boundaryBefore is the last place at or before i at which raw may be cut.
func boundaryBefore(raw []byte, i int) int {
	before, _ := boundaries(raw, i)
	return before
}
