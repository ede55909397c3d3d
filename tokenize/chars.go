package tokenize

import "unicode/utf8"

// charsPerToken is what a token of chars/4 holds.
const charsPerToken = 4

// charsBy4 is the rule of thumb that four characters are a token: the code points divided by four, rounded up. An invalid
// byte is a character.
var charsBy4 = Encoding{name: "chars/4", pattern: charsPattern}

func charTokens(chars int) int { return (chars + charsPerToken - 1) / charsPerToken }

// countChars is utf8.RuneCount, which in Go 1.26 allocates where it is inlined, and goes eight ASCII characters at a time.
func countChars(b []byte) int {
	n := 0
	for i := 0; i < len(b); n++ {
		switch {
		case i+8 <= len(b) && load64(b, i)&highBits == 0:
			i += 8
			n += 7
		case b[i] < utf8.RuneSelf:
			i++
		default:
			_, size := utf8.DecodeRune(b[i:])
			i += size
		}
	}
	return n
}
