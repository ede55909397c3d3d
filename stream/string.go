package stream

import (
	"math/bits"
	"unicode/utf8"
)

const (
	lsb = 0x0101010101010101 // the lowest bit of each byte of a word
	msb = 0x8080808080808080 // the highest
)

// strEnd is why stringBody stopped.
type strEnd uint8

const (
	strClosed  strEnd = iota // at the closing quote
	strMore                  // the window ends, maybe inside a character
	strControl               // the others are errors
	strEscape
	strHex
	strUTF8
)

func (e strEnd) want() string {
	switch e {
	case strControl:
		return "control characters in a string must be escaped"
	case strEscape:
		return "invalid escape sequence in a string"
	case strHex:
		return `four hexadecimal digits must follow \u`
	}
	return "strings must be valid UTF-8"
}

// blockFrom is the length of a string body from which on blocks of 64 bytes are
// tried; blockRetry is how far words go on after a block that could not be
// passed at all.
const (
	blockFrom  = 48
	blockRetry = 192
)

// stopByte has the high bit set of the first byte of w that is a quote, a
// backslash, a control character or not ASCII. Bits above that may be wrong.
func stopByte(w uint64) uint64 {
	q := w ^ lsb*'"'
	e := w ^ lsb*'\\'
	return ((w - lsb*0x20) | (q - lsb) | (e - lsb) | w) & msb
}

// escapeLen is the length of the escape sequence less the backslash, by the
// character after the backslash; 0 is no escape sequence.
var escapeLen = [256]uint8{'"': 1, '\\': 1, '/': 1, 'b': 1, 'f': 1, 'n': 1, 'r': 1, 't': 1, 'u': 5}

// hexDigit has 1 for the hexadecimal digits.
var hexDigit = func() (t [256]uint8) {
	for _, c := range "0123456789abcdefABCDEF" {
		t[c] = 1
	}
	return t
}()

// stringBody checks the body of a string in buf[p:end], of which p is at a
// character. It returns the index where it stopped: of the closing quote, of the
// offending byte, or, for strMore, of the first character the window does not
// hold whole, which is within 11 bytes of the end; a high surrogate escape is
// only whole with what follows it. less is by how much the characters up to
// there are fewer than the bytes.
func stringBody(buf []byte, p, end int) (q, less int, e strEnd) {
	next := p + blockFrom
	var m uint64
words:
	for {
		if p >= next {
			q, n := stringBlocks(buf, p, end)
			less += n
			next = q + 64
			if q == p {
				next = q + blockRetry
			}
			p = q
		}
		for {
			if m = stopByte(load64(buf, p)); m != 0 {
				break
			}
			if m = stopByte(load64(buf, p+8)); m != 0 {
				p += 8
				break
			}
			p += 16
			if p >= next {
				continue words
			}
		}
		p += bits.TrailingZeros64(m) >> 3
		c := at(buf, p)
		if c == '"' {
			return p, less, strClosed
		}
		for c == '\\' {
			n := escapeLen[at(buf, p+1)]
			if n == 1 {
				p += 2
				less++
				c = at(buf, p)
				continue
			}
			if n == 0 || hexDigit[at(buf, p+2)]&hexDigit[at(buf, p+3)]&hexDigit[at(buf, p+4)]&hexDigit[at(buf, p+5)] == 0 {
				q, e = badEscape(buf, p, end)
				return q, less, e
			}
			if at(buf, p+2)|0x20 == 'd' && isHigh(buf[p:]) {
				switch lowFollows(buf[p+6 : end]) {
				case strMore:
					return p, less, strMore
				case strClosed:
					p += 6
					less += 6
				}
			}
			p += 6
			less += 5
			c = at(buf, p)
		}
		if c == '"' {
			return p, less, strClosed
		}
		for c >= 0x80 {
			w := load32(buf, p)
			if w&0x00C0C0F0 == 0x008080E0 {
				// three bytes: not overlong (E0 80..9F), no surrogate (ED A0..BF)
				if x := w & 0x200F; x != 0 && x != 0x200D {
					p += 3
					less += 2
					c = at(buf, p)
					continue
				}
			} else if w&0x0000C0E0 == 0x000080C0 && w&0x1E != 0 {
				p += 2
				less++
				c = at(buf, p)
				continue
			} else if w&0xC0C0C0F8 == 0x808080F0 {
				// four bytes: F0 90.. to F4 8F..
				if x := (w&7)<<8 | (w>>8)&0x30; x >= 0x010 && x <= 0x400 {
					p += 4
					less += 3
					c = at(buf, p)
					continue
				}
			}
			if utf8.FullRune(buf[p:end]) {
				return p, less, strUTF8
			}
			return p, less, strMore
		}
		if c < 0x20 {
			if p >= end {
				return end, less, strMore
			}
			return p, less, strControl
		}
	}
}

// badEscape finds what is wrong with the escape sequence at p.
func badEscape(buf []byte, p, end int) (int, strEnd) {
	for i := p + 1; i < end; i++ {
		if i == p+1 {
			if buf[i] != 'u' {
				return i, strEscape
			}
		} else if hexDigit[buf[i]] == 0 {
			return i, strHex
		}
	}
	return p, strMore
}

// isHigh reports whether the \u escape at the beginning of b is that of a high
// surrogate (D800 to DBFF), given that its first digit is D.
func isHigh(b []byte) bool { return b[3]-'8' < 2 || b[3]|0x20 == 'a' || b[3]|0x20 == 'b' }

// lowFollows reports whether b begins with the escape of a low surrogate (DC00
// to DFFF): strClosed if it does, strMore if b is too short to say.
func lowFollows(b []byte) strEnd {
	for i := range 6 {
		if i == len(b) {
			return strMore
		}
		c := b[i]
		var ok bool
		switch i {
		case 0:
			ok = c == '\\'
		case 1:
			ok = c == 'u'
		case 2:
			ok = c|0x20 == 'd'
		case 3:
			ok = c|0x20 >= 'c' && c|0x20 <= 'f'
		default:
			ok = hexDigit[c] != 0
		}
		if !ok {
			return strEscape
		}
	}
	return strClosed
}
