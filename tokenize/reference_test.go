package tokenize

import (
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
)

// references are the encodings that tiktoken-go has, made when a test first asks.
var references = struct {
	sync.Mutex
	m map[string]*tiktoken.Tiktoken
}{m: map[string]*tiktoken.Tiktoken{}}

func reference(t testing.TB, name string) *tiktoken.Tiktoken {
	t.Helper()
	references.Lock()
	defer references.Unlock()
	if r := references.m[name]; r != nil {
		return r
	}
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	r, err := tiktoken.GetEncoding(name)
	if err != nil {
		t.Fatal(err)
	}
	references.m[name] = r
	return r
}

// referenceEncodings are the encodings with a table of their own.
var referenceEncodings = []*Encoding{&o200kBase, &cl100kBase, &p50kBase, &r50kBase}

// comparable reports whether tiktoken-go is known to agree with OpenAI's encoder on a text: it takes its character
// classes from the standard library, whose Unicode is older, and does not know that ſ is an s.
func comparable(text []byte) bool {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r >= utf8.RuneSelf && (r == 'ſ' || stdClass(r) != runeClass(r)) {
			return false
		}
		i += n
	}
	return true
}

func runeClass(r rune) uint8 {
	c, _ := class(utf8.AppendRune(nil, r), 0)
	return c
}

// stdClass is class by the standard library.
func stdClass(r rune) uint8 {
	switch {
	case r == '\n' || r == '\r':
		return newline
	case unicode.IsSpace(r):
		return blank
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return upper
	case unicode.Is(unicode.Ll, r):
		return lower
	case unicode.In(r, unicode.Lm, unicode.Lo):
		return letter
	case unicode.Is(unicode.M, r):
		return mark
	case unicode.Is(unicode.N, r):
		return number
	}
	return other
}

// A plainCounter splits with the exact scanners alone and merges by looking for the lowest rank again after every
// merge. It is slow and short, and gives the ids.
type plainCounter struct {
	enc   *Encoding
	table table
}

func newPlain(e *Encoding) *plainCounter {
	return &plainCounter{e, openTable(*e.table)}
}

func (p *plainCounter) encode(text []byte) []uint32 {
	var ids []uint32
	for len(text) > 0 {
		e, _ := p.enc.pattern.next(text, 0)
		ids = append(ids, p.encodePiece(appendClean(nil, text[:e]))...)
		text = text[e:]
	}
	return ids
}

func (p *plainCounter) encodePiece(b []byte) []uint32 {
	ids := make([]uint32, len(b))
	for i, c := range b {
		ids[i] = p.table.byteID(c)
	}
	for {
		best, at := none, 0
		for i := 0; i+1 < len(ids); i++ {
			if r := p.table.pair(ids[i], ids[i+1]); r < best {
				best, at = r, i
			}
		}
		if best == none {
			return ids
		}
		ids[at] = best
		ids = append(ids[:at+1], ids[at+2:]...)
	}
}
