package stream

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Path leads from a value to one inside it: at each step the name of a member
// or the index of an element, whichever the value there has. The empty path is
// the value itself. The zero value is the empty path.
type Path []string

// A PathError says why a text is not a path.
type PathError struct {
	Path   string // the text
	Offset int    // bytes before the place the error is about
	Msg    string
}

func (e *PathError) Error() string {
	return fmt.Sprintf("path %q: at byte %d: %s", e.Path, e.Offset, e.Msg)
}

// ParsePath reads a path in one of two notations: a JSON pointer (RFC 6901),
// like /data/items/0, or the paths of jq's language, like .data.items[0],
// ."a name", .["a name"]. The empty text and the single dot are the empty path.
// The error is a *[PathError].
func ParsePath(s string) (Path, error) {
	if s == "" {
		return nil, nil
	}
	p := pathParser{text: s}
	switch s[0] {
	case '/':
		return p.pointer()
	case '.':
		return p.jq()
	}
	return nil, p.fail(0, "a path begins with / as in /data/items, or with . as in .data.items")
}

// pathParser reads a path from text; pos is the place reached.
type pathParser struct {
	text string
	pos  int
}

func (p *pathParser) fail(pos int, format string, args ...any) error {
	return &PathError{Path: p.text, Offset: pos, Msg: fmt.Sprintf(format, args...)}
}

func (p *pathParser) pointer() (Path, error) {
	if i := invalidUTF8(p.text); i >= 0 {
		return nil, p.fail(i, "not valid UTF-8")
	}
	for i := 0; i < len(p.text); i++ {
		if p.text[i] != '~' {
			continue
		}
		if i+1 == len(p.text) || p.text[i+1] != '0' && p.text[i+1] != '1' {
			return nil, p.fail(i, "~ stands for itself as ~0, / is written ~1")
		}
	}
	path := Path(strings.Split(p.text[1:], "/"))
	for i, name := range path {
		path[i] = unescapePointer.Replace(name)
	}
	return path, nil
}

