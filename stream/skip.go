package stream

import "math/bits"

// Skip reads and checks the next value, whatever its size. Before a name or the
// end of a container the error is [ErrNoValue], after the last value io.EOF.
// What was not read of the token before is passed over.
func (s *Scanner) Skip() error {
	c, err := s.advance()
	if err != nil {
		return err
	}
	return s.skipValue(c)
}

// skipValue is Skip from the first byte of the value on, which is c.
func (s *Scanner) skipValue(c byte) error {
	p := s.pos
	k, ok := s.kindOf(c)
	if !ok {
		return s.noToken(p)
	}
	d := s.depth
	switch k {
	case Name, ObjectEnd, ArrayEnd:
		return ErrNoValue
	case ObjectBegin, ArrayBegin:
		s.tok = s.base + int64(p)
		r, st := noName, ExpectMember
		if k == ArrayBegin {
			r, st = 0, ExpectElement
		}
		if err := s.push(p, r, st); err != nil {
			return err
		}
		s.pos = p + 1
		return s.skipTo(d)
	}
	if _, err := s.token(c); err != nil {
		return err
	}
	err := s.skipBody()
	s.held = heldNone
	return err
}

// SkipTo reads and checks the rest of the innermost containers, until only depth
// of them are open.
func (s *Scanner) SkipTo(depth int) error {
	if s.err != nil {
		return s.err
	}
	if s.depth <= depth {
		return nil
	}
	if s.body != End {
		if err := s.skipBody(); err != nil {
			return err
		}
	}
	s.held = heldNone
	return s.skipTo(depth)
}

