package stream

import (
	"io"
	"math/bits"
)

// blanks returns the index of the first byte from p on that is not white space,
// which may be the one behind the window.
func blanks(buf []byte, p int) int {
	for {
		c := at(buf, p)
		if c == '\n' || c == '\r' || c == '\t' {
			p++
			continue
		}
		if c != ' ' {
			return p
		}
		// indented text has long runs of spaces
		x := load64(buf, p) ^ lsb*' '
		for x == 0 {
			p += 8
			x = load64(buf, p) ^ lsb*' '
		}
		p += bits.TrailingZeros64(x) >> 3
	}
}

// space passes white space from p on, reading more if need be. It returns the
// index of the byte after it; ok is false at the end of the input.
func (s *Scanner) space(p int) (q int, ok bool) {
	for {
		p = blanks(s.buf, p)
		if p < s.end {
			return p, true
		}
		moved, more := s.fill(p)
		p -= moved
		if !more {
			return p, false
		}
	}
}

// topSpace is space between values at top level, where there may also be a byte
// order mark and record separators.
func (s *Scanner) topSpace(p int) (q int, ok bool, err error) {
	if s.base == 0 && p == 0 {
		if p, err = s.byteOrderMark(); err != nil {
			return p, false, err
		}
	}
	for {
		if p, ok = s.space(p); !ok || !s.seq || s.buf[p] != recordSeparator {
			return p, ok, nil
		}
		p++
	}
}

// byteOrderMark returns the length of the UTF-8 byte order mark at the beginning
// of the input, 0 without one. Those of other encodings are an error.
func (s *Scanner) byteOrderMark() (int, error) {
	const utf8Mark = "\xEF\xBB\xBF"
	have := func(n int) bool {
		for s.end < n {
			if _, more := s.fill(0); !more {
				return false
			}
		}
		return true
	}
	if !have(1) {
		return 0, nil
	}
	name := ""
	switch {
	case s.buf[0] == utf8Mark[0]:
		if have(2) && s.buf[1] == utf8Mark[1] && have(3) && s.buf[2] == utf8Mark[2] {
			return len(utf8Mark), nil
		}
	case s.buf[0] == 0xFE && have(2) && s.buf[1] == 0xFF:
		name = "UTF-16BE"
	case s.buf[0] == 0xFF && have(2) && s.buf[1] == 0xFE:
		name = "UTF-16LE"
		if have(4) && s.buf[2] == 0 && s.buf[3] == 0 {
			name = "UTF-32LE"
		}
	case s.buf[0] == 0 && have(4) && string(s.buf[:4]) == "\x00\x00\xFE\xFF":
		name = "UTF-32BE"
	}
	switch {
	case name != "":
		return 0, s.failText(0, "the input is "+name+", JSON must be UTF-8")
	case s.srcErr != nil && s.srcErr != io.EOF && s.buf[0] == utf8Mark[0]:
		return 0, s.failRead()
	}
	return 0, nil
}

// want says what may come next.
func (s *Scanner) want() string {
	switch s.st {
	case ExpectElement:
		return "a value or ']' must follow '['"
	case ExpectMember:
		return "a name in double quotes or '}' must follow '{'"
	case ExpectName:
		return "a name in double quotes must follow ','"
	case ExpectColon:
		return "':' must follow a name"
	case ExpectComma:
		if s.cur < 0 {
			return "',' or '}' must follow a member of an object"
		}
		return "',' or ']' must follow an element of an array"
	}
	return "expected a value"
}

// closer is the byte that ends the container of record r.
func closer(r record) byte { return ']' | byte(uint64(r)>>63)<<5 }

// advance goes to the first byte of the next token, over what is left of this
// one, white space, ',' and ':', and returns that byte. The error is io.EOF at
// the end of the input.
func (s *Scanner) advance() (byte, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.body != End {
		if err := s.skipBody(); err != nil {
			return 0, err
		}
	}
	s.held = heldNone
	p, ok := s.pos, true
	if s.st == ExpectAny {
		var err error
		if p, ok, err = s.topSpace(p); err != nil {
			return 0, err
		}
		s.pos = p
		if !ok {
			s.tok = s.base + int64(p)
			if s.srcErr != io.EOF {
				return 0, s.failRead()
			}
			return 0, io.EOF
		}
		return s.buf[p], nil
	}
	c := at(s.buf, p)
	if c <= ' ' {
		if p, ok = s.space(p); !ok {
			return 0, s.short(s.want())
		}
		c = s.buf[p]
	}
	switch s.st {
	case ExpectComma, ExpectColon:
		switch {
		case c == ':' && s.st == ExpectColon:
			s.st = ExpectValue
		case s.st == ExpectColon:
			return 0, s.fail(p, s.want())
		case c != ',':
			if c != closer(s.cur) {
				return 0, s.fail(p, s.want())
			}
			s.pos = p
			return c, nil
		case s.cur < 0:
			s.st, s.cur = ExpectName, noName
		default:
			s.st = ExpectValue
			s.cur++
		}
		p++
		c = at(s.buf, p)
		if c <= ' ' {
			if p, ok = s.space(p); !ok {
				return 0, s.short(s.want())
			}
			c = s.buf[p]
		}
		if s.st == ExpectName && c != '"' {
			return 0, s.fail(p, s.want())
		}
	case ExpectElement:
		if c != ']' {
			s.st, s.cur = ExpectValue, 1
		}
	case ExpectMember:
		if c != '"' && c != '}' {
			return 0, s.fail(p, s.want())
		}
	case ExpectName:
		if c != '"' {
			return 0, s.fail(p, s.want())
		}
	}
	s.pos = p
	return c, nil
}

