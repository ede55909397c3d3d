package ops

import (
	"bytes"
	"fmt"
	"io"

	"jlop/stream"
)

// A pageDoc is a page as it is written.
type pageDoc struct {
	items    []byte // joined by commas
	what     string // what the note counts: "Items", "Chars"
	first    int64  // index of the first
	returned int64
	total    int64 // -1: not counted
	byBudget bool
	page     int64
	pageSize int64
	more     bool
	next     string // cursor
	stop     string // the limit that stopped the page, where more than one could
	cuts     []byte
	bare     bool // neither note nor cursor
}

// append appends the document, "items" included.
func (d pageDoc) append(dst []byte) []byte {
	o := d.head(dst)
	o.b = append(o.b, d.items...)
	return d.tail(o)
}

// head appends what comes before the items.
func (d pageDoc) head(dst []byte) object {
	o := newObject(dst)
	o.bool("paginated", true)
	if d.total >= 0 {
		o.int("totalItems", d.total)
	}
	if d.byBudget {
		o.int("firstItem", d.first+1)
		o.int("returnedItems", d.returned)
	} else {
		o.int("page", d.page)
		o.int("pageSize", d.pageSize)
		if d.total >= 0 {
			o.int("totalPages", d.pages())
		}
	}
	o.bool("hasMore", d.more)
	o.raw("items", []byte{'['})
	return o
}

// tail appends what comes behind the items.
func (d pageDoc) tail(o object) []byte {
	o.b = append(o.b, ']')
	if len(d.cuts) > 0 {
		o.raw("cut", d.cuts)
	}
	if d.next != "" {
		o.str("nextCursor", d.next)
	}
	if !d.bare {
		o.str("note", d.note())
	}
	return o.end()
}

func (d pageDoc) pages() int64 { return max(1, (d.total+d.pageSize-1)/d.pageSize) }

func (d pageDoc) note() string {
	if d.byBudget {
		return d.budgetNote()
	}
	s := fmt.Sprintf("Page %d", d.page)
	if d.total >= 0 {
		s += fmt.Sprintf("/%d. %d total items.", d.pages(), d.total)
	} else {
		s += "."
	}
	switch {
	case d.more:
		s += fmt.Sprintf(" Pass page=%d for next page.", d.page+1)
	case d.returned == 0 && d.total > 0:
		s += fmt.Sprintf(" There is no such page, page=%d is the last.", d.pages())
	}
	return s
}

func (d pageDoc) budgetNote() string {
	s := "No items"
	if d.returned > 0 {
		s = fmt.Sprintf("%s %d-%d", d.what, d.first+1, d.first+d.returned)
	}
	if d.total >= 0 {
		s += fmt.Sprintf(" of %d", d.total)
	}
	if d.more && d.stop != "" {
		s += ", stopped by " + d.stop
	}
	s += "."
	if d.next != "" {
		s += " Pass cursor for the rest."
	}
	return s
}

// doc is the page of the first n items of c.
func (p *pager) doc(c *collector, n int) pageDoc {
	d := pageDoc{
		what: "Items", first: c.first, returned: int64(n), total: c.total,
		byBudget: p.bounded || p.Cursor != "", page: max(1, p.Page), pageSize: c.want,
		more: c.more || int64(n) < c.count,
	}
	if d.byBudget {
		if len(c.ends) > 0 && n > 0 && c.shrunk == nil {
			d.items = c.w.buf[:c.ends[n-1]]
		}
	} else {
		d.returned = c.count
		d.more = c.more
	}
	if d.more && len(c.places) > 0 {
		d.next = p.next(c, n)
	}
	if d.more && p.limits() > 1 {
		d.stop = c.stop
	}
	if len(c.cuts) > 0 && (c.shrunk == nil || n > 0) {
		d.cuts = p.cutList(c)
	}
	return d
}

// limits is how many limits could stop a page.
func (p *pager) limits() int {
	n := 0
	for _, u := range units {
		if p.g.limit(u) > 0 {
			n++
		}
	}
	if p.PageSize > 0 {
		n++
	}
	return n
}

// next is the cursor behind the first n items of c.
func (p *pager) next(c *collector, n int) string {
	i := len(c.places) - 1
	if p.bounded {
		i = min(i, n)
	}
	return c.cursor(c.places[i], c.first+int64(n))
}

// cursor completes a place.
func (c *collector) cursor(at cursor, index int64) string {
	if c.w.check == nil {
		index = at.index
	}
	at.index = index
	at.path = c.pathDigest()
	at.head = headDigest(c.p.r, at.offset)
	at.total, at.size = c.total, c.size
	if c.total < 0 {
		at.size = 0
	}
	return at.String()
}

func (c *collector) pathDigest() uint32 {
	if c.digest != 0 {
		return c.digest
	}
	return c.path.Digest()
}

// cutList lists the items that were shrunk or left out.
func (p *pager) cutList(c *collector) []byte {
	b := []byte{'['}
	for i, cut := range c.cuts {
		if i > 0 {
			b = append(b, ',')
		}
		o := newObject(b)
		o.int("index", cut.index)
		o.int("bytes", cut.bytes)
		in := cut.inside
		in.path = c.pathDigest()
		in.head = headDigest(p.r, in.offset)
		o.str("cursor", in.String())
		b = o.end()
	}
	return append(b, ']')
}

// inputEnd notes how long the input is of which the items were counted, so that
// the next page can trust the total of the same input.
func (c *collector) inputEnd(r *stream.Reader) { c.size, _ = r.Size() }

