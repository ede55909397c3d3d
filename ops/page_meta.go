package ops

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/goccy/go-json/jsontext"

	"jlop/stream"
)

// The response envelope keeps an object as it is, cuts its largest array to the
// longest prefix that fits and adds "_meta". What is read is kept as found: all
// of it that is not part of an array, and of every array no more than the
// budget can show.

// metaName is the member that the envelope adds.
const metaName = "_meta"

// mostOld is the length of the longest "_meta" in the input that is added to. A
// longer one is none that a client reads.
const mostOld = 1 << 20

// A metaObject is an object as it was read: texts and arrays by turns, beginning
// and ending with a text.
type metaObject struct {
	text    *stream.Spool
	ends    []int64 // of the texts, in text
	arrays  []*metaArray
	size    countWriter // of all of it, as it would be written
	check   checker     // of the texts, as they would be written without white space
	over    bool        // the texts alone are over the budget
	old     []byte      // the value of the "_meta" it ends with
	members int
	name    string // of the input
	line    int64
	isArray bool // what was read is an array, made a member of the object
}

// A metaArray is what stands between the brackets of one array.
type metaArray struct {
	name  string
	buf   []byte
	check checker
	over  bool   // not all of it is in buf
	ends  []int  // of its items in buf
	spots []spot // of its items, and of one more
	total int64
}

// write takes what stands between the brackets, as it would be written without
// white space.
func (a *metaArray) write(p []byte) {
	if !a.over {
		a.buf = append(a.buf, p...)
		a.over = !a.check.more(p)
	}
}

// A countWriter counts bytes.
type countWriter int64

func (c *countWriter) Write(p []byte) (int, error) {
	*c += countWriter(len(p))
	return len(p), nil
}

// meta writes the envelope of the next value.
func (p *pager) meta() error {
	s := p.r.Scanner()
	depth := s.Depth()
	if ok, err := stream.Descend(s, p.path); err != nil {
		return err
	} else if !ok {
		return p.nothing("there is nothing at " + p.path.String())
	}
	k, err := s.Peek()
	if err != nil {
		return err
	}
	m := &metaObject{text: p.spool(), name: p.r.Name(), check: checker{g: p.g}}
	m.line, _ = s.Position(s.InputOffset())
	defer func() { p.spare = append(p.spare, m.text) }()
	switch {
	case k == stream.Null && p.MissHint != "":
		if err := s.Skip(); err != nil {
			return err
		}
		if err := s.SkipTo(depth); err != nil {
			return err
		}
		return p.miss()
	case k == stream.ObjectBegin:
		err = p.readObject(s, m)
	case k == stream.ArrayBegin:
		err = p.readArray(s, m)
	default:
		return p.scalar(s, depth)
	}
	if err != nil {
		return err
	}
	if err := s.SkipTo(depth); err != nil {
		return err
	}
	return p.envelope(m)
}

// scalar writes the value that comes next, which is not an array nor an object,
// in full.
func (p *pager) scalar(s *stream.Scanner, depth int) error {
	text := p.spool()
	defer func() { p.spare = append(p.spare, text) }()
	if err := s.CopyValue(text); err != nil {
		return err
	}
	if err := s.SkipTo(depth); err != nil {
		return err
	}
	return p.emitFrom(text.Reader(), p.layout())
}

// compacted is a writer that drops white space if the layout asked for will,
// and passes all else to write.
func (p *pager) compacted(write func(p []byte)) io.Writer {
	if p.layout().AsFound() {
		return writerFunc(write)
	}
	return stream.Layout{Compact: true}.Writer(writerFunc(write))
}

// texts is where the bytes of the object go but for its arrays: to m.text, and
// to be counted and measured as they would be written.
func (p *pager) texts(m *metaObject, size io.Writer) io.Writer {
	measure := p.compacted(func(b []byte) { m.over = m.over || !m.check.more(b) })
	return io.MultiWriter(m.text, size, measure)
}

