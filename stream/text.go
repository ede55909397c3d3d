package stream

import (
	"bytes"
	"math"
	"math/bits"
	"unicode/utf8"
)

// textPiece is how many bytes Text decodes at a time.
const textPiece = 16 << 10

// Text is [Scanner.Chunk] decoded by [AppendText]: the next piece of the text of
// the string, name or number.
func (s *Scanner) Text() (piece []byte, done bool, err error) {
	if len(s.raw) == 0 || s.rawTok != s.tok {
		s.rawTok = s.tok
		s.raw, s.rawDone, err = s.Chunk()
		if err != nil {
			return nil, false, err
		}
	}
	i := bytes.IndexByte(s.raw, '\\')
	if i < 0 {
		i = len(s.raw)
	}
	if i == len(s.raw) || i >= textPiece {
		piece, s.raw = s.raw[:i], s.raw[i:]
		return piece, s.rawDone && len(s.raw) == 0, nil
	}
	if s.scratch == nil {
		s.scratch = make([]byte, 0, textPiece)
	}
	s.scratch, i = appendText(s.scratch[:0], s.raw, textPiece)
	s.raw = s.raw[i:]
	return s.scratch, s.rawDone && len(s.raw) == 0, nil
}

// RawLen returns how many bytes the character at the beginning of a raw body
// has: an escape sequence, a pair of surrogate escapes, or a UTF-8 sequence.
func RawLen(b []byte) int {
	if b[0] != '\\' {
		_, n := utf8.DecodeRune(b)
		return n
	}
	if len(b) < 6 || b[1] != 'u' {
		return min(2, len(b))
	}
	if b[2]|0x20 == 'd' && isHigh(b) && lowFollows(b[6:]) == strClosed {
		return 12
	}
	return 6
}

// hex4 returns the value of the \u escape at the beginning of b, -1 if there is
// none.
func hex4(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case c-'0' < 10:
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

const (
	highFirst = 0xD800
	lowFirst  = 0xDC00
	lowLast   = 0xDFFF
)

var unescaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// AppendText appends to dst the text of raw, the body of a string, and returns
// it. Escape sequences are decoded; that of a surrogate without its other half
// becomes the three bytes that WTF-8 has for it (ED A0..BF 80..BF). What is not
// an escape sequence stays as it is.
func AppendText(dst, raw []byte) []byte {
	dst, _ = appendText(dst, raw, math.MaxInt)
	return dst
}

// appendText is AppendText for at most limit bytes of text, which must be room
// for a character, or hardly more. It returns also how many bytes of raw, whole
// characters, it has decoded.
func appendText(dst, raw []byte, limit int) ([]byte, int) {
	n := 0
	for start := len(dst); ; {
		left := limit - (len(dst) - start)
		b := raw[n:]
		i := bytes.IndexByte(b, '\\')
		if i < 0 || i+1 >= len(b) {
			i = len(b)
		}
		if i > left {
			for i = left; i > 0 && !utf8.RuneStart(b[i]); {
				i--
			}
			return append(dst, b[:i]...), n + i
		}
		dst = append(dst, b[:i]...)
		n += i
		b = b[i:]
		if len(b) == 0 || left-i < utf8.UTFMax {
			return dst, n
		}
		if c := unescaped[b[1]]; c != 0 {
			dst = append(dst, c)
			n += 2
			continue
		}
		r := hex4(b)
		if r < 0 {
			dst = append(dst, b[:2]...)
			n += 2
			continue
		}
		n += 6
		if r < highFirst || r > lowLast {
			dst = utf8.AppendRune(dst, r)
			continue
		}
		if low := hex4(b[6:]); r < lowFirst && low >= lowFirst && low <= lowLast {
			dst = utf8.AppendRune(dst, 0x10000+(r-highFirst)<<10+(low-lowFirst))
			n += 6
			continue
		}
		dst = append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
}

// shortEscape has the letter of the escape sequence of two characters for a byte
// that must be escaped, 'u' if there is none, and 1 for bytes that are not ASCII.
var shortEscape = func() (t [256]byte) {
	for c := range 0x20 {
		t[c] = 'u'
	}
	for c := 0x80; c < 0x100; c++ {
		t[c] = 1
	}
	for c, e := range map[byte]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'} {
		t[c] = e
	}
	return t
}()

// AppendQuoted appends to dst a JSON string with its quotes that has the given
// text, as [AppendEscaped] writes it.
func AppendQuoted(dst, text []byte) []byte {
	dst = append(dst, '"')
	dst = AppendEscaped(dst, text)
	return append(dst, '"')
}

// AppendEscaped appends to dst the body of a JSON string that has the given
// text. Quotes, backslashes and control characters are escaped, with two
// characters where there is such a sequence; a surrogate in WTF-8 becomes \udXXX
// again; a byte that is no part of UTF-8 becomes U+FFFD. All else is as it was.
func AppendEscaped(dst, text []byte) []byte {
	const hex = "0123456789abcdef"
	from := 0 // text[from:i] is to be copied
	for i := 0; i < len(text); {
		for i+8 <= len(text) {
			m := stopByte(load64(text, i))
			i += bits.TrailingZeros64(m) >> 3
			if m != 0 {
				break
			}
		}
		if i == len(text) {
			break
		}
		c := text[i]
		e := shortEscape[c]
		if e == 0 {
			i++
			continue
		}
		if e == 1 {
			if r, n := utf8.DecodeRune(text[i:]); r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
		}
		dst = append(dst, text[from:i]...)
		switch {
		case e == 1 && isSurrogate(text[i:]):
			dst = append(dst, '\\', 'u', 'd', hex[text[i+1]>>2&15], hex[text[i+1]<<2&12|text[i+2]>>4&3], hex[text[i+2]&15])
			i += 2
		case e == 1:
			dst = utf8.AppendRune(dst, utf8.RuneError)
		case e == 'u':
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, '\\', e)
		}
		i++
		from = i
	}
	return append(dst, text[from:]...)
}

// isSurrogate reports whether b begins with the WTF-8 of a surrogate.
func isSurrogate(b []byte) bool {
	return len(b) >= 3 && b[0] == 0xED && b[1] >= 0xA0 && b[1] <= 0xBF && b[2]&0xC0 == 0x80
}

// CountChars returns the number of characters (code points) of the body of a
// valid string: an escape sequence is one, a pair of surrogate escapes too.
func CountChars(raw []byte) int64 {
	n := int64(0)
	i := 0
	for ; i+8 <= len(raw); i += 8 {
		// continuation bytes have the high bit and not the one below
		w := load64(raw, i)
		n += int64(8 - bits.OnesCount64(w>>7&^(w>>6)&lsb))
	}
	for ; i < len(raw); i++ {
		if raw[i]&0xC0 != 0x80 {
			n++
		}
	}
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 || i+1 >= len(raw) {
			return n
		}
		k := RawLen(raw[i:])
		n -= int64(k - 1)
		raw = raw[i+k:]
	}
}
