package tokenize

import (
	_ "embed" // the table
	"unicode/utf8"
)

// Character classes, as far as the patterns tell them apart. They are the numbers in unicode.table.
const (
	other   = iota // anything else: punctuation, symbols, controls, unassigned
	upper          // Lu Lt
	lower          // Ll
	letter         // Lm Lo: what counts as both upper and lower in o200k_base
	mark           // Mn Mc Me
	number         // Nd Nl No
	blank          // white space but \r and \n
	newline        // \r and \n
	high           // the first byte of a character beyond ASCII, in firstClass alone
)

// unicodeTable is Unicode 16.0 in two stages: 0x110000/128 block numbers, then blocks of 128 classes.
//
//go:embed unicode.table
var unicodeTable string

// firstClass is the class of each ASCII character, and high for every other byte.
var firstClass = [256]uint8{
	'\t': blank, '\n': newline, '\v': blank, '\f': blank, '\r': newline, ' ': blank,
	'0': number, '1': number, '2': number, '3': number, '4': number,
	'5': number, '6': number, '7': number, '8': number, '9': number,
	'A': upper, 'B': upper, 'C': upper, 'D': upper, 'E': upper, 'F': upper, 'G': upper, 'H': upper, 'I': upper,
	'J': upper, 'K': upper, 'L': upper, 'M': upper, 'N': upper, 'O': upper, 'P': upper, 'Q': upper, 'R': upper,
	'S': upper, 'T': upper, 'U': upper, 'V': upper, 'W': upper, 'X': upper, 'Y': upper, 'Z': upper,
	'a': lower, 'b': lower, 'c': lower, 'd': lower, 'e': lower, 'f': lower, 'g': lower, 'h': lower, 'i': lower,
	'j': lower, 'k': lower, 'l': lower, 'm': lower, 'n': lower, 'o': lower, 'p': lower, 'q': lower, 'r': lower,
	's': lower, 't': lower, 'u': lower, 'v': lower, 'w': lower, 'x': lower, 'y': lower, 'z': lower,
	0x80: high, 0x81: high, 0x82: high, 0x83: high, 0x84: high, 0x85: high, 0x86: high, 0x87: high,
	0x88: high, 0x89: high, 0x8A: high, 0x8B: high, 0x8C: high, 0x8D: high, 0x8E: high, 0x8F: high,
	0x90: high, 0x91: high, 0x92: high, 0x93: high, 0x94: high, 0x95: high, 0x96: high, 0x97: high,
	0x98: high, 0x99: high, 0x9A: high, 0x9B: high, 0x9C: high, 0x9D: high, 0x9E: high, 0x9F: high,
	0xA0: high, 0xA1: high, 0xA2: high, 0xA3: high, 0xA4: high, 0xA5: high, 0xA6: high, 0xA7: high,
	0xA8: high, 0xA9: high, 0xAA: high, 0xAB: high, 0xAC: high, 0xAD: high, 0xAE: high, 0xAF: high,
	0xB0: high, 0xB1: high, 0xB2: high, 0xB3: high, 0xB4: high, 0xB5: high, 0xB6: high, 0xB7: high,
	0xB8: high, 0xB9: high, 0xBA: high, 0xBB: high, 0xBC: high, 0xBD: high, 0xBE: high, 0xBF: high,
	0xC0: high, 0xC1: high, 0xC2: high, 0xC3: high, 0xC4: high, 0xC5: high, 0xC6: high, 0xC7: high,
	0xC8: high, 0xC9: high, 0xCA: high, 0xCB: high, 0xCC: high, 0xCD: high, 0xCE: high, 0xCF: high,
	0xD0: high, 0xD1: high, 0xD2: high, 0xD3: high, 0xD4: high, 0xD5: high, 0xD6: high, 0xD7: high,
	0xD8: high, 0xD9: high, 0xDA: high, 0xDB: high, 0xDC: high, 0xDD: high, 0xDE: high, 0xDF: high,
	0xE0: high, 0xE1: high, 0xE2: high, 0xE3: high, 0xE4: high, 0xE5: high, 0xE6: high, 0xE7: high,
	0xE8: high, 0xE9: high, 0xEA: high, 0xEB: high, 0xEC: high, 0xED: high, 0xEE: high, 0xEF: high,
	0xF0: high, 0xF1: high, 0xF2: high, 0xF3: high, 0xF4: high, 0xF5: high, 0xF6: high, 0xF7: high,
	0xF8: high, 0xF9: high, 0xFA: high, 0xFB: high, 0xFC: high, 0xFD: high, 0xFE: high, 0xFF: high,
}

// class returns the class and the length in bytes of the character at b[i]. An invalid byte is one
// character of its own, of the class of U+FFFD.
func class(b []byte, i int) (class uint8, size int) {
	if c := b[i]; c < utf8.RuneSelf {
		return firstClass[c], 1
	}
	r, n := utf8.DecodeRune(b[i:])
	block := int(unicodeTable[r>>7])
	return unicodeTable[(utf8.MaxRune+1)>>7+block<<7+int(r&127)], n
}

// isLetter reports whether a class is \p{L}.
func isLetter(c uint8) bool { return c == lower || c == upper || c == letter }

// incomplete returns the length of a character at the end of b that lacks bytes.
func incomplete(b []byte) int {
	for k := 1; k < utf8.UTFMax && k <= len(b); k++ {
		if tail := b[len(b)-k:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return k
		}
	}
	return 0
}