// readObject reads the object that comes next.
func (p *pager) readObject(s *stream.Scanner, m *metaObject) error {
	base := p.r.Offset() - s.InputOffset()
	size := p.c.layout().Writer(&m.size)
	text := p.texts(m, size)
	s.Tee(text)
	if _, err := s.Next(); err != nil {
		return err
	}
	var kept int64 // length of the text before a "_meta" that may be the last
	var counted countWriter
	for {
		more, err := s.More()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		m.old = nil
		m.members++
		if err := s.StopTee(); err != nil {
			return err
		}
		kept, counted = m.text.Len(), m.size
		s.Tee(text)
		name, k, err := memberName(s)
		if err != nil {
			return err
		}
		switch {
		case k == stream.ArrayBegin && p.candidate(name):
			if _, err := s.Next(); err != nil {
				return err
			}
			if err := s.StopTee(); err != nil {
				return err
			}
			end := m.text.Len()
			a := &metaArray{name: name, check: checker{g: p.g}, over: m.over}
			if err := p.readItems(s, a, base, size); err != nil {
				return err
			}
			m.add(a, end)
			s.Tee(text)
			if _, err := s.Next(); err != nil {
				return err
			}
		case k == stream.ObjectBegin && name == metaName:
			if err := s.StopTee(); err != nil {
				return err
			}
			var old []byte
			keep := writerFunc(func(p []byte) {
				if len(old) <= mostOld {
					old = append(old, p...)
				}
			})
			if err := s.CopyValue(io.MultiWriter(text, keep)); err != nil {
				return err
			}
			if len(old) <= mostOld {
				m.old = old
			}
			s.Tee(text)
		default:
			if err := s.Skip(); err != nil {
				return err
			}
		}
	}
	if _, err := s.Next(); err != nil {
		return err
	}
	if err := s.StopTee(); err != nil {
		return err
	}
	if m.old != nil {
		if err := m.dropOld(kept, counted); err != nil {
			return err
		}
	}
	m.ends = append(m.ends, m.text.Len())
	return nil
}

// add notes the array that stands behind the first end bytes of text. Of an
// object that is too large anyway only the largest array matters.
func (m *metaObject) add(a *metaArray, end int64) {
	if best := m.largest(); m.over && best != nil {
		if a.total > best.total {
			m.arrays, m.ends = append(m.arrays[:0], a), append(m.ends[:0], end)
		}
		return
	}
	m.arrays, m.ends = append(m.arrays, a), append(m.ends, end)
}

// dropOld takes the "_meta" that the object ends with out of it: kept and
// counted are the lengths before it.
func (m *metaObject) dropOld(kept int64, counted countWriter) error {
	// The separator before it goes too.
	var last [1]byte
	for kept > 0 {
		if _, err := m.text.ReadAt(last[:], kept-1); err != nil {
			return err
		}
		if last[0] == '{' || last[0] != ',' && last[0] > ' ' {
			break
		}
		kept--
	}
	if err := m.text.Truncate(kept); err != nil {
		return err
	}
	m.size = counted + 1
	m.members--
	_, err := m.text.Write([]byte{'}'})
	return err
}

// readArray reads an array at the root, which the envelope makes the member
// "items" of an object.
func (p *pager) readArray(s *stream.Scanner, m *metaObject) error {
	base := p.r.Offset() - s.InputOffset()
	m.isArray = true
	size := p.layout().Writer(&m.size)
	text := p.texts(m, size)
	if _, err := io.WriteString(text, `{"items":[`); err != nil {
		return err
	}
	m.ends = append(m.ends, m.text.Len())
	if _, err := s.Next(); err != nil {
		return err
	}
	a := &metaArray{name: "items", check: checker{g: p.g}}
	m.arrays = append(m.arrays, a)
	if err := p.readItems(s, a, base, size); err != nil {
		return err
	}
	if _, err := s.Next(); err != nil {
		return err
	}
	if _, err := io.WriteString(text, `]}`); err != nil {
		return err
	}
	m.ends = append(m.ends, m.text.Len())
	return nil
}

// readItems reads the items of the array that s has just entered, up to its
// closing bracket.
func (p *pager) readItems(s *stream.Scanner, a *metaArray, base int64, size io.Writer) error {
	w := io.MultiWriter(p.compacted(a.write), size)
	for {
		s.Tee(w)
		more, err := s.More()
		if err != nil {
			return err
		}
		if !more {
			return s.StopTee()
		}
		if a.over && len(a.spots) > 0 {
			break
		}
		a.spots = append(a.spots, spotOf(s, base))
		if err := s.Skip(); err != nil {
			return err
		}
		if err := s.StopTee(); err != nil {
			return err
		}
		if !a.over {
			a.ends = append(a.ends, len(a.buf))
		}
		a.total++
	}
	// What is left is counted.
	for {
		if err := s.Skip(); err != nil {
			return err
		}
		a.total++
		if more, err := s.More(); err != nil || !more {
			return errors.Join(err, s.StopTee())
		}
	}
}

