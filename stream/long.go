package stream

import (
	"errors"
	"math"
)

// noLimit is the longer of a Scanner that looks for no string.
const noLimit = math.MaxInt

// errLong ends skipTo before a long string. It never leaves the package.
var errLong = errors.New("long string")

// SkipToLong reads and checks what follows, as SkipTo does, but stops before a
// string value (not a name) whose raw body is longer than limit bytes, or is
// not in the window to its end: found is true then, and the string comes next.
// With depth containers open it begins with the next value, whatever it is.
func (s *Scanner) SkipToLong(depth, limit int) (found bool, err error) {
	s.longer = limit
	defer func() { s.longer = noLimit }()
	if s.depth > depth {
		err = s.SkipTo(depth)
		return err == errLong, ignoreLong(err)
	}
	c, err := s.advance()
	if err != nil {
		return false, err
	}
	if c == '"' {
		if q, _, e := stringBody(s.buf, s.pos+1, s.end); e == strMore || e == strClosed && q-s.pos-1 > limit {
			return true, nil
		}
	}
	err = s.skipValue(c)
	return err == errLong, ignoreLong(err)
}

func ignoreLong(err error) error {
	if err == errLong {
		return nil
	}
	return err
}