// kindOf returns the kind of the token that begins with c.
func (s *Scanner) kindOf(c byte) (Kind, bool) {
	switch c {
	case '"':
		if s.st == ExpectName || s.st == ExpectMember {
			return Name, true
		}
		return String, true
	case '{':
		return ObjectBegin, true
	case '[':
		return ArrayBegin, true
	case '}':
		return ObjectEnd, s.st == ExpectComma || s.st == ExpectMember
	case ']':
		return ArrayEnd, s.st == ExpectComma || s.st == ExpectElement
	case 't':
		return True, true
	case 'f':
		return False, true
	case 'n':
		return Null, true
	}
	return Number, c == '-' || c-'0' < 10
}

// noToken is the error of a byte at which no token begins.
func (s *Scanner) noToken(p int) error {
	if s.buf[p] == recordSeparator && s.depth == 0 {
		return s.failText(p, "expected a value, found the record separator of a text sequence (RFC 7464)")
	}
	if s.st == ExpectAny {
		return s.fail(p, "expected a value")
	}
	return s.fail(p, s.want())
}

// Next reads the next token and returns its kind, which is End after the last
// value. What was not read of the token before is passed over. The token is at
// hand whole ([Scanner.Whole]) or to be had in pieces ([Scanner.Chunk],
// [Scanner.Text]). The error is a [*SyntaxError] or that of the reader.
func (s *Scanner) Next() (Kind, error) {
	// advance, for what follows ',' and ':' at once
	if s.body == End && s.err == nil {
		c := at(s.buf, s.pos)
		next := at(s.buf, s.pos+1)
		switch {
		case next <= ' ':
		case c == ',' && s.st == ExpectComma && s.cur >= 0:
			s.st = ExpectValue
			s.cur++
			s.pos++
			return s.token(next)
		case c == ',' && s.st == ExpectComma && next == '"':
			s.st, s.cur = ExpectName, noName
			s.pos++
			return s.token(next)
		case c == ':' && s.st == ExpectColon:
			s.st = ExpectValue
			s.pos++
			return s.token(next)
		}
	}
	c, err := s.advance()
	if err != nil {
		if err == io.EOF && s.err == nil {
			err = nil
		}
		return End, err
	}
	return s.token(c)
}

// token reads the token that begins with c, at s.pos.
func (s *Scanner) token(c byte) (Kind, error) {
	p := s.pos
	s.tok = s.base + int64(p)
	var k Kind
	switch c {
	case '"':
		k, after := String, s.afterValue()
		if s.st == ExpectName || s.st == ExpectMember {
			k, after = Name, ExpectColon
		}
		// most strings are short and plain
		buf, q := s.buf, p+1
		m := stopByte(load64(buf, q))
		if m == 0 {
			q += 8
			m = stopByte(load64(buf, q))
		}
		q += bits.TrailingZeros64(m) >> 3
		if at(buf, q) != '"' {
			return s.stringToken(p, k, after)
		}
		if k == Name {
			s.cur = ^record(s.tok)
		}
		s.hold(p, q+1)
		s.bodyLen, s.less = int64(q-p-1), 0
		s.st, s.pos = after, q+1
		return k, nil
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return s.numberToken(p)
	case '{':
		if err := s.push(p, noName, ExpectMember); err != nil {
			return End, err
		}
		k = ObjectBegin
	case '[':
		if err := s.push(p, 0, ExpectElement); err != nil {
			return End, err
		}
		k = ArrayBegin
	case '}':
		if s.st != ExpectComma && s.st != ExpectMember {
			return End, s.noToken(p)
		}
		s.pop()
		k = ObjectEnd
	case ']':
		if s.st != ExpectComma && s.st != ExpectElement {
			return End, s.noToken(p)
		}
		s.pop()
		k = ArrayEnd
	default:
		k, ok := s.kindOf(c)
		if !ok {
			return End, s.noToken(p)
		}
		q, err := s.literal(p, k)
		if err != nil {
			return End, err
		}
		s.st, s.pos = s.afterValue(), q
		s.hold(q-len(kindNames[k]), q)
		return k, nil
	}
	s.pos = p + 1
	s.hold(p, p+1)
	return k, nil
}

