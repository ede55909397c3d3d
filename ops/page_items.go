package ops

import (
	"bytes"
	"errors"
	"io"

	"jlop/stream"
)

// An itemSource gives the items of a page one after the other: the elements of
// the array, or the members of the object, that a scanner is in, each member
// shown as an object of its own; or the values of the input.
type itemSource struct {
	kind cursorKind
	s    *stream.Scanner
	base int64          // of the scanner's input in the joined inputs
	r    *stream.Reader // of the values of the input
}

// next goes to the first byte of the next item.
func (it *itemSource) next() (ok bool, err error) {
	if it.r == nil {
		return it.s.More()
	}
	if ok, err = it.r.Next(nil); ok {
		it.s = it.r.Scanner()
		it.base = it.r.Offset() - it.s.InputOffset()
	}
	return ok, err
}

// skip passes an item.
func (it *itemSource) skip() error {
	if it.kind == cursorMembers {
		if _, err := it.s.Next(); err != nil {
			return err
		}
	}
	return it.s.Skip()
}

// open passes and writes what comes before the value of the item as it is
// shown.
func (it *itemSource) open(w *itemWriter) error {
	if it.kind != cursorMembers {
		return nil
	}
	if _, err := it.s.Next(); err != nil {
		return err
	}
	w.text(`{"`)
	for {
		raw, done, err := it.s.Chunk()
		if err != nil {
			return err
		}
		if _, err := w.Write(raw); err != nil {
			return err
		}
		if done {
			break
		}
	}
	w.text(`":`)
	_, err := it.s.Peek()
	return err
}

// closing is what comes behind the value of the item.
func (it *itemSource) closing() string {
	if it.kind == cursorMembers {
		return "}"
	}
	return ""
}

// A spot is a place of the input that a cursor can be made for.
type spot struct {
	offset int64 // in the joined inputs
	line   int64
	before uint32 // digest of the bytes before offset
}

// spotOf is where s stands, base being where its input begins.
func spotOf(s *stream.Scanner, base int64) spot {
	off := s.InputOffset()
	line, _ := s.Position(off)
	return spot{offset: base + off, line: line, before: digest(s.Before(digestReach))}
}

func (it *itemSource) spot() spot { return spotOf(it.s, it.base) }

func (at spot) cursor(kind cursorKind) cursor {
	return cursor{kind: kind, offset: at.offset, line: at.line, before: at.before, total: -1}
}

// placeOf is a cursor for where s stands, base being where its input begins.
func placeOf(kind cursorKind, s *stream.Scanner, base int64) cursor {
	c := spotOf(s, base).cursor(kind)
	c.seen = append(c.seen, s.Before(digestReach)...)
	if kind == cursorInside {
		c.inside(nil)
	}
	return c
}

// An itemWriter takes the bytes of items. With a budget it keeps them in memory
// while they may fit, without one it spools them.
type itemWriter struct {
	check  *checker // nil without a budget
	buf    []byte
	spool  *stream.Spool
	layout stream.Layout // of the items
	lines  bool          // line breaks in items, and the indentation behind them, are dropped
	strict bool          // what is too much is an error

	out   io.Writer // lays out the item that is being written; nil: as found
	over  bool
	raw   []byte // of the value as found, while strict
	blank bool   // behind a line break
}

// errOver ends the reading of a value that is over the budget.
var errOver = errors.New("over the budget")

// begin begins an item, sep being what sets it apart from the one before.
func (w *itemWriter) begin(sep string) error {
	w.over, w.blank = false, false
	if !w.layout.AsFound() {
		w.out = w.layout.Writer(addWriter{w})
	}
	return w.add([]byte(sep))
}

// Write takes a piece of an item as found.
func (w *itemWriter) Write(p []byte) (int, error) {
	if w.strict {
		w.raw = append(w.raw, p...)
	}
	return len(p), w.found(p)
}

// text takes what is not part of the item as found.
func (w *itemWriter) text(s string) {
	// What is too much is noticed later, or noted in w.over.
	_ = w.found([]byte(s))
}

func (w *itemWriter) found(p []byte) error {
	if w.out != nil {
		_, err := w.out.Write(p)
		return err
	}
	if !w.lines {
		return w.add(p)
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
			return err
		}
		p = p[i:]
	}
	return nil
}

