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
// state is the place in the text: whether inside a string, how deep, and whether
// a line has to begin before the next token.
type layouter struct {
	unit   string // indentation per level; empty: compact
	depth  int
	str    bool   // inside a string
	odd    bool   // inside a string, behind an odd number of backslashes
	opened bool   // indented, and nothing has followed the last '{' or '[' yet
	pad    []byte // a line feed and the widest indentation so far
}

const indents = "         " // MaxIndent spaces

func (lw *layouter) reset(l Layout) {
	*lw = layouter{pad: lw.pad[:0]}
	switch {
	case l.Compact:
	case l.Indent > 0:
		lw.unit = indents[:min(l.Indent, MaxIndent)]
	default:
		lw.unit = "\t"
	}
}

// append appends the piece p of the text to dst, laid out, until dst is longer
// than limit. It returns dst and how much of p is in it.
func (lw *layouter) append(dst, p []byte, limit int) ([]byte, int) {
	if lw.unit == "" {
		return lw.compact(dst, p, limit)
	}
	return lw.indent(dst, p, limit)
}

// compact drops white space. All else is copied in runs.
func (lw *layouter) compact(dst, p []byte, limit int) ([]byte, int) {
	i, run := 0, 0 // p[run:i] is to be copied
	if lw.str {
		i = lw.endString(p, 0)
	}
	for i < len(p) {
		c := p[i]
		switch {
		case c > '"':
			i++
		case c == '"':
			lw.str = true
			i = lw.endString(p, i+1)
		default:
			dst = append(dst, p[run:i]...)
			for i++; i < len(p) && p[i] <= ' '; i++ {
			}
			run = i
			if len(dst) > limit {
				return dst, i
			}
		}
	}
	return append(dst, p[run:]...), i
}

// What indent does about a byte outside strings.
const (
	classOther = iota // part of a number or a literal
	classSpace
	classOpen
	classClose
	classComma
	classColon
	classQuote
)

var class = [256]uint8{
	' ': classSpace, '\t': classSpace, '\r': classSpace, '\n': classSpace,
	'{': classOpen, '[': classOpen,
	'}': classClose, ']': classClose,
	',': classComma, ':': classColon, '"': classQuote,
}

// indent gives each element and member a line.
func (lw *layouter) indent(dst, p []byte, limit int) ([]byte, int) {
	i, run := 0, 0 // p[run:i] is to be copied
	if lw.str {
		i = lw.endString(p, 0)
	}
	for i < len(p) && len(dst) <= limit {
		k := class[p[i]]
		if lw.opened && k != classSpace {
			lw.opened = false
			if k == classClose {
				lw.depth--
				i++
				continue
			}
			dst = lw.newline(dst)
		}
		switch k {
		case classOther:
			i++
		case classQuote:
			lw.str = true
			i = lw.endString(p, i+1)
		case classSpace:
			dst = append(dst, p[run:i]...)
			for i++; i < len(p) && p[i] <= ' '; i++ {
			}
			run = i
		case classOpen:
			i++
			dst = append(dst, p[run:i]...)
			run = i
			lw.depth++
			lw.opened = true
		case classClose:
			dst = append(dst, p[run:i]...)
			run = i
			i++
			lw.depth--
			dst = lw.newline(dst)
		case classComma:
			i++
			dst = lw.newline(append(dst, p[run:i]...))
			run = i
		case classColon:
			i++
			dst = append(append(dst, p[run:i]...), ' ')
			run = i
		}
	}
	return append(dst, p[run:i]...), i
}

// shortString is how many bytes of a string endString looks at one by one, for
// which a call of bytes.IndexByte would cost more.
const shortString = 16

// endString returns the index behind the string that p[i] is inside of, or
// len(p), and notes whether the string ends there. A quote ends it unless an odd
// number of backslashes stands before it, part of which may be in the piece
// before.
func (lw *layouter) endString(p []byte, i int) int {
	if !lw.odd {
		for n := min(i+shortString, len(p)); i < n && p[i] != '\\'; i++ {
			if p[i] == '"' {
				lw.str = false
				return i + 1
			}
		}
	}
	first := i
	for {
		n := bytes.IndexByte(p[i:], '"')
		end := len(p)
		if n >= 0 {
			end = i + n
		}
		k := end
		for k > first && p[k-1] == '\\' {
			k--
		}
		odd := (end-k)&1 == 1
		if k == first && lw.odd {
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

// newline begins a line indented to the depth.
func (lw *layouter) newline(dst []byte) []byte {
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
			end := lw.endString(p, done)
			if _, err := lw.w.Write(p[done:end]); err != nil {
				return done, err
			}
			done = end
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