// skipTo is the fast path: the whole grammar in one function that keeps its
// place in registers and makes no tokens. s.depth is greater than d.
func (s *Scanner) skipTo(d int) error {
	var (
		buf   = s.buf
		p     = s.pos
		st    = s.st // what to go on with after more input was read
		cur   = s.cur
		depth = s.depth
		outer = s.outer
		c     byte
		k     Kind
		q     int
		m     uint64
		e     strEnd
		ok    bool
		moved int
		err   error
		limit = s.longer
	)

resume:
	switch st {
	case ExpectElement:
		goto element
	case ExpectMember:
		goto member
	case ExpectName:
		goto name
	case ExpectColon:
		goto colon
	case ExpectComma:
		goto comma
	}

value:
	c = at(buf, p)
	if c <= ' ' {
		p = blanks(buf, p)
		c = at(buf, p)
	}
	if c == '"' {
		q, _, e = stringBody(buf, p+1, s.end)
		if e != strClosed {
			s.cur, s.depth = cur, depth
			if limit != noLimit && e == strMore {
				goto long
			}
			if q, err = s.restOfString(q, e); err != nil {
				return err
			}
		} else if q-p-1 > limit {
			goto long
		}
		p = q + 1
		goto comma
	}
	if c-'0' < 10 || c == '-' {
		if q, ok = number(buf, p); !ok || q >= s.end {
			s.cur, s.depth = cur, depth
			if q, err = s.restOfNumber(p); err != nil {
				return err
			}
		}
		p = q
		goto comma
	}
	switch c {
	case '{', '[':
		if depth == len(outer) {
			s.cur, s.depth = cur, depth
			if err = s.deepen(p); err != nil {
				return err
			}
			outer = s.outer
		}
		outer[depth] = cur
		depth++
		p++
		if c == '[' {
			cur = 0
			goto element
		}
		cur = noName
		goto member
	case 't':
		k = True
		if load32(buf, p) == 't'|'r'<<8|'u'<<16|'e'<<24 {
			p += 4
			goto comma
		}
	case 'n':
		k = Null
		if load32(buf, p) == 'n'|'u'<<8|'l'<<16|'l'<<24 {
			p += 4
			goto comma
		}
	case 'f':
		k = False
		if load32(buf, p+1) == 'a'|'l'<<8|'s'<<16|'e'<<24 {
			p += 5
			goto comma
		}
	default:
		st = ExpectValue
		goto other
	}
	s.cur, s.depth = cur, depth
	if p, err = s.literal(p, k); err != nil {
		return err
	}

comma: // after a value
	c = at(buf, p)
	if c <= ' ' {
		p = blanks(buf, p)
		c = at(buf, p)
	}
	if c == ',' {
		p++
		if cur < 0 {
			goto name
		}
		cur++
		goto value
	}
	if c == closer(cur) {
		p++
		goto closed
	}
	st = ExpectComma
	goto other

name:
	c = at(buf, p)
	if c <= ' ' {
		p = blanks(buf, p)
		c = at(buf, p)
	}
	if c == '"' {
		goto body
	}
	cur = noName
	st = ExpectName
	goto other

member: // the first one
	c = at(buf, p)
	if c <= ' ' {
		p = blanks(buf, p)
		c = at(buf, p)
	}
	if c == '"' {
		goto body
	}
	if c == '}' {
		p++
		goto closed
	}
	st = ExpectMember
	goto other

body: // of a name
	cur = ^record(s.base + int64(p))
	// most names are short
	m = stopByte(load64(buf, p+1))
	q = p + 1 + bits.TrailingZeros64(m)>>3
	if at(buf, q) != '"' {
		q, _, e = stringBody(buf, p+1, s.end)
		if e != strClosed {
			s.cur, s.depth = cur, depth
			if q, err = s.restOfName(q, e); err != nil {
				return err
			}
		}
	}
	p = q + 1

colon:
	c = at(buf, p)
	if c <= ' ' {
		p = blanks(buf, p)
		c = at(buf, p)
	}
	if c == ':' {
		p++
		goto value
	}
	st = ExpectColon
	goto other

element: // the first one
	c = at(buf, p)
	if c <= ' ' {
		p = blanks(buf, p)
		c = at(buf, p)
	}
	if c == ']' {
		p++
		goto closed
	}
	if p < s.end {
		cur = 1
		goto value
	}
	st = ExpectElement

other: // than what may come, or the end of the window
	s.cur, s.depth, s.st = cur, depth, st
	if p < s.end {
		return s.noToken(p)
	}
	if moved, ok = s.fill(p); !ok {
		return s.short(s.want())
	}
	p -= moved
	goto resume

long: // a string that SkipToLong looks for begins at p
	s.cur, s.depth, s.pos, s.st = cur, depth, p, ExpectValue
	return errLong

closed:
	depth--
	cur = outer[depth]
	if depth > d {
		goto comma
	}
	s.cur, s.depth, s.pos = cur, depth, p
	s.st = s.afterValue()
	return nil
}

// restOfString goes on where stringBody stopped at q with e, and returns the
// index of the closing quote.
func (s *Scanner) restOfString(q int, e strEnd) (int, error) {
	for e == strMore {
		moved, more := s.fill(q)
		q -= moved
		if !more {
			return 0, s.stringEnds(q)
		}
		q, _, e = stringBody(s.buf, q, s.end)
	}
	if e != strClosed {
		return 0, s.fail(q, e.want())
	}
	return q, nil
}

// restOfName is restOfString for a name: an error in it belongs to the object.
func (s *Scanner) restOfName(q int, e strEnd) (int, error) {
	for e == strMore {
		moved, more := s.fill(q)
		q -= moved
		if !more {
			s.cur = noName
			return 0, s.stringEnds(q)
		}
		q, _, e = stringBody(s.buf, q, s.end)
	}
	if e != strClosed {
		s.cur = noName
		return 0, s.fail(q, e.want())
	}
	return q, nil
}

// restOfNumber passes the number at p, which goes on behind the window or is
// malformed, and returns the index behind it.
func (s *Scanner) restOfNumber(p int) (int, error) {
	n := numStart
	for {
		p, n = numberFrom(s.buf, p, n)
		if p < s.end {
			return p, s.numberEnds(p, n)
		}
		moved, more := s.fill(p)
		p -= moved
		if !more {
			return p, s.numberEnds(p, n)
		}
	}
}
