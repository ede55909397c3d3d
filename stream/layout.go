package stream

import (
	"bytes"
	"io"
	"math"
)

// MaxIndent is the widest indentation a Layout can have, in spaces per level.
const MaxIndent = 9

// A Layout says how values are written. The zero value writes them as they were
// found. The others change white space between tokens and nothing else: keys,
// strings and numbers keep their bytes. At most one of Compact, Indent and Tab
// should be set; the first of them counts.
type Layout struct {
	Compact bool // no white space, as jq -c
	Indent  int  // spaces per level, 1 to MaxIndent, as jq --indent; 0: not indented
	Tab     bool // one tab per level, as jq --tab
	Seq     bool // a record separator before each record, RFC 7464
}

// AsFound reports whether the bytes of a value stay as they were found.
func (l Layout) AsFound() bool { return !l.Compact && !l.Tab && l.Indent <= 0 }

// Framed reports whether records are set apart by the writer. Where they are
// not, the white space found between them has to be copied along.
func (l Layout) Framed() bool { return l.Seq || !l.AsFound() }

// Append appends value, one JSON value, laid out. It does not check it.
func (l Layout) Append(dst, value []byte) []byte {
	if l.AsFound() {
		return append(dst, value...)
	}
	var lw layouter
	lw.reset(l)
	dst, _ = lw.append(dst, value, math.MaxInt)
	return dst
}

// A layouter lays out a valid JSON text that comes in pieces cut anywhere. Its
// state is the place in the text: whether inside a string, how deep, and what
// has to be written before the next token.
type layouter struct {
	unit   string // indentation per level; empty: compact
	colon  string
	depth  int
	str    bool // inside a string
	odd    bool // inside a string, behind an odd number of backslashes
	opened bool // an object or array was opened and nothing was in it yet
	pad    []byte
}

const indents = "         " // MaxIndent spaces

func (lw *layouter) reset(l Layout) {
	*lw = layouter{pad: lw.pad}
	switch {
	case l.Compact:
		lw.colon = ":"
	case l.Indent > 0:
		lw.unit, lw.colon = indents[:min(l.Indent, MaxIndent)], ": "
	default:
		lw.unit, lw.colon = "\t", ": "
	}
}

// class sorts bytes outside strings: what a layouter does about each.
var class = func() (t [256]uint8) {
	for _, c := range " \t\r\n" {
		t[c] = classSpace
	}
	t['{'], t['['] = classOpen, classOpen
	t['}'], t[']'] = classClose, classClose
	t[','], t[':'], t['"'] = classComma, classColon, classQuote
	return t
}()

const (
	classOther = iota // part of a number or a literal
	classSpace
	classOpen
	classClose
	classComma
	classColon
	classQuote
)

// append appends the piece p of the text to dst, laid out, until dst is longer
// than limit. It returns dst and how much of p is in it.
func (lw *layouter) append(dst, p []byte, limit int) ([]byte, int) {
	i := 0
	if lw.str {
		i = lw.endString(p)
		dst = append(dst, p[:i]...)
	}
	for i < len(p) && len(dst) <= limit {
		c := p[i]
		k := class[c]
		if k == classSpace {
			i++
			continue
		}
		if lw.opened {
			lw.opened = false
			if k == classClose {
				lw.depth--
				dst = append(dst, c)
				i++
				continue
			}
			dst = lw.newline(dst)
		}
		switch k {
		case classQuote:
			start := i
			lw.str = true
			i += 1 + lw.endString(p[i+1:])
			dst = append(dst, p[start:i]...)
		case classOpen:
			lw.depth++
			lw.opened = true
			dst = append(dst, c)
			i++
		case classClose:
			lw.depth--
			dst = lw.newline(dst)
			dst = append(dst, c)
			i++
		case classComma:
			dst = append(dst, c)
			dst = lw.newline(dst)
			i++
		case classColon:
			dst = append(dst, lw.colon...)
			i++
		default:
			start := i
			for i++; i < len(p) && class[p[i]] == classOther; i++ {
			}
			dst = append(dst, p[start:i]...)
		}
	}
	return dst, i
}

// endString returns how many bytes of p belong to the string that p begins in,
// and notes whether the string ends there. A quote ends it unless an odd number
// of backslashes stands before it, part of which may be in the piece before.
func (lw *layouter) endString(p []byte) int {
	i := 0
	for {
		n := bytes.IndexByte(p[i:], '"')
		end := len(p)
		if n >= 0 {
			end = i + n
		}
		k := end
		for k > 0 && p[k-1] == '\\' {
			k--
		}
		odd := (end-k)&1 == 1
		if k == 0 && lw.odd {
			odd = !odd
		}
		if n < 0 {
			lw.odd = odd
			return len(p)
		}
		i = end + 1
		if !odd {
			lw.str, lw.odd = false, false
			return i
		}
	}
}

// newline begins a line indented to the depth, unless the layout is compact.
func (lw *layouter) newline(dst []byte) []byte {
	if lw.unit == "" {
		return dst
	}
	need := 1 + lw.depth*len(lw.unit)
	if need > len(lw.pad) {
		lw.pad = append(lw.pad[:0], '\n')
		for len(lw.pad) < 2*need {
			lw.pad = append(lw.pad, lw.unit...)
		}
	}
	return append(dst, lw.pad[:need]...)
}

// A layoutWriter lays out what is written to it, in pieces of bounded size.
type layoutWriter struct {
	layouter
	w   io.Writer
	buf []byte
}

// layoutPiece is how much a layoutWriter lays out before it writes. A deep text
// can grow a thousandfold by its indentation, so it is the output that counts.
const layoutPiece = 32 << 10

func (lw *layoutWriter) Write(p []byte) (int, error) {
	for done := 0; done < len(p); {
		if lw.str {
			n := lw.endString(p[done:])
			if _, err := lw.w.Write(p[done : done+n]); err != nil {
				return done, err
			}
			done += n
			continue
		}
		out, n := lw.append(lw.buf[:0], p[done:], layoutPiece)
		lw.buf = out
		if _, err := lw.w.Write(out); err != nil {
			return done, err
		}
		done += n
	}
	return len(p), nil
}
