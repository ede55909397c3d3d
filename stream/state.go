package stream

import "io"

// A State is where a [Scanner] is between two tokens. It is all that
// [Scanner.Resume] needs to go on there, given the rest of the input.
type State struct {
	Offset    int64   // of the next byte of the input
	Line      int64   // in which that byte is, from 1; 0 counts as 1
	LineStart int64   // offset of the first byte of that line
	Expect    Expect  // what may come next
	Levels    []Level // the open containers, the outermost first

	before []byte // of the input before Offset, for Unread
}

// A Level is one open container of a [State].
type Level struct {
	Object bool // an object, else an array

	// Count is how many elements of an array have begun: with ExpectValue the
	// one that comes next is among them. For an object it is 1 if Name is the
	// name of its current member, else 0.
	Count int64

	// Name is the raw body of that name, as it stands in the input, for
	// pointers only. It need not be complete.
	Name string
}

// ElementState returns the state before an element of an array: offset and index
// are those of the element, which begins there or after white space, levels the
// kinds of the open containers, the outermost first, of which the last is the
// array. It is for those who noted no more than that.
func ElementState(offset, index int64, levels ...Kind) State {
	st := State{Offset: offset, LineStart: offset, Expect: ExpectValue}
	for _, k := range levels {
		st.Levels = append(st.Levels, Level{Object: k == ObjectBegin, Count: 1})
	}
	if n := len(st.Levels); n > 0 {
		st.Levels[n-1].Count = index + 1
	}
	return st
}

// State returns where s is. If the token was not read to its end, that is before
// the token.
func (s *Scanner) State() State {
	line, start := s.lineAt(s.pos)
	st := State{Offset: s.InputOffset(), Line: line + 1, LineStart: start, Expect: s.st}
	if s.body != End {
		// no line feed can stand in a token
		st.Offset = s.tok
	}
	st.before = append(st.before, s.Before(history)...)
	for i := 1; i <= s.depth; i++ {
		r := s.level(i)
		l := Level{Object: r < 0, Count: int64(r)}
		if l.Object {
			l.Count = 0
			if r != noName && !(i == s.depth && s.body == Name) {
				raw, _ := s.memberName(i)
				l.Count, l.Name = 1, string(raw)
			}
		}
		st.Levels = append(st.Levels, l)
	}
	return st
}

// Resume makes s go on at st, as [Scanner.Reset] does at the beginning: r has
// what follows there. Levels beyond the limit of nesting are not refused before
// the next one opens.
func (s *Scanner) Resume(r io.Reader, o Options, st State) {
	s.Reset(r, o)
	s.base, s.st = st.Offset, st.Expect
	s.line, s.lineStart = max(st.Line, 1)-1, st.LineStart
	s.tok, s.tokLine, s.tokStart = st.Offset, s.line, s.lineStart
	for len(s.outer) < len(st.Levels) {
		s.outer = append(s.outer, 0)
	}
	s.names = append(s.names, make([]savedName, len(st.Levels)+1)...)
	for i, l := range st.Levels {
		s.outer[i] = s.cur
		s.cur = record(max(l.Count, 0))
		if l.Object {
			s.cur = noName
			if l.Count > 0 {
				// no name of the input can begin at offset 0
				s.cur = ^record(0)
				raw, cut, _ := nameIn([]byte(l.Name), nameShown)
				s.names[i+1] = savedName{raw: raw, cut: cut, done: true}
			}
		}
		s.depth++
	}
}
