package stream

import "math/bits"

// numState is how far a number (RFC 8259 section 6) has been read.
type numState uint8

const (
	numStart numState = iota // before an optional minus
	numMinus
	numZero
	numInt
	numDot
	numFrac
	numE
	numESign
	numExp
)

// complete reports whether the number may end here.
func (n numState) complete() bool {
	return n == numZero || n == numInt || n == numFrac || n == numExp
}

// want says what must come next in a number that is not complete.
func (n numState) want() string {
	switch n {
	case numDot:
		return "a digit must follow the decimal point of a number"
	case numE, numESign:
		return "a digit must follow the exponent sign of a number"
	}
	return "a digit must follow '-'"
}

// number returns the index behind the number that begins at p. ok is false if it
// is malformed. A number that touches the end of the window may go on there, and
// may look malformed.
func number(buf []byte, p int) (q int, ok bool) {
	if at(buf, p) == '-' {
		p++
	}
	if at(buf, p) == '0' {
		p++
	} else {
		q := digits(buf, p)
		if q == p {
			return p, false
		}
		p = q
	}
	c := at(buf, p)
	if c == '.' {
		q := digits(buf, p+1)
		if q == p+1 {
			return p, false
		}
		p = q
		c = at(buf, p)
	}
	if c|0x20 == 'e' {
		p++
		if c = at(buf, p); c == '+' || c == '-' {
			p++
		}
		q := digits(buf, p)
		if q == p {
			return p, false
		}
		p = q
	}
	return p, true
}

// digits returns the index of the first byte from p on that is not a digit.
func digits(buf []byte, p int) int {
	for {
		// A digit becomes 0 to 9. A carry out of a byte of the sum needs a byte
		// of at least 0x8A, whose own high bit is set: the first hit is right.
		x := load64(buf, p) ^ lsb*'0'
		if m := ((x + lsb*0x76) | x) & msb; m != 0 {
			return p + bits.TrailingZeros64(m)>>3
		}
		p += 8
	}
}

// numberFrom goes on with a number at p, where state n was reached, and returns
// the index of the first byte that does not belong to it with the state there.
func numberFrom(buf []byte, p int, n numState) (int, numState) {
	for {
		c := at(buf, p)
		digit := c-'0' < 10
		switch n {
		case numStart, numMinus:
			switch {
			case c == '-' && n == numStart:
				n = numMinus
			case c == '0':
				n = numZero
			case digit:
				n = numInt
			default:
				return p, n
			}
		case numZero, numInt:
			switch {
			case digit && n == numInt:
				p = digits(buf, p)
				continue
			case c == '.':
				n = numDot
			case c|0x20 == 'e':
				n = numE
			default:
				return p, n
			}
		case numDot:
			if !digit {
				return p, n
			}
			n = numFrac
		case numFrac:
			switch {
			case digit:
				p = digits(buf, p)
				continue
			case c|0x20 == 'e':
				n = numE
			default:
				return p, n
			}
		case numE, numESign:
			switch {
			case digit:
				n = numExp
			case (c == '+' || c == '-') && n == numE:
				n = numESign
			default:
				return p, n
			}
		case numExp:
			if !digit {
				return p, n
			}
			p = digits(buf, p)
			continue
		}
		p++
	}
}