// add takes a piece of the item as it is shown.
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

// An addWriter writes items that are laid out.
type addWriter struct{ w *itemWriter }

func (a addWriter) Write(p []byte) (int, error) { return len(p), a.w.add(p) }

// A collector reads the items of one page and counts the others.
type collector struct {
	p      *pager
	path   stream.Path
	digest uint32 // of path, where only a cursor knows it
	kind   cursorKind
	first  int64 // index of the first item wanted, then of the first on the page
	want   int64 // most items; 0: no bound
	known  int64 // total that a cursor brought, or -1

	w      itemWriter
	ends   []int  // of the items in w.buf, with a budget
	spots  []spot // of the items, with a budget, and of the one after the last
	from   int64  // index of the item at spots[0]
	name   string // of the input that the last spot is in
	prefix int    // length of what comes before the value of the first item
	inside cursor // of the value of the first item
	size1  int64  // of the value of the first item as found

	shrunk  *skeleton // of the first item, if it is larger than the budget
	failed  bool      // it is, and that is an error
	count   int64
	full    bool      // the budget stopped the page
	more    bool      // there are items behind the page
	stopped bool      // reading stopped before the end of the array
	err     error     // what it stopped at
	cuts    []cutItem // items shown shrunk, or left out
	total   int64     // -1: not counted
	size    int64     // of the input
	stop    string    // the limit that stopped the page
}

// A cutItem is an item larger than the budget.
type cutItem struct {
	index, bytes int64
	inside       cursor
	name         string // of the input
}

func (p *pager) collector(path stream.Path) *collector {
	c := &collector{p: p, path: path, known: -1, want: p.PageSize}
	if p.Page > 0 || !p.bounded {
		if c.want == 0 {
			c.want = defaultPageSize
		}
		c.first = max(0, p.Page-1) * c.want
	}
	c.w.layout, c.w.spool = p.itemLayout(), p.spool()
	c.w.lines = p.As == "items"
	if p.bounded {
		c.w.check = &checker{g: p.g}
	}
	return c
}

// itemLayout is how items are laid out before they are measured. On a page they
// are laid out once more with it, so that here it is enough to drop the white
// space.
func (p *pager) itemLayout() stream.Layout {
	l := p.layout()
	l.Seq = false
	if p.As != "items" && !l.AsFound() {
		return stream.Layout{Compact: true}
	}
	return l
}

// release gives up what c holds. It is called once.
func (c *collector) release() {
	c.p.spare, c.w.spool = append(c.p.spare, c.w.spool), nil
}

// collect reads it to the end of the page and, unless the total is known or not
// wanted, to its end. index is the index of the item that comes next. An error
// of the input ends the page and stays in c.err.
func (c *collector) collect(it *itemSource, index int64) {
	c.kind = it.kind
	c.first = max(c.first, index)
	if err := c.read(it, index); err != nil {
		c.err, c.stopped, c.total = err, true, -1
		if !c.more {
			// Nothing goes on where the error is.
			c.spots = c.spots[:min(c.count, int64(len(c.spots)))]
		}
		c.more = true
		c.stop = "an error"
	}
}

func (c *collector) read(it *itemSource, index int64) error {
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
			err = it.skip()
		case c.full || c.want > 0 && c.count == c.want:
			if !c.more {
				c.more = true
				c.mark(it, i)
			}
			switch {
			case c.known >= 0:
				c.total, c.stopped = c.known, true
				return nil
			case c.p.NoTotal:
				c.total, c.stopped = -1, true
				return nil
			}
			err = it.skip()
		default:
			err = c.take(it, i)
		}
		if err != nil {
			return err
		}
	}
	c.total = i
	if it.r == nil {
		_, err := it.s.Next()
		return err
	}
	return nil
}

// mark notes where the item i begins.
func (c *collector) mark(it *itemSource, i int64) {
	if len(c.spots) == 0 {
		c.from = i
	}
	c.spots = append(c.spots, it.spot())
	c.name = c.p.r.Name()
}

