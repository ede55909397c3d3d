package stream

import (
	"bytes"
	"slices"
	"strconv"
)

// nameShown is how many raw bytes of a name are kept for pointers.
const nameShown = 128

// A savedName is the beginning of a name that has left the window.
type savedName struct {
	off  int64  // of its quote
	end  int64  // offset up to which it is saved
	raw  []byte // at most nameShown bytes, whole characters
	done bool   // nothing is to be added
	cut  bool   // raw is not all of it
}

// saveNames copies those names of the current members that begin before offset
// base, from the window up to index keep, which is at a character.
func (s *Scanner) saveNames(base int64, keep int) {
	for i := 1; i <= s.depth; i++ {
		r := s.level(i)
		off := ^int64(r)
		if r >= 0 || r == noName || off >= base {
			continue
		}
		if i >= len(s.names) {
			s.names = slices.Grow(s.names, i+1-len(s.names))
			for len(s.names) <= i {
				s.names = s.names[:len(s.names)+1]
				s.names[len(s.names)-1].off = -1
			}
		}
		n := &s.names[i]
		if n.off != off {
			*n = savedName{off: off, end: off + 1, raw: n.raw[:0]}
		}
		n.add(s.buf[:keep], s.base)
	}
}

// add appends to n what buf, which begins at offset base, has of the name.
func (n *savedName) add(buf []byte, base int64) {
	if n.done || n.end-base > int64(len(buf)) {
		return
	}
	body, cut, done := nameIn(buf[n.end-base:], nameShown-len(n.raw))
	n.raw = append(n.raw, body...)
	n.end += int64(len(body))
	n.cut, n.done = cut, done
}

// nameIn returns the beginning of the name body in b: up to the closing quote or
// the end of b, and at most limit bytes of whole characters; cut says that the
// limit came first, done that there is nothing more to get.
func nameIn(b []byte, limit int) (body []byte, cut, done bool) {
	p := 0
	for p < len(b) {
		if b[p] == '"' {
			return b[:p], false, true
		}
		n := RawLen(b[p:])
		if p+n > limit {
			return b[:p], true, true
		}
		p = min(p+n, len(b))
	}
	return b[:p], false, false
}

// Pointer returns the RFC 6901 pointer, in the value at top level, of the value
// that was read last or comes next: that of the container where a name comes
// next, that of the member after its name. Names are shortened to 128 bytes and
// then end in an ellipsis.
func (s *Scanner) Pointer() string {
	var b []byte
	for i := 1; i <= s.depth; i++ {
		r := s.level(i)
		if r == noName || r == 0 {
			break
		}
		b = append(b, '/')
		if r > 0 {
			b = strconv.AppendInt(b, int64(r)-1, 10)
			continue
		}
		raw, cut := s.memberName(i)
		text := AppendText(nil, raw)
		text = bytes.ReplaceAll(text, []byte("~"), []byte("~0"))
		b = append(b, bytes.ReplaceAll(text, []byte("/"), []byte("~1"))...)
		if cut {
			b = append(b, "…"...)
		}
	}
	return string(bytes.ToValidUTF8(b, []byte("\uFFFD")))
}

// memberName returns the raw body of the name of the current member of level i,
// an object, or the beginning of it.
func (s *Scanner) memberName(i int) (raw []byte, cut bool) {
	n := savedName{off: ^int64(s.level(i))}
	n.end = n.off + 1
	if i < len(s.names) && s.names[i].off == n.off {
		n = s.names[i]
		n.raw = slices.Clone(n.raw)
	}
	n.add(s.buf[:s.end], s.base)
	return n.raw, n.cut
}
