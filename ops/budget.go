package ops

import (
	"fmt"
	"math"
	"unicode/utf8"

	"jlop/tokenize"
)

// A Budget bounds one result as the model reads it. A field that is zero does
// not bound; all the others hold together.
type Budget struct {
	Tokens int64 // charged tokens: those of Encoding times Scale, rounded up
	Bytes  int64
	Chars  int64 // Unicode code points
	// Encoding counts the tokens; nil is tokenize.Default.
	Encoding *tokenize.Encoding
	// Estimate says that Encoding stands in for a tokenizer that is not public.
	Estimate bool
	// Scale is how many tokens are charged for one of Encoding; 0 means 1.
	Scale float64
}

// Bounded reports whether any limit is given.
func (b Budget) Bounded() bool { return b.Tokens > 0 || b.Bytes > 0 || b.Chars > 0 }

// String says the limits as messages and notes do, "2000 tokens, 8192 bytes".
func (b Budget) String() string {
	s := ""
	for _, u := range units {
		if n := b.limit(u); n > 0 {
			if s != "" {
				s += ", "
			}
			s += fmt.Sprintf("%d %s", n, u)
		}
	}
	return s
}

// A Unit is what a limit counts.
type Unit uint8

// The units, in the order in which they are looked at.
const (
	Tokens Unit = iota
	Bytes
	Chars
	noUnit
)

var units = [...]Unit{Tokens, Bytes, Chars}

// String returns the unit's name in options, notes and reports.
func (u Unit) String() string {
	return [...]string{"tokens", "bytes", "chars", "items"}[u]
}

func (b Budget) limit(u Unit) int64 {
	switch u {
	case Tokens:
		return b.Tokens
	case Bytes:
		return b.Bytes
	case Chars:
		return b.Chars
	}
	return 0
}

// unit is the first one that is limited; it is what --head and --tail count.
func (b Budget) unit() Unit {
	for _, u := range units {
		if b.limit(u) > 0 {
			return u
		}
	}
	return noUnit
}

// A gauge measures texts against a Budget. The vocabulary is not looked at
// before a text could be over a token limit.
type gauge struct {
	Budget
	tokens  int64 // the token limit in tokens of the encoding
	counter *tokenize.Counter
}

func newGauge(b Budget) *gauge {
	if b.Encoding == nil {
		b.Encoding = tokenize.Default()
	}
	if b.Scale == 0 {
		b.Scale = 1
	}
	b.Tokens, b.Bytes, b.Chars = min(b.Tokens, maxLimit), min(b.Bytes, maxLimit), min(b.Chars, maxLimit)
	g := &gauge{Budget: b}
	g.tokens = int64(float64(b.Tokens) / b.Scale)
	for g.charge(g.tokens) > b.Tokens {
		g.tokens--
	}
	for b.Tokens > 0 && g.charge(g.tokens+1) <= b.Tokens {
		g.tokens++
	}
	return g
}

const (
	// minScale and maxScale are far from what any tokenizer needs; between them
	// no count of tokens overflows.
	minScale, maxScale = 0.001, 1000
	// maxLimit is more than any text has of anything, and few enough to be
	// scaled exactly.
	maxLimit = 1 << 40
)

// estimated is what is said behind a number of a unit that is an estimate.
func (g *gauge) estimated(unit string) string {
	if g.Estimate && unit == Tokens.String() {
		return " (an estimate)"
	}
	return ""
}

// charge is what n tokens of the encoding cost.
func (g *gauge) charge(n int64) int64 {
	if g.Scale == 1 {
		return n
	}
	return int64(math.Ceil(float64(n) * g.Scale))
}

// count is the number of charged tokens of text.
func (g *gauge) count(text []byte) int64 {
	return g.charge(int64(g.exact().Count(text)))
}

func (g *gauge) exact() *tokenize.Counter {
	if g.counter == nil {
		g.counter = tokenize.NewCounter(g.Encoding)
	}
	return g.counter
}

// size is the length of text in u.
func (g *gauge) size(u Unit, text []byte) int64 {
	switch u {
	case Tokens:
		return g.count(text)
	case Chars:
		return int64(utf8.RuneCount(text))
	}
	return int64(len(text))
}

// over returns the first unit whose limit text exceeds, or noUnit if it fits.
func (g *gauge) over(text []byte) Unit {
	n := int64(len(text))
	switch {
	case g.Bytes > 0 && n > g.Bytes:
		return Bytes
	case g.Chars > 0 && n > g.Chars && int64(utf8.RuneCount(text)) > g.Chars:
		return Chars
	case g.Tokens > 0 && g.overTokens(text):
		return Tokens
	}
	return noUnit
}

// overTokens counts no more than it must: a token is never shorter than a byte
// nor longer than the vocabulary's longest.
func (g *gauge) overTokens(text []byte) bool {
	n := int64(len(text))
	if n <= g.tokens && utf8.Valid(text) {
		return false
	}
	return int64(g.exact().Count(text)) > g.tokens
}

// The least budgets that must be filled, at the cost of cutting inside a line.
const (
	fillTokens = 500
	fillChars  = 2000 // about as many tokens
)

// filled reports whether text uses at least 95 % of a limit, or a limit is so
// small that whole lines count for more.
func (g *gauge) filled(text []byte) bool {
	for _, u := range units {
		least := int64(fillChars)
		if u == Tokens {
			least = fillTokens
		}
		if l := g.limit(u); l > 0 && (l < least || g.size(u, text)*100 >= l*95) {
			return true
		}
	}
	return false
}