// largest is the array with the most items, or nil.
func (m *metaObject) largest() (best *metaArray) {
	for _, a := range m.arrays {
		if best == nil || a.total > best.total {
			best = a
		}
	}
	return best
}

// append appends the object with the first n items of best, every other array
// whole, and the members of _meta given. It reports false if the object is too
// large to be kept.
func (m *metaObject) append(dst []byte, best *metaArray, n int64, meta []byte) ([]byte, bool) {
	var from int64
	if m.over {
		return dst, false
	}
	for i, end := range m.ends {
		k := len(dst)
		dst = append(dst, make([]byte, end-from)...)
		if _, err := m.text.ReadAt(dst[k:], from); err != nil && err != io.EOF {
			return dst, false
		}
		from = end
		if i == len(m.arrays) {
			break
		}
		switch a := m.arrays[i]; {
		case a == best && n < a.total:
			if n > int64(len(a.ends)) {
				return dst, false
			}
			if n > 0 {
				dst = append(dst, a.buf[:a.ends[n-1]]...)
			}
		case a.over:
			return dst, false
		default:
			dst = append(dst, a.buf...)
		}
	}
	dst = bytes.TrimRight(dst[:len(dst)-1], " \t\r\n")
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, `"`+metaName+`":`...)
	dst = append(dst, meta...)
	return append(dst, '}'), true
}

// An oldMeta is an envelope found in the input: what it says of the payload in
// full still holds.
type oldMeta struct {
	totalItems int64
	truncated  bool
	totalBytes int64
	hint       string
}

// readMeta reads the value of a "_meta". It is not ok unless that is an envelope
// as this package writes it, with a number of items.
func readMeta(text []byte) (old oldMeta, ok bool) {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return oldMeta{}, false
	}
	for d.PeekKind() != '}' {
		t, err := d.ReadToken()
		if err != nil {
			return oldMeta{}, false
		}
		name := t.String()
		v, err := d.ReadValue()
		if err != nil {
			return oldMeta{}, false
		}
		switch name {
		case "totalItems":
			old.totalItems, err = strconv.ParseInt(string(v), 10, 64)
			ok = true
		case "totalBytes":
			old.totalBytes, err = strconv.ParseInt(string(v), 10, 64)
		case "truncated":
			old.truncated = string(v) == "true"
		case "hint":
			var hint []byte
			hint, err = jsontext.AppendUnquote(nil, v)
			old.hint = string(hint)
		}
		if err != nil {
			return oldMeta{}, false
		}
	}
	if !ok {
		return oldMeta{}, false
	}
	return old, true
}