// write writes the page that c collected.
func (p *pager) write(c *collector) error {
	defer c.release()
	if !p.bounded {
		return p.writeSpooled(c)
	}
	items, doc, err := p.fit(c)
	if err != nil {
		return err
	}
	if p.As == "items" {
		doc = items
		if len(doc) == 0 {
			return nil
		}
	}
	return p.emit(doc)
}

// separator stands between two items.
func (p *pager) separator() byte {
	if p.As == "items" {
		return '\n'
	}
	return ','
}

// fit finds the most items of c that fit the budget, whole.
func (p *pager) fit(c *collector) (items, doc []byte, err error) {
	var buf []byte
	render := func(n int) []byte {
		d := p.doc(c, n)
		if p.As == "items" {
			return d.items
		}
		buf = p.final(buf[:0], d.append(nil))
		return buf
	}
	fits := func(n int) bool {
		u := p.g.over(render(n))
		if u != noUnit {
			c.stop = fmt.Sprintf("%d %s", p.g.limit(u), u)
		}
		return u == noUnit
	}
	n := 0
	if c.shrunk == nil && c.count > 0 {
		if n = int(c.count); !fits(n) {
			c.full = true
			for n = search(n-1, n*3/4, fits); n > 0 && !fits(n); n-- {
			}
		} else if c.full {
			c.stop = p.g.String()
		} else if c.want > 0 {
			c.stop = fmt.Sprintf("page size %d", c.want)
		}
		if n == 0 {
			if err := p.fromMemory(c); err != nil {
				return nil, nil, err
			}
		}
	}
	if c.shrunk != nil {
		return p.shrinkFirst(c)
	}
	d := p.doc(c, n)
	p.cursor = d.next
	if c.failed {
		cut := c.cuts[len(c.cuts)-1]
		p.Errorf(fmt.Errorf("item %d of %d bytes is over the budget of %s: %w", cut.index, cut.bytes, p.g.Budget, ErrBudget))
	}
	return d.items, p.degrade(d), nil
}

// degrade leaves out the note, then the cursor, of a page without room for them.
func (p *pager) degrade(d pageDoc) []byte {
	for {
		doc := d.append(nil)
		if p.g.over(p.final(nil, doc)) == noUnit || p.As != "page" {
			return doc
		}
		switch {
		case !d.bare:
			d.bare = true
		case d.next != "" || d.cuts != nil:
			d.next, d.cuts = "", nil
			p.Errorf(fmt.Errorf("a budget of %s has no room for the cursor: %w", p.g.Budget, ErrBudget))
		default:
			return doc
		}
	}
}

// fromMemory makes a skeleton of the first item, which was read whole but does
// not fit with the page around it.
func (p *pager) fromMemory(c *collector) error {
	value := c.w.buf[c.prefix:c.ends[0]]
	if c.prefix > 0 {
		value = value[:len(value)-1]
	}
	size := int64(len(value))
	switch p.Oversize {
	case "skip", "fail":
		c.cuts = append(c.cuts, cutItem{c.first, size, c.inside})
		c.count, c.ends, c.more = 0, nil, true
		if len(c.places) > 1 {
			c.places = c.places[1:2]
		}
		c.failed = p.Oversize == "fail"
		return nil
	}
	s := stream.NewScanner(bytes.NewReader(value), stream.Options{Name: p.r.Name()})
	var err error
	if c.shrunk, err = p.g.skeleton(s); err != nil {
		return err
	}
	c.more = c.more || c.count > 1
	c.cuts = append(c.cuts, cutItem{c.first, size, c.inside})
	c.w.buf, c.count = c.w.buf[:c.prefix], 1
	return nil
}

// shrinkFirst makes the page of one item that is larger than the budget.
func (p *pager) shrinkFirst(c *collector) (items, doc []byte, err error) {
	prefix := c.w.buf[:c.prefix]
	d := p.doc(c, 1)
	suffix := ""
	if len(prefix) > 0 {
		suffix = "}"
	}
	item := func(value []byte) []byte {
		b := append(append([]byte(nil), prefix...), value...)
		return append(b, suffix...)
	}
	out := c.shrunk.fit(shrinkOptions{Render: func(dst, value []byte) []byte {
		if p.As == "items" {
			return append(dst, item(value)...)
		}
		d.items = item(value)
		return p.final(dst, d.append(nil))
	}})
	p.cut = true
	p.cursor = d.next
	if out.Stub {
		d.items, d.returned = nil, 0
		p.Errorf(fmt.Errorf("item %d of %d bytes cannot be shrunk to the budget of %s: %w", c.cuts[0].index, c.cuts[0].bytes, p.g.Budget, ErrBudget))
		return nil, p.degrade(d), nil
	}
	d.items = item(out.Text)
	return d.items, d.append(nil), nil
}

// writeSpooled writes a page whose items are of any size.
func (p *pager) writeSpooled(c *collector) error {
	d := p.doc(c, int(c.count))
	p.cursor = d.next
	if p.As == "items" {
		if c.count == 0 {
			return nil
		}
		p.w.Begin()
		if _, err := c.w.spool.WriteTo(p.w); err != nil {
			return err
		}
		_, err := p.w.Write([]byte{'\n'})
		return err
	}
	head := d.head(nil)
	n := len(head.b)
	whole := d.tail(head)
	return p.emitFrom(io.MultiReader(bytes.NewReader(whole[:n]), c.w.spool.Reader(), bytes.NewReader(whole[n:])))
}
