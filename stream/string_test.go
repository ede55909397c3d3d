package stream

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// padded returns b as a window holds it.
func padded(b []byte) []byte { return append(bytes.Clone(b), make([]byte, pad)...) }

// slowBody is stringBody one character at a time, by the book.
func slowBody(b []byte) (q, less int, e strEnd) {
	for p := 0; p < len(b); {
		c := b[p]
		n := 1
		switch {
		case c == '"':
			return p, less, strClosed
		case c < 0x20:
			return p, less, strControl
		case c >= 0x80:
			if !utf8.FullRune(b[p:]) {
				return p, less, strMore
			}
			r, k := utf8.DecodeRune(b[p:])
			if r == utf8.RuneError && k == 1 {
				return p, less, strUTF8
			}
			n = k
		case c == '\\':
			for i := 1; i < 6; i++ {
				if p+i == len(b) {
					return p, less, strMore
				}
				if i == 1 && strings.IndexByte(`"\/bfnrt`, b[p+1]) >= 0 {
					n = 2
					break
				}
				if i == 1 && b[p+1] != 'u' {
					return p + 1, less, strEscape
				}
				if i > 1 && !strings.ContainsRune("0123456789abcdefABCDEF", rune(b[p+i])) {
					return p + i, less, strHex
				}
				n = 6
			}
			if r := hex4(b[p:]); r >= 0xD800 && r < 0xDC00 {
				const low = `\ud`
				rest := b[p+6:]
				switch r := hex4(rest); {
				case r >= 0xDC00 && r <= 0xDFFF:
					n = 12
				case len(rest) >= 6:
				case len(rest) <= 3 && strings.HasPrefix(low, strings.ToLower(string(rest))) && !bytes.HasPrefix(rest, []byte(`\U`)):
					return p, less, strMore
				case len(rest) > 3 && strings.HasPrefix(strings.ToLower(string(rest)), low) && rest[1] == 'u' &&
					strings.ContainsRune("cdefCDEF", rune(rest[3])) && strings.Trim(string(rest[3:]), "0123456789abcdefABCDEF") == "":
					return p, less, strMore
				}
			}
		}
		p += n
		less += n - 1
	}
	return len(b), less, strMore
}

// checkBodies compares the ways to check a string body.
func checkBodies(t interface {
	Helper()
	Fatalf(string, ...any)
}, b []byte) {
	t.Helper()
	buf := padded(b)
	q0, less0, e0 := slowBody(b)
	q, less, e := stringBody(buf, 0, len(b))
	if q != q0 || less != less0 || e != e0 {
		t.Fatalf("%q: at %d, less %d, end %d; one by one %d, %d, %d", b, q, less, e, q0, less0, e0)
	}
	for name, blocks := range map[string]func([]byte, int, int) (int, int){"blocks": stringBlocks, "words": stringBlocksSWAR} {
		q, less := blocks(buf, 0, len(b))
		if q > q0 {
			t.Fatalf("%q: %s pass %d bytes, to be passed are %d", b, name, q, q0)
		}
		if q1, less1, e1 := slowBody(b[:q]); q1 != q || less1 != less || e1 != strMore {
			t.Fatalf("%q: %s pass %d bytes, less %d; one by one %d, %d", b, name, q, less, q1, less1)
		}
	}
}

// What is in a string, in pieces to be put together.
var bodyPieces = []string{
	"a", "abcdefg", "abcdefgh", strings.Repeat("x", 15), strings.Repeat("y", 31), strings.Repeat("z", 63), strings.Repeat("w", 64),
	`\\`, `\"`, `\n`, `\/`, `\t`, `\u0041`, `\ud83d\ude00`, `\ud800`, `\udc00`, `\uD83D\uDE00`, "é", "日", "😀", "\u07ff", "\u0800", "\uffff", "\U0010ffff", "\x7f",
}

var badPieces = []string{
	"\"", "\n", "\x00", "\x1f", `\`, `\x`, `\u`, `\u12`, `\u12g`, `\ud83d\u`, `\ud83d\ud`, "\x80", "\xc2", "\xc0\x80", "\xe0\x80\x80", "\xe2\x82", "\xed\xa0\x80", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xff",
}

func TestStringBody(t *testing.T) {
	// every piece at every place of a block, and before the end
	for _, piece := range append(append([]string{""}, bodyPieces...), badPieces...) {
		for _, fillers := range []string{"a", "é", "日", `\\`, `\n`} {
			for n := range 140 / len(fillers) {
				head := strings.Repeat(fillers, n)
				checkBodies(t, []byte(head+piece))
				checkBodies(t, []byte("a"+head+piece+strings.Repeat("b", 80)))
			}
		}
	}
}

func TestStringBodyLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := append(append([]string{}, bodyPieces...), bodyPieces...)
		all = append(all, bodyPieces...)
		all = append(all, badPieces...)
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(all), 0, 60).Draw(t, "pieces"), "")
		checkBodies(t, []byte(text))
	})
}

func FuzzStringBody(f *testing.F) {
	for _, p := range append(bodyPieces, badPieces...) {
		f.Add([]byte(strings.Repeat("a", 60) + p + strings.Repeat(p, 70)))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkBodies(t, b) })
}

func TestNumberLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,20})?[-+.eE0-9x,]{0,3}`).Draw(t, "text")
		buf := padded([]byte(text))
		q1, ok := number(buf, 0)
		q2, n := numberFrom(buf, 0, numStart)
		if ok != n.complete() || ok && q1 != q2 {
			t.Fatalf("%q: to %d, %v; by states to %d, %v", text, q1, ok, q2, n.complete())
		}
		// and cut anywhere
		at := rapid.IntRange(0, len(text)).Draw(t, "cut")
		q, m := numberFrom(padded([]byte(text[:at])), 0, numStart)
		if q == at {
			q, m = numberFrom(buf, at, m)
		}
		if q != q2 || m != n {
			t.Fatalf("%q cut at %d: to %d, state %d; whole to %d, state %d", text, at, q, m, q2, n)
		}
	})
}