func (s *Scanner) hold(a, b int) { s.tokA, s.tokB, s.held = a, b, heldWhole }

// stringToken reads the string at p, or as much as the window can hold of it.
func (s *Scanner) stringToken(p int, k Kind, after Expect) (Kind, error) {
	q, less, e := stringBody(s.buf, p+1, s.end)
	for e == strMore {
		if s.end-p >= s.limit() {
			s.body, s.after, s.held, s.checked, s.pos = k, after, heldNone, q, p+1
			s.bodyLen, s.less = int64(q-p-1), int64(less)
			if k == Name {
				s.cur = ^record(s.tok)
			}
			return k, nil
		}
		moved, more := s.fill(p)
		p -= moved
		q -= moved
		if !more {
			return End, s.stringEnds(q)
		}
		var n int
		q, n, e = stringBody(s.buf, q, s.end)
		less += n
	}
	if e != strClosed {
		return End, s.fail(q, e.want())
	}
	if k == Name {
		s.cur = ^record(s.tok)
	}
	s.tokA, s.tokB, s.held = p, q+1, heldWhole
	s.bodyLen, s.less = int64(q-p-1), int64(less)
	s.st, s.pos = after, q+1
	return k, nil
}

// stringEnds is the error of an input that ends in a string, of which the
// character at q, if any, is not whole.
func (s *Scanner) stringEnds(q int) error {
	if s.srcErr == io.EOF && q < s.end && s.buf[q] >= 0x80 {
		return s.fail(q, strUTF8.want())
	}
	return s.short("a string must end in a double quote")
}

// numberToken reads the number at p, or as much as the window can hold of it.
func (s *Scanner) numberToken(p int) (Kind, error) {
	q, ok := number(s.buf, p)
	if !ok || q >= s.end {
		n := numStart
		for q = p; ; {
			q, n = numberFrom(s.buf, q, n)
			if q < s.end {
				break
			}
			if s.end-p >= s.limit() {
				s.body, s.after, s.held, s.checked, s.num = Number, s.afterValue(), heldNone, q, n
				s.bodyLen, s.less = int64(q-p), 0
				return Number, nil
			}
			moved, more := s.fill(p)
			p -= moved
			q -= moved
			if !more {
				break
			}
		}
		if err := s.numberEnds(q, n); err != nil {
			return End, err
		}
	}
	if s.depth == 0 {
		if err := s.delimited(q); err != nil {
			return End, err
		}
	}
	s.tokA, s.tokB, s.held = p, q, heldWhole
	s.bodyLen, s.less = int64(q-p), 0
	s.st, s.pos = s.afterValue(), q
	return Number, nil
}

// numberEnds checks that the number that ends before q, in state n, may do so.
func (s *Scanner) numberEnds(q int, n numState) error {
	switch {
	case q == s.end && s.srcErr != io.EOF:
		return s.failRead()
	case !n.complete():
		return s.fail(q, n.want())
	}
	return nil
}

// delimited checks that the byte at q, if there is one, may follow a number or a
// literal at top level.
func (s *Scanner) delimited(q int) error {
	if q == s.end {
		return nil
	}
	switch s.buf[q] {
	case ' ', '\t', '\r', '\n', '"', '{', '}', '[', ']', ',', ':':
		return nil
	}
	return s.fail(q, "white space must follow a number, true, false or null at top level")
}

// literalEnd has the last four letters of the literals, as load32 gives them;
// the first letter is known.
var literalEnd = [...]uint32{
	Null:  'n' | 'u'<<8 | 'l'<<16 | 'l'<<24,
	False: 'a' | 'l'<<8 | 's'<<16 | 'e'<<24,
	True:  't' | 'r'<<8 | 'u'<<16 | 'e'<<24,
}

// literal checks that the word of kind k is at p, and returns the index behind
// it.
func (s *Scanner) literal(p int, k Kind) (int, error) {
	word := kindNames[k]
	if s.depth > 0 && load32(s.buf, p+len(word)-4) == literalEnd[k] && p+len(word) <= s.end {
		return p + len(word), nil
	}
	for {
		n := min(len(word), s.end-p)
		for i := 1; i < n; i++ {
			if s.buf[p+i] != word[i] {
				return 0, s.fail(p+i, "expected "+word)
			}
		}
		if n == len(word) && (s.depth > 0 || s.end-p > n) {
			break
		}
		moved, more := s.fill(p)
		p -= moved
		if more {
			continue
		}
		if n < len(word) {
			return 0, s.short("expected " + word)
		}
		if s.srcErr != io.EOF {
			return 0, s.failRead()
		}
		break
	}
	q := p + len(word)
	if s.depth == 0 {
		return q, s.delimited(q)
	}
	return q, nil
}

