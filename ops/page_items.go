package ops

import (
	"bytes"
	"errors"

	"jlop/stream"
)

// An itemSource gives the items of a page one after the other.
type itemSource interface {
	// next goes to the first byte of the next item.
	next() (bool, error)
	// place is where the item begins.
	place() cursor
	// scanner stands before the item; after open, before its value.
	scanner() *stream.Scanner
	// open passes and writes what comes before the value of the item as it is
	// shown, close writes what comes after it.
	open(w *itemWriter) error
	close(w *itemWriter)
}

// arrayItems are the elements of the array a scanner is in.
type arrayItems struct {
	s    *stream.Scanner
	base int64 // of the scanner's input in the joined inputs
}

func (a *arrayItems) next() (bool, error)      { return a.s.More() }
func (a *arrayItems) place() cursor            { return placeOf(cursorItems, a.s, a.base) }
func (a *arrayItems) scanner() *stream.Scanner { return a.s }
func (a *arrayItems) open(*itemWriter) error   { return nil }
func (a *arrayItems) close(*itemWriter)        {}

// memberItems are the members of the object a scanner is in, each shown as an
// object of its own.
type memberItems struct {
	s    *stream.Scanner
	base int64
}

func (m *memberItems) next() (bool, error)      { return m.s.More() }
func (m *memberItems) place() cursor            { return placeOf(cursorMembers, m.s, m.base) }
func (m *memberItems) scanner() *stream.Scanner { return m.s }
func (m *memberItems) close(w *itemWriter)      { w.put('}') }

func (m *memberItems) open(w *itemWriter) error {
	if _, err := m.s.Next(); err != nil {
		return err
	}
	w.put('{')
	w.put('"')
	for {
		raw, done, err := m.s.Chunk()
		if err != nil {
			return err
		}
		w.Write(raw)
		if done {
			break
		}
	}
	w.put('"')
	w.put(':')
	_, err := m.s.Peek()
	return err
}

// valueItems are the values of the input.
type valueItems struct{ r *stream.Reader }

func (v *valueItems) next() (bool, error)      { return v.r.Next(nil) }
func (v *valueItems) scanner() *stream.Scanner { return v.r.Scanner() }
func (v *valueItems) open(*itemWriter) error   { return nil }
func (v *valueItems) close(*itemWriter)        {}

func (v *valueItems) place() cursor {
	s := v.r.Scanner()
	return placeOf(cursorValues, s, v.r.Offset()-s.InputOffset())
}

func placeOf(kind cursorKind, s *stream.Scanner, base int64) cursor {
	off := s.InputOffset()
	line, _ := s.Position(off)
	return cursor{kind: kind, offset: base + off, line: line, before: digest(s.Before(digestReach)), total: -1}
}

// An itemWriter takes the bytes of items. With a budget it keeps them in memory
// while they may fit, without one it spools them.
type itemWriter struct {
	check   *checker // nil without a budget
	buf     []byte
	spool   stream.Spool
	oneLine bool // line breaks in items, and the indentation behind them, are dropped
	strict  bool // what is too much is an error

	over  bool
	raw   []byte // of the value, while strict
	blank bool   // behind a line break
}

// errOver ends the reading of a value that is over the budget.
var errOver = errors.New("over the budget")

func (w *itemWriter) Write(p []byte) (int, error) {
	n := len(p)
	if w.strict {
		w.raw = append(w.raw, p...)
	}
	if !w.oneLine {
		return n, w.add(p)
	}
	for len(p) > 0 {
		if w.blank {
			if p = bytes.TrimLeft(p, " \t\r\n"); len(p) == 0 {
				break
			}
			w.blank = false
		}
		i := bytes.IndexAny(p, "\r\n")
		if i < 0 {
			i = len(p)
		} else {
			w.blank = true
		}
		if err := w.add(p[:i]); err != nil {
			return 0, err
		}
		p = p[i:]
	}
	return n, nil
}

func (w *itemWriter) add(p []byte) error {
	if w.check == nil {
		_, err := w.spool.Write(p)
		return err
	}
	if !w.over || w.strict {
		w.buf = append(w.buf, p...)
		w.over = !w.check.more(p)
	}
	if w.over && w.strict {
		return errOver
	}
	return nil
}

// put writes a byte that is not part of the item as found.
func (w *itemWriter) put(c byte) {
	w.Write([]byte{c})
}

// A collector reads the items of one page and counts the others.
type collector struct {
	p      *pager
	path   stream.Path
	digest uint32 // of path, where only a cursor knows it
	first  int64  // index of the first item wanted
	want   int64  // most items; 0: no bound
	known  int64  // total that a cursor brought, or -1

	w       itemWriter
	ends    []int     // of the items in w.buf, with a budget
	places  []cursor  // of the items, and of the one after the last
	prefix  int       // length of what comes before the value of the first item
	inside  cursor    // of the value of the first item
	shrunk  *skeleton // of the first item, if it is larger than the budget
	failed  bool      // it is, and that is an error
	count   int64
	full    bool      // the budget stopped the page
	more    bool      // there are items behind the page
	stopped bool      // reading stopped behind the page
	cuts    []cutItem // items shown shrunk, or left out
	total   int64     // -1: not counted
	size    int64     // of the input
	stop    string    // the limit that stopped the page
}