// envelope writes m with "_meta", its largest array cut so that all of it fits.
func (p *pager) envelope(m *metaObject) error {
	best := m.largest()
	old, ours := readMeta(m.old)
	foreign := m.old
	if ours {
		foreign = nil
	}
	total, size := int64(0), int64(m.size)
	if best != nil {
		total = best.total
	}
	if ours && old.truncated {
		total, size = max(total, old.totalItems), max(size, old.totalBytes)
	}
	next := func(n int64) string {
		if best == nil || n >= best.total || int(n) >= len(best.spots) {
			return ""
		}
		c := &collector{p: p, kind: cursorItems, path: m.path(p, best), total: best.total, spots: best.spots}
		c.inputEnd(p.r)
		return c.next(n)
	}
	meta := func(n int64) []byte {
		o := newObject(nil)
		if foreign != nil {
			o.b = append(o.b[:0], bytes.TrimRight(foreign[:len(foreign)-1], " \t\r\n")...)
		}
		o.int("totalItems", total)
		o.int("returnedItems", n)
		cut := n < total
		o.bool("truncated", cut)
		o.int("totalBytes", size)
		if cut {
			o.text("hint", p.hint(best, n, total, next(n), old))
		}
		if p.Workspace != "" {
			root, pkg, _ := strings.Cut(p.Workspace, ":")
			w := newObject(nil)
			w.str("root", root)
			w.text("package", pkg)
			o.raw("workspace", w.end())
		}
		return o.end()
	}
	render := func(n int64) ([]byte, bool) {
		doc, ok := m.append(nil, best, n, meta(n))
		return p.layout().Append(nil, doc), ok
	}
	fits := func(n int64) bool {
		doc, ok := render(n)
		return ok && p.g.over(doc) == noUnit
	}
	if best == nil {
		return p.emitWhole(m, meta(0))
	}
	n := best.total
	if best.over || !fits(n) {
		k := min(n-1, int64(len(best.ends)))
		n = -1
		if k >= 0 && fits(0) {
			n = int64(search(int(k), int(k), func(k int) bool { return fits(int64(k)) }))
		}
	}
	if n < 0 {
		o := newObject(nil)
		o.raw(metaName, meta(0))
		stub := p.layout().Append(nil, o.end())
		if p.g.over(stub) != noUnit {
			stub = []byte("{}")
		}
		p.Errorf(fmt.Errorf("%s: the object around %q is over the budget of %s: %w", Place{File: m.name, Line: m.line}, best.name, p.g.Budget, ErrBudget))
		p.cut = true
		return p.emitFinal(stub)
	}
	if err := p.tellMeta(m, best, n, next(n)); err != nil {
		return err
	}
	doc, _ := render(n)
	return p.emitFinal(doc)
}

// path is where the array best is.
func (m *metaObject) path(p *pager, best *metaArray) stream.Path {
	if m.isArray {
		return p.path
	}
	return p.path.Member(best.name)
}

// tellMeta says where it was asked for that only n items of best are shown.
func (p *pager) tellMeta(m *metaObject, best *metaArray, n int64, next string) error {
	p.leave(next)
	if n == best.total {
		return nil
	}
	p.cut = true
	at := spot{line: m.line}
	if n < int64(len(best.spots)) {
		at = best.spots[n]
	}
	pointer := m.path(p, best).String()
	if p.Check {
		return p.Find(Place{File: m.name, Line: at.line, Pointer: pointer},
			fmt.Sprintf("%d of %d items fit a budget of %s", n, best.total, p.g.Budget))
	}
	return p.note(change{
		File: m.name, Line: at.line, Offset: at.offset, Pointer: pointer, Rule: "page", Unit: "items",
		Before: best.total, After: n, Limit: p.g.Budget.String(),
	})
}

// hint says how to go on: in the words given for the array that was cut, or with
// the cursor of the rest.
func (p *pager) hint(a *metaArray, n, total int64, next string, old oldMeta) string {
	for _, h := range p.Hints {
		if field, text, _ := strings.Cut(h, "="); field == a.name {
			return text
		}
	}
	switch {
	case next == "":
		return old.hint
	case n == 0:
		return fmt.Sprintf("No item of %d fits. Pass cursor=%s.", total, next)
	}
	return fmt.Sprintf("Items 1-%d of %d. Pass cursor=%s for the rest.", n, total, next)
}

// emitWhole writes an object without arrays in full, of any size: there is
// nothing to cut.
func (p *pager) emitWhole(m *metaObject, meta []byte) error {
	doc, ok := m.append(nil, nil, 0, meta)
	if ok {
		if doc = p.layout().Append(nil, doc); p.g.over(doc) == noUnit {
			return p.emitFinal(doc)
		}
	}
	place := Place{File: m.name, Line: m.line}
	if p.MaxTokens+p.MaxBytes+p.MaxChars > 0 {
		p.Errorf(fmt.Errorf("%s: there is no array to cut to %s: %w", place, p.g.Budget, ErrBudget))
	} else {
		p.Warnf("%s: there is no array to cut to %s", place, p.g.Budget)
	}
	end := m.ends[len(m.ends)-1] - 1
	sep := ","
	if m.members == 0 {
		sep = ""
	}
	return p.emitFrom(io.MultiReader(
		io.LimitReader(m.text.Reader(), end),
		strings.NewReader(sep+`"`+metaName+`":`), bytes.NewReader(meta), strings.NewReader("}")), p.layout())
}