var (
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
)

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(s string) int {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

func (p *pathParser) jq() (Path, error) {
	path := Path{}
	for p.pos < len(p.text) {
		step, err := p.step()
		if err != nil {
			return nil, err
		}
		if step != nil {
			path = append(path, *step)
		}
	}
	return path, nil
}

// step reads one step. It is nil for a dot that stands alone or before a
// bracket.
func (p *pathParser) step() (*string, error) {
	start := p.pos
	switch c := p.text[p.pos]; {
	case c == '[':
		return p.bracket()
	case c != '.':
		return nil, p.fail(start, "unexpected %s, want . or [", p.shown(start))
	}
	p.pos++
	if p.pos == len(p.text) {
		if start > 0 {
			return nil, p.fail(p.pos, "a name is missing after the dot")
		}
		return nil, nil
	}
	switch c := p.text[p.pos]; {
	case c == '[':
		return nil, nil
	case c == '"':
		name, err := p.quoted()
		return &name, err
	case !isNameByte(c) || c >= '0' && c <= '9':
		return nil, p.fail(p.pos, `unexpected %s, want a name (one that is not a word is written .["like this"])`, p.shown(p.pos))
	}
	start = p.pos
	for p.pos < len(p.text) && isNameByte(p.text[p.pos]) {
		p.pos++
	}
	if p.pos < len(p.text) && p.text[p.pos] != '.' && p.text[p.pos] != '[' {
		return nil, p.fail(p.pos, `unexpected %s in a name (one that is not a word is written .["like this"])`, p.shown(p.pos))
	}
	name := p.text[start:p.pos]
	return &name, nil
}

// bracket reads an index or a quoted name in brackets.
func (p *pathParser) bracket() (*string, error) {
	open := p.pos
	p.pos++
	rest := p.text[p.pos:]
	var name string
	switch {
	case rest == "":
		return nil, p.fail(open, "the bracket is not closed")
	case rest[0] == '"':
		var err error
		if name, err = p.quoted(); err != nil {
			return nil, err
		}
	case rest[0] == '-':
		return nil, p.fail(p.pos, "an index from the end is not supported: a stream's end is not known in advance")
	case rest[0] == ']':
		return nil, p.fail(open, "an index or a quoted name is missing between the brackets; a path leads to one value")
	default:
		n := 0
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n == 0 {
			return nil, p.fail(p.pos, "unexpected %s, want an index or a quoted name", p.shown(p.pos))
		}
		i, err := strconv.ParseInt(rest[:n], 10, 64)
		if err != nil {
			return nil, p.fail(p.pos, "the index is too large")
		}
		name = strconv.FormatInt(i, 10)
		p.pos += n
	}
	if p.pos == len(p.text) {
		return nil, p.fail(open, "the bracket is not closed")
	}
	if p.text[p.pos] != ']' {
		return nil, p.fail(p.pos, "unexpected %s, want ]", p.shown(p.pos))
	}
	p.pos++
	return &name, nil
}

// quoted reads a JSON string.
func (p *pathParser) quoted() (string, error) {
	s := NewScanner(strings.NewReader(p.text[p.pos:]), Options{Window: len(p.text)})
	if _, err := s.Next(); err != nil {
		return "", p.fail(p.pos, "the name is not a JSON string")
	}
	var name []byte
	for {
		piece, done, err := s.Text()
		if err != nil {
			return "", p.fail(p.pos, "the name is not a JSON string")
		}
		name = append(name, piece...)
		if done {
			break
		}
	}
	p.pos += int(s.InputOffset())
	return string(name), nil
}

// shown returns the character at pos for a message.
func (p *pathParser) shown(pos int) string {
	r, _ := utf8.DecodeRuneInString(p.text[pos:])
	return strconv.QuoteRune(r)
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// String returns the path as a JSON pointer, whichever notation it was read
// from. The empty path is the empty text.
func (p Path) String() string {
	var b strings.Builder
	for _, name := range p {
		b.WriteByte('/')
		b.WriteString(escapePointer.Replace(name))
	}
	return b.String()
}

// Digest returns a number that tells paths apart: FNV-1a of the JSON pointer.
func (p Path) Digest() uint32 {
	h := fnv.New32a()
	h.Write([]byte(p.String()))
	return h.Sum32()
}

// Equal reports whether p and q are the same path.
func (p Path) Equal(q Path) bool { return slices.Equal(p, q) }

// index returns the index an element has whose step is called name, or -1: a
// decimal number without a sign or leading zeros (RFC 6901 section 4).
func index(name string) int64 {
	if name == "" || name[0] == '0' && name != "0" || name[0] < '0' || name[0] > '9' {
		return -1
	}
	i, err := strconv.ParseInt(name, 10, 64)
	if err != nil {
		return -1
	}
	return i
}

// Descend goes from before a value to the first byte of the one that p leads to
// inside it.
// Where an object has a name several times its first member counts. Names are
// compared decoded, so "\u0061" is found as a. If there is no such value, the
// whole outer one has been consumed and checked and found is false.
func Descend(s *Scanner, p Path) (found bool, err error) {
	depth := s.Depth()
	for _, step := range p {
		ok, err := child(s, step)
		if err != nil {
			return false, err
		}
		if !ok {
			return false, Ascend(s, depth)
		}
	}
	kind, err := s.Peek()
	return kind != End, err
}

// Ascend consumes and checks what is left of all objects and arrays deeper than
// depth. After the target of [Descend] has been consumed, it finishes the value
// that Descend began with; depth is what [Scanner.Depth] was before it.
func Ascend(s *Scanner, depth int) error {
	return s.SkipTo(depth)
}

// child goes from before a value to before its member or element called step.
// If it has none, all of the value has been consumed.
func child(s *Scanner, step string) (bool, error) {
	kind, err := s.Peek()
	if err != nil {
		return false, err
	}
	switch kind {
	case ObjectBegin:
	case ArrayBegin:
	default:
		return false, s.Skip()
	}
	if _, err := s.Next(); err != nil {
		return false, err
	}
	want := int64(-1)
	if kind == ArrayBegin {
		want = index(step)
	}
	for i := int64(0); ; i++ {
		more, err := s.More()
		if err != nil {
			return false, err
		}
		if !more {
			break
		}
		found := i == want
		if kind == ObjectBegin {
			if found, err = isName(s, step); err != nil {
				return false, err
			}
		}
		if found {
			return true, nil
		}
		if err := s.Skip(); err != nil {
			return false, err
		}
	}
	_, err = s.Next()
	return false, err
}

// isName reads a member's name and reports whether it is the given one.
func isName(s *Scanner, name string) (bool, error) {
	if _, err := s.Next(); err != nil {
		return false, err
	}
	if raw, ok := s.Whole(); ok && bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1:len(raw)-1]) == name, nil
	}
	same := true
	for {
		piece, done, err := s.Text()
		if err != nil {
			return false, err
		}
		if same = same && strings.HasPrefix(name, string(piece)); same {
			name = name[len(piece):]
		}
		if done {
			return same && name == "", nil
		}
	}
}