// A cutItem is an item larger than the budget.
type cutItem struct {
	index, bytes int64
	inside       cursor
}

func (p *pager) collector() *collector {
	c := &collector{p: p, known: -1, want: p.PageSize}
	if p.Page > 0 || !p.bounded {
		if c.want == 0 {
			c.want = defaultPageSize
		}
		c.first = max(0, p.Page-1) * c.want
	}
	if p.bounded {
		c.w.check = &checker{g: p.g}
	}
	return c
}

func (c *collector) release() { c.w.spool.Close() }

// collect reads it to the end of the page and, unless the total is known or not
// wanted, to its end. index is the index of the item that comes next.
func (c *collector) collect(it itemSource, index int64) error {
	c.first = max(c.first, index)
	if c.w.check != nil {
		c.w.check.reset()
	}
	i := index
	for ; ; i++ {
		ok, err := it.next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		switch {
		case i < c.first:
			err = c.skip(it)
		case c.full || c.want > 0 && c.count == c.want:
			if !c.more {
				c.more = true
				c.mark(it, i)
			}
			if c.known >= 0 {
				c.total, c.stopped = c.known, true
				return nil
			}
			if c.p.NoTotal && !c.p.Drain {
				c.total, c.stopped = -1, true
				return nil
			}
			err = c.skip(it)
		default:
			err = c.take(it, i)
		}
		if err != nil {
			return err
		}
	}
	c.total = i
	if c.p.NoTotal && c.more {
		c.total = -1
	}
	if s := it.scanner(); s != nil && s.Depth() > 0 {
		_, err := s.Next()
		return err
	}
	return nil
}

// skip passes an item. It is only counted.
func (c *collector) skip(it itemSource) error {
	if m, ok := it.(*memberItems); ok {
		if _, err := m.s.Next(); err != nil {
			return err
		}
	}
	return it.scanner().Skip()
}

// mark notes where the item i begins, as the place after the page.
func (c *collector) mark(it itemSource, i int64) {
	at := it.place()
	at.index = i
	if c.w.check == nil && len(c.places) > 0 {
		c.places = c.places[:0]
	}
	c.places = append(c.places, at)
}

// take reads one item onto the page.
func (c *collector) take(it itemSource, i int64) error {
	w := &c.w
	if w.check != nil {
		c.mark(it, i)
	}
	begin := len(w.buf)
	if c.count > 0 {
		w.put(c.p.separator())
	}
	w.over, w.blank = false, false
	if w.check != nil && c.count == 0 {
		return c.takeFirst(it, i)
	}
	if err := it.open(w); err != nil {
		return err
	}
	if err := it.scanner().CopyValue(w); err != nil {
		return err
	}
	it.close(w)
	if w.over {
		w.buf = w.buf[:begin]
		c.full, c.more = true, true
		return nil
	}
	c.ends = append(c.ends, len(w.buf))
	c.count++
	return nil
}

// takeFirst reads the first item of a page with a budget. As soon as it turns
// out to be larger than all of the budget it is read again, from the first byte
// of its value, for what can be shown of it.
func (c *collector) takeFirst(it itemSource, i int64) error {
	w := &c.w
	if err := it.open(w); err != nil {
		return err
	}
	c.prefix = len(w.buf)
	c.inside = it.place()
	c.inside.kind = cursorInside
	s := it.scanner()
	if !w.over {
		mark := s.State()
		w.strict, w.raw = true, w.raw[:0]
		err := s.CopyValue(w)
		w.strict = false
		if err == nil {
			it.close(w)
			c.ends = append(c.ends, len(w.buf))
			c.count++
			return nil
		}
		if !errors.Is(err, errOver) {
			return err
		}
		s.Unread(mark, w.raw)
	}
	return c.oversize(it, i)
}

// oversize reads the value of an item that is larger than all of the budget.
func (c *collector) oversize(it itemSource, i int64) error {
	s := it.scanner()
	from := s.InputOffset()
	if c.p.Oversize == "shrink" {
		var err error
		if c.shrunk, err = c.p.g.skeleton(s); err != nil {
			return err
		}
		c.cuts = append(c.cuts, cutItem{i, s.InputOffset() - from, c.inside})
		c.w.buf = c.w.buf[:c.prefix]
		c.count, c.full = 1, true
		return nil
	}
	if err := s.Skip(); err != nil {
		return err
	}
	c.cuts = append(c.cuts, cutItem{i, s.InputOffset() - from, c.inside})
	c.w.buf = c.w.buf[:0]
	c.w.check.reset()
	if c.p.Oversize == "fail" {
		c.failed, c.full, c.more = true, true, true
		return nil
	}
	if c.p.g.over(c.p.doc(c, 0).append(nil)) != noUnit {
		c.cuts, c.full, c.more = c.cuts[:len(c.cuts)-1], true, true
		return nil
	}
	c.places = c.places[:0]
	return nil
}
