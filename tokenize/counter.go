package tokenize

import (
	"math/bits"
	"unicode/utf8"

	"jlop/tokenize/internal/layout"
)

// Counter counts the tokens of one text at a time. It can be used again and again, which keeps its caches
// warm, but not by several goroutines at once.
type Counter struct {
	enc   *Encoding
	table table

	// Direct-mapped caches of the counts of pieces up to 7 and up to 15 bytes. An entry is the piece's key with
	// the count in its top bits, so that it is exact. At first only the slots below a small mask are used, because a
	// short run pays for every page it touches.
	short     *[1 << shortBits]uint64
	mid       *[1 << midBits][2]uint64
	shortMask uint64
	midMask   uint64
	misses    int // until the masks grow

	symbols *symbols
	last    lastWindow
	clean   []byte // a piece with U+FFFD in place of invalid bytes
	meter   *Meter // for Prefix
}

// NewCounter returns a Counter for an encoding.
func NewCounter(e *Encoding) *Counter {
	c := &Counter{enc: e}
	if e.pattern != charsPattern {
		c.table = openTable(*e.table)
		c.symbols = new(symbols)
		c.short, c.mid = new([1 << shortBits]uint64), new([1 << midBits][2]uint64)
		c.use(10, 16000)
	}
	return c
}

const (
	shortBits = 15
	midBits   = shortBits - 1
)

// use makes slots of the caches available, 1<<bits of the short one, until there were so many misses. What they hold
// stays valid, though part of it will not be found again.
func (c *Counter) use(bits, misses int) {
	c.shortMask = 1<<bits - 1
	c.midMask = c.shortMask >> 1
	c.misses = misses
}

func (c *Counter) missed() {
	if c.misses--; c.misses == 0 {
		if c.shortMask < 1<<13-1 {
			c.use(13, 100_000)
		} else {
			c.use(shortBits, 0)
		}
	}
}

// Count returns the number of tokens of text.
func (c *Counter) Count(text []byte) int {
	if c.enc.pattern == charsPattern {
		return charTokens(countChars(text))
	}
	n, _ := c.count(text, true)
	return n
}

// countAhead is how many bytes the fast scanners may look at from the start of a piece.
const countAhead = 32

// count counts the pieces at the start of b and returns how many bytes they take: with all set the whole of b, else
// the pieces whose end no further text can move.
func (c *Counter) count(b []byte, all bool) (n, used int) {
	i := 0
	lim := len(b) - countAhead
	p := c.enc.pattern
	for i < len(b) {
		e := -1
		if i < lim {
			switch p {
			case o200kPattern:
				e = fastO200k(b, i, lim)
			case cl100kPattern:
				e = fastCl100k(b, i, lim)
			case gpt2Pattern:
				e = fastGPT2(b, i, lim)
			}
		}
		if e < 0 {
			end, more := p.next(b, i)
			if more && !all {
				break
			}
			n += c.anyPiece(b[i:end])
			i = end
			continue
		}
		switch l := e - i; {
		case l == 1 || l <= 3 && b[i]-'0' <= 9 && p != gpt2Pattern:
			n++ // up to three digits are always a token
		case l <= 7:
			key := load64(b, i)&(1<<(8*uint(l)&63)-1) | uint64(l)<<56
			if s := *c.shortSlot(key); s&(1<<60-1) == key {
				n += int(s >> 60)
			} else {
				n += c.missShort(key, b[i:e])
			}
		case l <= 15:
			lo := load64(b, i)
			hi := load64(b, i+8)&(1<<(8*uint(l-8)&63)-1) | uint64(l)<<56
			if s := c.midSlot(lo, hi); s[0] == lo && s[1]&(1<<60-1) == hi {
				n += int(s[1] >> 60)
			} else {
				n += c.missMid(lo, hi, b[i:e])
			}
		default:
			n += c.longPiece(b[i:e])
		}
		i = e
	}
	return n, i
}

func (c *Counter) shortSlot(key uint64) *uint64 {
	return &c.short[key*layout.Mix>>(64-shortBits)&c.shortMask]
}

func (c *Counter) midSlot(lo, hi uint64) *[2]uint64 {
	return &c.mid[(lo^bits.RotateLeft64(hi, 29))*layout.Mix>>(64-midBits)&c.midMask]
}

// anyPiece counts a piece that may hold invalid bytes.
func (c *Counter) anyPiece(b []byte) int {
	if utf8.Valid(b) {
		return c.piece(b)
	}
	// part by part, for a piece can have any length
	const part = 512
	n := 0
	c.clean = c.clean[:0]
	for len(b) > 0 {
		k := min(part, len(b))
		if k < len(b) {
			k -= incomplete(b[:k])
		}
		c.clean = appendClean(c.clean, b[:k])
		b = b[k:]
		if len(b) > 0 {
			m, used := c.settle(c.clean)
			n += m
			c.clean = c.clean[:copy(c.clean, c.clean[used:])]
		}
	}
	return n + c.piece(c.clean)
}

// appendClean appends b to dst with U+FFFD in place of each invalid byte.
func appendClean(dst, b []byte) []byte {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, "\uFFFD"...)
		} else {
			dst = append(dst, b[:n]...)
		}
		b = b[n:]
	}
	return dst
}

// piece counts one piece without reading past its end.
func (c *Counter) piece(b []byte) int {
	switch {
	case len(b) == 1:
		return 1
	case len(b) <= 7:
		key := layout.ShortKey(b)
		if s := *c.shortSlot(key); s&(1<<60-1) == key {
			return int(s >> 60)
		}
		return c.missShort(key, b)
	case len(b) <= 15:
		lo, hi := layout.MidKey(b)
		if s := c.midSlot(lo, hi); s[0] == lo && s[1]&(1<<60-1) == hi {
			return int(s[1] >> 60)
		}
		return c.missMid(lo, hi, b)
	}
	return c.longPiece(b)
}

func (c *Counter) longPiece(b []byte) int {
	if c.table.hasLong(b) {
		return 1
	}
	return c.merge(b)
}

func (c *Counter) missShort(key uint64, b []byte) int {
	n := 1
	if !c.table.hasShort(key) {
		n = c.merge(b)
	}
	*c.shortSlot(key) = key | uint64(n)<<60
	c.missed()
	return n
}

func (c *Counter) missMid(lo, hi uint64, b []byte) int {
	n := 1
	if !c.table.hasMid(lo, hi) {
		n = c.merge(b)
	}
	*c.midSlot(lo, hi) = [2]uint64{lo, hi | uint64(n)<<60}
	c.missed()
	return n
}
