package tokenize

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/pkoukk/tiktoken-go"
)

var tokens = flag.Int("tokens", 300_000, "tokens of each encoding that TestEqualsTiktoken compares")

// equalTokens compares counts and ids with tiktoken-go and the plain counter.
func equalTokens(t *testing.T, c *Counter, p *plainCounter, text []byte) int {
	t.Helper()
	ids := p.encode(text)
	if comparable(text) {
		var want []uint32
		for _, id := range reference(t, c.enc.Name()).EncodeOrdinary(string(text)) {
			want = append(want, uint32(id))
		}
		if !slices.Equal(want, ids) {
			t.Fatalf("%s: ids of %q (-tiktoken-go +plain):\n%s", c.enc.Name(), text, cmp.Diff(want, ids))
		}
	}
	if got := c.Count(text); got != len(ids) {
		t.Fatalf("%s: Count(%q) = %d, want %d", c.enc.Name(), text, got, len(ids))
	}
	return len(ids)
}

func TestSamplesEqualTiktoken(t *testing.T) {
	for _, e := range referenceEncodings {
		c, p := NewCounter(e), newPlain(e)
		for _, s := range samples {
			t.Run(e.Name()+"/"+s.name, func(t *testing.T) {
				equalTokens(t, c, p, []byte(s.text))
				for i := range len(s.text) {
					if i > 100 {
						break
					}
					equalTokens(t, c, p, []byte(s.text[i:]))
					equalTokens(t, c, p, []byte(s.text[:i]))
				}
			})
		}
	}
}

// TestEqualsTiktoken compares mixed text: Go's own sources and documents, and random text.
//
//	go test ./tokenize -run TestEqualsTiktoken -tokens 10000000 -timeout 2h
func TestEqualsTiktoken(t *testing.T) {
	var texts [][]byte
	for _, g := range [][2]string{
		{"net/http", "*.go"}, {"testdata", "*.txt"}, {"unicode/utf8", "*.go"}, {"encoding/json", "*.go"}, {"html", "*.go"},
		{"cmd/compile/internal/ssa", "*.go"}, {"strconv/testdata", "*.txt"}, {"runtime", "*.s"}, {"crypto/internal/fips140/*", "*.go"},
	} {
		texts = append(texts, goSources(t, g[0], g[1], 4000)...)
	}
	for _, e := range referenceEncodings {
		t.Run(e.Name(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			c, p := NewCounter(e), newPlain(e)
			for n := 0; n < *tokens; {
				if len(texts) > 0 && r.IntN(2) == 0 {
					n += equalTokens(t, c, p, texts[r.IntN(len(texts))])
				} else {
					n += equalTokens(t, c, p, randomText(r, 1<<r.IntN(12)))
				}
			}
		})
	}
}

// TestEveryToken counts each token of the vocabularies alone, and next to the one before it.
func TestEveryToken(t *testing.T) {
	for _, e := range referenceEncodings {
		t.Run(e.Name(), func(t *testing.T) {
			t.Parallel()
			ref := reference(t, e.Name())
			c, p := NewCounter(e), newPlain(e)
			var last string
			for id := range 200_000 {
				tok := ref.Decode([]int{id})
				if !utf8.ValidString(tok) || tok == "" {
					continue
				}
				for _, text := range []string{tok, last + tok} {
					if want, got := len(p.encode([]byte(text))), c.Count([]byte(text)); got != want {
						t.Fatalf("Count(%q) = %d, want %d", text, got, want)
					}
				}
				last = tok
			}
		})
	}
}

// TestEveryCharacter counts each code point between characters of each class.
func TestEveryCharacter(t *testing.T) {
	contexts := []string{"a%b", "A%B", " % ", "1%1", ".%.", "\n%\n", "中%A", "%%", "'%", "\u0301%a", " %1"}
	for _, e := range referenceEncodings {
		t.Run(e.Name(), func(t *testing.T) {
			t.Parallel()
			c, p := NewCounter(e), newPlain(e)
			for r := rune(0); r < 0x20000; r++ {
				if r >= 0xAC00 && r < 0xFB00 && r%64 != 0 {
					continue
				}
				text := []byte(strings.ReplaceAll(contexts[int(r)%len(contexts)], "%", string(r)))
				if want, got := len(p.encode(text)), c.Count(text); got != want {
					t.Fatalf("Count(%q) = %d, want %d", text, got, want)
				}
			}
		})
	}
}