// take reads one item onto the page.
func (c *collector) take(it *itemSource, i int64) error {
	w := &c.w
	if w.check != nil {
		c.mark(it, i)
	}
	sep := c.p.separator()
	if c.count == 0 {
		c.first, sep = i, ""
	}
	begin, spooled := len(w.buf), w.spool.Len()
	if err := w.begin(sep); err != nil {
		return err
	}
	if w.check != nil && c.count == 0 {
		return c.takeFirst(it, i)
	}
	err := it.open(w)
	if err == nil {
		err = c.copy(it.s)
	}
	if err != nil {
		if w.check == nil {
			return errors.Join(err, w.spool.Truncate(spooled))
		}
		return err
	}
	w.text(it.closing())
	if w.over {
		w.buf = w.buf[:begin]
		c.full, c.more, c.stop = true, true, w.check.stop()
		return nil
	}
	c.ends = append(c.ends, len(w.buf))
	c.count++
	return nil
}

// stop names the limit that the text is over.
func (c *checker) stop() string {
	u := Tokens
	switch {
	case c.g.Bytes > 0 && c.bytes > c.g.Bytes:
		u = Bytes
	case c.g.Chars > 0 && c.chars > c.g.Chars:
		u = Chars
	}
	return c.g.name(u)
}

// copy copies the value that comes next: the text of it, if it is a string and
// text was asked for.
func (c *collector) copy(s *stream.Scanner) error {
	w := &c.w
	if c.p.RawOutput {
		k, err := s.Peek()
		if err != nil {
			return err
		}
		if k == stream.String {
			return c.copyText(s)
		}
	}
	return s.CopyValue(w)
}

func (c *collector) copyText(s *stream.Scanner) error {
	w := &c.w
	if w.strict {
		s.Tee(writerFunc(func(p []byte) { w.raw = append(w.raw, p...) }))
	}
	_, err := s.Next()
	for done := false; !done && err == nil; {
		var piece []byte
		if piece, done, err = s.Text(); err == nil {
			err = w.add(bytes.ToValidUTF8(piece, []byte("\uFFFD")))
		}
	}
	if w.strict {
		err = errors.Join(err, s.StopTee())
	}
	return err
}

// takeFirst reads the first item of a page with a budget. As soon as it turns
// out to be larger than all of the budget it is read again, from the first byte
// of its value, for what can be shown of it.
func (c *collector) takeFirst(it *itemSource, i int64) error {
	w := &c.w
	if err := it.open(w); err != nil {
		return err
	}
	c.prefix = len(w.buf)
	c.inside = placeOf(cursorInside, it.s, it.base)
	if !w.over {
		mark := it.s.State()
		w.strict, w.raw = true, w.raw[:0]
		err := c.copy(it.s)
		w.strict = false
		c.inside.inside(w.raw)
		switch {
		case err == nil:
			c.size1 = int64(len(w.raw))
			w.text(it.closing())
			c.ends = append(c.ends, len(w.buf))
			c.count++
			return nil
		case !errors.Is(err, errOver):
			return err
		}
		it.s.Unread(mark, w.raw)
	}
	return c.oversize(it, i)
}

// oversize reads the value of an item that is larger than all of the budget.
func (c *collector) oversize(it *itemSource, i int64) error {
	from := it.s.InputOffset()
	if c.p.Oversize == "shrink" {
		var err error
		if c.shrunk, err = c.p.g.skeleton(it.s); err != nil {
			return err
		}
		c.cuts = append(c.cuts, cutItem{i, it.s.InputOffset() - from, c.inside, c.name})
		c.w.buf = c.w.buf[:c.prefix]
		c.count, c.full, c.stop = 1, true, c.w.check.stop()
		return nil
	}
	stop := c.w.check.stop()
	if err := it.s.Skip(); err != nil {
		return err
	}
	cut := cutItem{i, it.s.InputOffset() - from, c.inside, c.name}
	c.w.buf = c.w.buf[:0]
	c.w.check.reset()
	if c.p.Oversize == "fail" {
		c.cuts = append(c.cuts, cut)
		c.failed, c.full, c.more, c.stop = true, true, true, stop
		return nil
	}
	if !c.leaveOut(cut, true) {
		c.full, c.more, c.stop = true, true, stop
		return nil
	}
	c.spots = c.spots[:0]
	return nil
}
