package ops

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"jlop/stream"
)

// Cutting the raw body of a string at a boundary cuts its text in two.
func TestBoundaries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{
			"a", `\\`, `\"`, `\n`, `\u0041`, `\ud83d\ude00`, `\ud83d`, `\ude00`, "é", "日", "😀", `\\\\`, "u",
		})).Draw(t, "parts")
		raw := []byte(strings.Join(parts, ""))
		// The characters of a raw body, escapes and pairs being one.
		cuts := map[int]bool{0: true}
		for i := 0; i < len(raw); {
			n := 1
			switch {
			case raw[i] == '\\' && raw[i+1] != 'u':
				n = 2
			case raw[i] == '\\':
				n = 6
				pair := strings.HasPrefix(string(raw[i:]), `\ud`) && len(raw) >= i+12 && raw[i+3] <= 'b' && raw[i+3] >= '8' &&
					strings.HasPrefix(string(raw[i+6:]), `\ude`)
				if pair {
					n = 12
				}
			default:
				for i+n < len(raw) && raw[i+n]&0xC0 == 0x80 {
					n++
				}
			}
			i += n
			cuts[i] = true
		}
		i := rapid.IntRange(0, len(raw)).Draw(t, "place")
		before, after := boundaries(raw, i)
		for j := i; j >= 0; j-- {
			if cuts[j] {
				if before != j {
					t.Fatalf("%q: %d before %d, not %d", raw, before, i, j)
				}
				break
			}
		}
		for j := i; j <= len(raw); j++ {
			if cuts[j] {
				if after != j {
					t.Fatalf("%q: %d after %d, not %d", raw, after, i, j)
				}
				break
			}
		}
		text := string(stream.AppendText(stream.AppendText(nil, raw[:before]), raw[before:]))
		if whole := string(stream.AppendText(nil, raw)); text != whole {
			t.Fatalf("%q is not %q", text, whole)
		}
	})
}