// TestLongPieces compares pieces of many windows with merging them at once, and short ones with tiktoken-go, too.
func TestLongPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	random := func(n int, alphabet string) string {
		a := []rune(alphabet)
		var b strings.Builder
		for b.Len() < n {
			b.WriteRune(a[r.IntN(len(a))])
		}
		return b.String()
	}
	tests := []struct {
		name string
		make func(n int) string
	}{
		{"a", func(n int) string { return strings.Repeat("a", n) }},
		{"space", func(n int) string { return strings.Repeat(" ", n) }},
		{"newline", func(n int) string { return strings.Repeat("\n", n) }},
		{"dash", func(n int) string { return strings.Repeat("-", n) }},
		{"digits", func(n int) string { return random(n, "0123456789") }},
		{"letters", func(n int) string { return random(n, "abcdefghijklmnopqrstuvwxyz") }},
		{"two letters", func(n int) string { return random(n, "ab") }},
		{"capitals", func(n int) string { return random(n, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") }},
		{"Han", func(n int) string { return random(n, "的一是在不了有和人这中大为上个国我以要他") }},
		{"punctuation", func(n int) string { return random(n, "!-/=_*#.,;:") }},
		{"emoji", func(n int) string { return random(n, "😀😁😂🤣👍🏽\u200d") }},
		{"blanks", func(n int) string { return random(n, " \t\u00a0\u3000") }},
		{"invalid", func(n int) string { return strings.Repeat("\xff\xfe.", n/3) }},
	}
	for _, e := range referenceEncodings {
		c, p := NewCounter(e), newPlain(e)
		tests := append(tests, struct {
			name string
			make func(n int) string
		}{"tokens", func(n int) string { return wordTokens(r, reference(t, e.Name()), n) }})
		for _, tt := range tests {
			t.Run(e.Name()+"/"+tt.name, func(t *testing.T) {
				for _, n := range []int{15, 16, 17, 257, 600} {
					equalTokens(t, c, p, []byte(tt.make(n)))
				}
				for _, n := range []int{2049, 3300} {
					text := []byte(tt.make(n) + "x")
					if want, got := len(p.encode(text)), c.Count(text); got != want {
						t.Errorf("Count of %d bytes = %d, want %d", n, got, want)
					}
				}
			})
		}
	}
}

// wordTokens joins random tokens of lower-case letters to a word.
func wordTokens(r *rand.Rand, ref *tiktoken.Tiktoken, n int) string {
	var b strings.Builder
	for b.Len() < n {
		tok := ref.Decode([]int{r.IntN(50_000)})
		if strings.Trim(tok, "abcdefghijklmnopqrstuvwxyz") == "" {
			b.WriteString(tok)
		}
	}
	return b.String()
}

// TestBoundary holds boundary to what it says: counts add up there, whatever stands around.
func TestBoundary(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, e := range referenceEncodings {
		c := NewCounter(e)
		for range 30_000 {
			text := randomText(r, 40)
			i := 1 + r.IntN(len(text)-1)
			if !boundary(text, i) {
				continue
			}
			if want, got := c.Count(text[:i])+c.Count(text[i:]), c.Count(text); got != want {
				t.Fatalf("%s: Count(%q + %q) = %d, parts %d", e.Name(), text[:i], text[i:], got, want)
			}
		}
	}
}

func TestChars(t *testing.T) {
	c := NewCounter(&charsBy4)
	tests := []struct {
		text string
		want int
	}{
		{"", 0}, {"a", 1}, {"abcd", 1}, {"abcde", 2}, {"中文中文", 1}, {"中文中文。", 2}, {"\xff\xff\xff\xff\xff", 2}, {"\xe4\xb8", 1},
	}
	for _, tt := range tests {
		if got := c.Count([]byte(tt.text)); got != tt.want {
			t.Errorf("Count(%q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}

// TestUnicodeTable compares the classes with the standard library's, which may know fewer characters but must not know others.
func TestUnicodeTable(t *testing.T) {
	newer := 0
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) || stdClass(r) == runeClass(r) {
			continue
		}
		if unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf, unicode.Co) {
			t.Errorf("%U is of class %d, in the standard library %d", r, runeClass(r), stdClass(r))
		}
		newer++
	}
	t.Logf("%d characters are newer than Unicode %s", newer, unicode.Version)
}

func TestNoAllocations(t *testing.T) {
	for _, e := range All {
		c := NewCounter(e)
		m := NewMeter(e)
		text := []byte(strings.Repeat("Some words, 123 and 中文 \xff;\n", 50) + strings.Repeat("x", 6000))
		suffix := []byte(`…"}]}`)
		run := func() {
			c.Count(text)
			c.Prefix(text, 100, suffix)
			m.Reset()
			m.Write(text[:77])
			m.Write(text[77:])
			m.Count()
			m.CountWith(suffix)
			m.Prefix(text, 3000, suffix)
		}
		run()
		if n := testing.AllocsPerRun(10, run); n != 0 {
			t.Errorf("%s: %v allocations", e.Name(), n)
		}
	}
}
