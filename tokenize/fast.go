package tokenize

import (
	"encoding/binary"
	"math/bits"
)

// The fast scanners find the end of the piece at b[i] where ASCII alone decides it, eight bytes at a time, and return
// -1 where the exact ones must. i is below lim, which is countAhead bytes before the end of b; a piece that may
// reach lim is not theirs either.

const (
	highBits = 0x8080808080808080
	lowBits  = 0x7f7f7f7f7f7f7f7f
	ones     = 0x0101010101010101
	spaces   = 0x2020202020202020
)

func load64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// notLower sets the high bit of every byte of x that is not in a..z.
func notLower(x uint64) uint64 {
	y := x & lowBits
	return (x | ^(y + 0x1f*ones) | (y + 0x05*ones)) & highBits
}

// notUpper sets the high bit of every byte of x that is not in A..Z.
func notUpper(x uint64) uint64 {
	y := x & lowBits
	return (x | ^(y + 0x3f*ones) | (y + 0x25*ones)) & highBits
}

// firstByte returns the index of the first byte of x that is not zero, 8 if there is none.
func firstByte(x uint64) int { return bits.TrailingZeros64(x) >> 3 }

func fastO200k(b []byte, i, lim int) int {
	w := load64(b, i)
	switch c0 := byte(w); firstClass[c0] {
	case number:
		return fastDigits3(i, w)
	case other, blank:
		switch firstClass[byte(w>>8)] {
		case upper, lower:
			i++
			w = load64(b, i)
		case high:
			return -1
		case other:
			if c0 == ' ' {
				i++
			}
			if c0 == ' ' || firstClass[c0] == other {
				return fastPunct(b, i, lim, '/')
			}
			return fastSpace(b, i, lim)
		default:
			if firstClass[c0] == other {
				return fastPunct(b, i, lim, '/')
			}
			return fastSpace(b, i, lim)
		}
	case newline:
		return fastSpace(b, i, lim)
	case high:
		return -1
	}
	up := firstByte(notUpper(w))
	k := firstByte(notLower(w) &^ (1<<(8*uint(up)&127) - 1))
	e := i + k
	if k == 8 {
		for k = up; k == 8 && e < lim; e += k {
			k = firstByte(notUpper(load64(b, e)))
		}
		for k = 8; k == 8 && e < lim; e += k {
			k = firstByte(notLower(load64(b, e)))
		}
		if e >= lim {
			return -1
		}
	}
	switch c := b[e]; {
	case c == '\'':
		e, _ = contraction(b, e, true)
	case c >= 0x80:
		return -1
	}
	return e
}

func fastCl100k(b []byte, i, lim int) int {
	w := load64(b, i)
	switch c0 := byte(w); firstClass[c0] {
	case number:
		return fastDigits3(i, w)
	case other, blank:
		if c0 == '\'' {
			if e, _ := contraction(b, i, true); e > i {
				return e
			}
		}
		switch firstClass[byte(w>>8)] {
		case upper, lower:
			i++
			w = load64(b, i)
		case high:
			return -1
		case other:
			if c0 == ' ' {
				i++
			}
			if c0 == ' ' || firstClass[c0] == other {
				return fastPunct(b, i, lim, '\n')
			}
			return fastSpace(b, i, lim)
		default:
			if firstClass[c0] == other {
				return fastPunct(b, i, lim, '\n')
			}
			return fastSpace(b, i, lim)
		}
	case newline:
		return fastSpace(b, i, lim)
	case high:
		return -1
	}
	k := firstByte(notLower(w|spaces) | w&highBits)
	if k == 8 {
		return fastLetters(b, i+8, lim)
	}
	if b[i+k] >= 0x80 {
		return -1
	}
	return i + k
}

func fastGPT2(b []byte, i, lim int) int {
	k := i
	switch b[i] {
	case '\'':
		if e, _ := contraction(b, i, false); e > i {
			return e
		}
	case ' ':
		k++
	}
	switch firstClass[b[k]] {
	case upper, lower:
		return fastLetters(b, k, lim)
	case number:
		for k < lim && firstClass[b[k]] == number {
			k++
		}
	case other:
		for k < lim && firstClass[b[k]] == other {
			k++
		}
	case blank, newline:
		for k = i; k < lim && (firstClass[b[k]] == blank || firstClass[b[k]] == newline); {
			k++
		}
		if k > i+1 && k < lim && b[k] < 0x80 {
			return k - 1
		}
	default:
		return -1
	}
	if k >= lim || b[k] >= 0x80 {
		return -1
	}
	return k
}

// fastLetters matches \p{L}* at i.
func fastLetters(b []byte, i, lim int) int {
	for k := 8; k == 8; i += k {
		if i >= lim {
			return -1
		}
		w := load64(b, i)
		k = firstByte(notLower(w|spaces) | w&highBits)
	}
	if b[i] >= 0x80 {
		return -1
	}
	return i
}

// fastDigits3 matches \p{N}{1,3} at i, which starts with the bytes w.
func fastDigits3(i int, w uint64) int {
	for range 2 {
		i++
		w >>= 8
		switch firstClass[byte(w)] {
		case number:
		case high:
			return -1
		default:
			return i
		}
	}
	return i + 1
}

// fastPunct matches [^\s\p{L}\p{N}]+[\r\n]* at i, with slash '/' [^\s\p{L}\p{N}]+[\r\n/]*.
func fastPunct(b []byte, i, lim int, slash byte) int {
	for i < lim && firstClass[b[i]] == other {
		i++
	}
	if b[i] >= 0x80 {
		return -1
	}
	for i < lim && (b[i] == '\n' || b[i] == '\r' || b[i] == slash) {
		i++
	}
	if i >= lim {
		return -1
	}
	return i
}

// fastSpace matches \s*[\r\n]+ or \s+(?!\S) or \s+ at i.
func fastSpace(b []byte, i, lim int) int {
	e, line := i, -1
	for {
		if e >= lim {
			return -1
		}
		k := firstByte(load64(b, e) ^ spaces | 1<<63)
		e += k
		if k == 7 {
			continue
		}
		c := b[e]
		switch firstClass[c] {
		case newline:
			e++
			line = e
			continue
		case blank:
			e++
			continue
		case high:
			return -1
		}
		break
	}
	switch {
	case line >= 0:
		return line
	case e > i+1:
		return e - 1
	}
	return e
}