// Peek returns the kind that [Scanner.Next] will return, without reading the
// token: only white space, ',' and ':' are consumed, and what was not read of
// the token before. That token is no longer at hand then.
func (s *Scanner) Peek() (Kind, error) {
	c, err := s.advance()
	if err != nil {
		if err == io.EOF && s.err == nil {
			err = nil
		}
		return End, err
	}
	k, ok := s.kindOf(c)
	if !ok {
		return End, s.noToken(s.pos)
	}
	return k, nil
}

// More reports whether the open array or object has another element or member,
// at top level whether the input has another value. InputOffset is then that of
// the first byte of the element, the name or the value. The end of the container
// is not consumed.
//
//	for {
//		more, err := s.More()
//		if err != nil || !more {
//			return err
//		}
//		if err := s.Skip(); err != nil {
//			return err
//		}
//	}
func (s *Scanner) More() (bool, error) {
	c, err := s.advance()
	if err != nil {
		if err == io.EOF && s.err == nil {
			err = nil
		}
		return false, err
	}
	switch s.st {
	case ExpectElement, ExpectMember, ExpectComma:
		return c != ']' && c != '}', nil
	}
	return true, nil
}

// Whole returns the raw bytes of the token, strings with their quotes, if the
// window holds all of it, as it does for any token of at most half its length.
// They are valid until the next call of a method that reads.
func (s *Scanner) Whole() (raw []byte, ok bool) {
	if s.held == heldNone {
		return nil, false
	}
	return s.buf[s.tokA:s.tokB], true
}

// Chunk returns the next piece of the raw body of the string, name or number
// that was read, strings without their quotes: in one piece if the token is
// whole. No piece ends inside an escape sequence, a pair of surrogate escapes or
// a UTF-8 sequence. done is set with the last piece, which may be empty, and
// after it. The piece is valid until the next call of a method that reads.
func (s *Scanner) Chunk() (raw []byte, done bool, err error) {
	if s.err != nil {
		return nil, false, s.err
	}
	switch s.body {
	case End:
		if s.held != heldWhole {
			return nil, true, nil
		}
		s.held = heldPassed
		raw = s.buf[s.tokA:s.tokB]
		if raw[0] == '"' {
			raw = raw[1 : len(raw)-1]
		}
		return raw, true, nil
	case Number:
		return s.numberChunk()
	}
	p := s.pos
	if s.checked > p {
		s.pos = s.checked
		return s.buf[p:s.pos], false, nil
	}
	for {
		q, less, e := stringBody(s.buf, p, s.end)
		if e > strMore {
			if s.body == Name {
				s.cur = noName
			}
			return nil, false, s.fail(q, e.want())
		}
		s.bodyLen += int64(q - p)
		s.less += int64(less)
		if e == strClosed {
			s.pos, s.st, s.body = q+1, s.after, End
			return s.buf[p:q], true, nil
		}
		if q > p {
			s.pos, s.checked = q, q
			return s.buf[p:q], false, nil
		}
		moved, more := s.fill(p)
		p -= moved
		s.checked = p
		if !more {
			if s.body == Name {
				s.cur = noName
			}
			return nil, false, s.stringEnds(p)
		}
	}
}

func (s *Scanner) numberChunk() (raw []byte, done bool, err error) {
	p := s.pos
	if s.checked > p {
		s.pos = s.checked
		return s.buf[p:s.pos], false, nil
	}
	more := true
	if p == s.end {
		var moved int
		moved, more = s.fill(p)
		p -= moved
	}
	q, n := numberFrom(s.buf, p, s.num)
	s.num, s.checked, s.pos = n, q, q
	s.bodyLen += int64(q - p)
	if q == s.end && more {
		return s.buf[p:q], false, nil
	}
	if err := s.numberEnds(q, n); err != nil {
		return nil, false, err
	}
	if s.depth == 0 {
		if err := s.delimited(q); err != nil {
			return nil, false, err
		}
	}
	s.st, s.body = s.after, End
	return s.buf[p:q], true, nil
}

// skipBody passes what Chunk has not returned.
func (s *Scanner) skipBody() error {
	for s.body != End {
		if _, _, err := s.Chunk(); err != nil {
			return err
		}
	}
	return nil
}

// Chars returns the number of characters (code points) of the string or name, as
// far as it has been read: of all of it if it is whole or Chunk or Text are done.
// An escape sequence is one, a pair of surrogate escapes too.
func (s *Scanner) Chars() int64 { return s.bodyLen - s.less }
