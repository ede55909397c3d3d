package ops

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"

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
	broken   bool   // the input is not valid behind the page
	cuts     []byte
	bare     bool // without the note
	short    bool // without the numbers
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
	switch {
	case d.short:
	case d.byBudget:
		o.int("firstItem", d.first+1)
		o.int("returnedItems", d.returned)
	default:
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
	o.text("nextCursor", d.next)
	if !d.bare {
		o.str("note", d.note())
	}
	return o.end()
}

func (d pageDoc) pages() int64 { return max(1, (d.total-1)/d.pageSize+1) }

func (d pageDoc) note() string {
	s := d.numbers()
	if d.broken {
		s += " The input is not valid behind that."
	}
	if d.byBudget {
		if d.next != "" {
			s += " Pass cursor for the rest."
		}
		return s
	}
	switch {
	case d.next != "":
		s += fmt.Sprintf(" Pass page=%d for next page.", d.page+1)
	case d.returned == 0 && d.total > 0:
		s += fmt.Sprintf(" There is no such page, page=%d is the last.", d.pages())
	}
	return s
}

// numbers says what is on the page.
func (d pageDoc) numbers() string {
	if !d.byBudget {
		s := fmt.Sprintf("Page %d", d.page)
		if d.total >= 0 {
			s += fmt.Sprintf("/%d. %d total items", d.pages(), d.total)
		}
		return s + "."
	}
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
	return s + "."
}

// doc is the page of the first n items of c.
func (p *pager) doc(c *collector, n int) pageDoc {
	d := pageDoc{
		what: "Items", first: c.first, returned: int64(n), total: c.total,
		byBudget: p.bounded || p.Cursor != "", page: max(1, p.Page), pageSize: c.want,
		more: c.more || int64(n) < c.count, broken: c.err != nil,
	}
	if p.bounded && n > 0 && c.shrunk == nil {
		d.items = c.w.buf[:c.ends[n-1]]
	}
	if d.more {
		d.next = c.next(c.first + int64(n))
	}
	if p.limits() > 1 && c.err == nil {
		d.stop = c.stop
	}
	if len(c.cuts) > 0 {
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

// name says the limit of a unit, "2000 tokens".
func (b Budget) name(u Unit) string { return fmt.Sprintf("%d %s", b.limit(u), u) }

// next is the cursor of the item at index, or empty if it was not reached.
func (c *collector) next(index int64) string {
	k := index - c.from
	if k < 0 || k >= int64(len(c.spots)) {
		return ""
	}
	at := c.spots[k].cursor(c.kind)
	at.index, at.total, at.size = index, c.total, c.size
	if c.total < 0 {
		at.size = 0
	}
	return c.complete(at)
}

// complete adds to a cursor what it shares with all others of the array.
func (c *collector) complete(at cursor) string {
	at.path = c.digest
	if at.path == 0 {
		at.path = c.path.Digest()
	}
	at.head = headDigest(c.p.r, at.offset)
	return at.String()
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
		o.str("cursor", c.complete(cut.inside))
		b = o.end()
	}
	return append(b, ']')
}

// inputEnd notes how long the input is of which the items were counted, so that
// the next page can trust the total of the same input.
func (c *collector) inputEnd(r *stream.Reader) { c.size, _ = r.Size() }

// write writes the page that c collected. What was complete before an error of
// the input is a page too.
func (p *pager) write(c *collector) error {
	defer c.release()
	if c.err != nil && c.count == 0 && len(c.cuts) == 0 {
		return c.err
	}
	if !p.bounded {
		return cmp.Or(p.writeSpooled(c), c.err)
	}
	d, text := p.fit(c)
	if err := p.tell(c, &d); err != nil {
		return err
	}
	return cmp.Or(p.emitFinal(text), c.err)
}

// separator stands between two items.
func (p *pager) separator() string {
	switch {
	case p.As != "items":
		return ","
	case p.Seq && p.Wrap == "":
		return "\n\x1e"
	}
	return "\n"
}

// final appends the page as the model reads it.
func (p *pager) final(dst []byte, d *pageDoc) []byte {
	if p.As == "items" {
		return append(dst, d.items...)
	}
	return p.layout().Append(dst, d.append(nil))
}

// fit makes the page of the most items of c that fit the budget, whole, and its
// text. A note is worth less than an item.
func (p *pager) fit(c *collector) (pageDoc, []byte) {
	if c.shrunk == nil && c.count > 0 {
		stop := c.stop
		for _, bare := range []bool{false, true} {
			c.stop = cmp.Or(stop, c.size0())
			if d, text, ok := p.most(c, bare); ok {
				return d, text
			}
		}
		if len(c.cuts) == 0 {
			p.fromMemory(c)
		}
	}
	if c.shrunk != nil {
		return p.shrinkFirst(c)
	}
	if c.failed {
		cut := c.cuts[0]
		p.Errorf(fmt.Errorf("%s: item %d of %d bytes does not fit a page of %s: %w", cut.place(), cut.index, cut.bytes, p.g.Budget, ErrBudget))
	}
	return p.degrade(p.doc(c, 0))
}

// size0 names the size of a page, as the limit that stopped it.
func (c *collector) size0() string { return fmt.Sprintf("page size %d", c.want) }

// most finds the most items of c that fit, at least one.
func (p *pager) most(c *collector, bare bool) (d pageDoc, text []byte, ok bool) {
	stop := c.stop
	fits := func(n int) bool {
		d = p.doc(c, n)
		d.bare = bare
		text = p.final(text[:0], &d)
		u := p.g.over(text)
		if u != noUnit {
			stop = p.g.name(u)
		}
		return u == noUnit
	}
	n := int(c.count)
	if fits(n) {
		return d, text, true
	}
	c.full, c.stop = true, stop
	n = search(n-1, n*3/4, fits)
	// The limit that the next item would be over need not be the one that all
	// the items are over.
	fits(n + 1)
	for c.stop = stop; n > 0; n-- {
		if fits(n) {
			return d, text, true
		}
	}
	return d, text, false
}

// degrade leaves out what there is no room for of a page without items.
func (p *pager) degrade(d pageDoc) (pageDoc, []byte) {
	for {
		text := p.final(nil, &d)
		switch {
		case p.g.over(text) == noUnit:
			return d, text
		case !d.bare:
			d.bare = true
		case d.cuts != nil:
			d.cuts = nil
			p.Errorf(fmt.Errorf("a page of %s has no room for the list of what was cut: %w", p.g.Budget, ErrBudget))
		case d.next != "":
			d.next = ""
			p.Errorf(fmt.Errorf("a page of %s has no room for the cursor: %w", p.g.Budget, ErrBudget))
		case !d.short:
			d.total, d.short = -1, true
		default:
			return d, text
		}
	}
}

// leaveOut lists an item that is not shown. A list that is as long as the
// budget allows ends the page: then it reports false. More behind the item are
// to be expected.
func (c *collector) leaveOut(cut cutItem, more bool) bool {
	c.cuts = append(c.cuts, cut)
	if c.p.As == "items" {
		c.cuts = c.cuts[:0]
		return c.p.tellCut(c, cut, "") == nil
	}
	d := c.p.doc(c, 0)
	d.bare = true
	if more {
		d.more, d.next = true, c.next(cut.index)
	}
	if c.p.g.over(c.p.final(nil, &d)) == noUnit {
		return true
	}
	c.cuts = c.cuts[:len(c.cuts)-1]
	if len(c.cuts) > 0 {
		return false
	}
	c.p.Errorf(fmt.Errorf("%s: a page of %s has no room to list item %d of %d bytes, which is left out: %w", cut.place(), c.p.g.Budget, cut.index, cut.bytes, ErrBudget))
	return true
}

func (c cutItem) place() Place { return Place{File: c.name, Line: c.inside.line} }

// fromMemory makes of the first item, which was read whole but does not fit
// with the page around it, an item larger than the budget.
func (p *pager) fromMemory(c *collector) {
	cut := cutItem{c.first, c.size1, c.inside, c.name}
	value := c.w.buf[c.prefix:c.ends[0]]
	if c.prefix > 0 {
		value = value[:len(value)-1]
	}
	c.more = c.more || c.count > 1
	c.count, c.ends = 0, nil
	switch p.Oversize {
	case "fail":
		c.cuts = append(c.cuts, cut)
		c.failed, c.more = true, true
		return
	case "skip":
		c.first++
		c.leaveOut(cut, c.more)
		return
	}
	s := stream.NewScanner(bytes.NewReader(value), stream.Options{Name: c.name})
	k, err := p.g.skeleton(s)
	if err != nil {
		// The value has been read before, as it is.
		panic(err)
	}
	c.shrunk, c.count = k, 1
	c.cuts = append(c.cuts, cut)
	c.w.buf = c.w.buf[:c.prefix]
}

// shrinkFirst makes the page of one item that is larger than the budget.
func (p *pager) shrinkFirst(c *collector) (pageDoc, []byte) {
	d := p.doc(c, 1)
	prefix := bytes.Clone(c.w.buf[:c.prefix])
	item := func(value []byte) []byte {
		b := append(bytes.Clone(prefix), value...)
		if len(prefix) > 0 {
			b = append(b, '}')
		}
		if p.As == "items" {
			b = p.shown(b)
		}
		return b
	}
	for _, d.bare = range []bool{false, true} {
		out := c.shrunk.fit(shrinkOptions{Render: func(dst, value []byte) []byte {
			d.items = item(value)
			return p.final(dst, &d)
		}})
		d.items = item(out.Text)
		text := p.final(nil, &d)
		// A note beside next to nothing is worth less than something.
		if !out.Stub && (d.bare || len(d.items) > len(text)/4) {
			return d, text
		}
	}
	cut := c.cuts[0]
	p.Errorf(fmt.Errorf("%s: item %d of %d bytes cannot be shrunk to a page of %s: %w", cut.place(), cut.index, cut.bytes, p.g.Budget, ErrBudget))
	d.items, d.returned, d.bare = nil, 0, false
	return p.degrade(d)
}

// shown is an item on a line of its own.
func (p *pager) shown(item []byte) []byte {
	if p.RawOutput && len(item) > 0 && item[0] == '"' {
		return bytes.ToValidUTF8(stream.AppendText(nil, item[1:len(item)-1]), []byte("\uFFFD"))
	}
	return p.itemLayout().Append(nil, item)
}

// writeSpooled writes a page whose items are of any size.
func (p *pager) writeSpooled(c *collector) error {
	c.stop = cmp.Or(c.stop, c.size0())
	d := p.doc(c, int(c.count))
	if err := p.tell(c, &d); err != nil {
		return err
	}
	if p.As == "items" {
		if c.count == 0 {
			return p.emitFinal(nil)
		}
		return p.emitFrom(c.w.spool.Reader(), stream.Layout{})
	}
	head := d.head(nil)
	n := len(head.b)
	whole := d.tail(head)
	return p.emitFrom(io.MultiReader(bytes.NewReader(whole[:n]), c.w.spool.Reader(), bytes.NewReader(whole[n:])), p.layout())
}

// tell says what is not on a page where it was asked for: in the exit status,
// the report, as findings, and in cursors beside the page.
func (p *pager) tell(c *collector, d *pageDoc) error {
	p.leave(d.next)
	for _, cut := range c.cuts {
		if err := p.tellCut(c, cut, string(d.items)); err != nil {
			return err
		}
	}
	if !d.more || c.failed {
		return nil
	}
	p.cut = true
	at := spot{}
	if k := c.first + d.returned - c.from; k >= 0 && k < int64(len(c.spots)) {
		at = c.spots[k]
	}
	pointer := ""
	if c.kind == cursorItems {
		pointer = c.path.String()
	}
	if p.Check {
		text := fmt.Sprintf("%d", d.returned)
		if d.total >= 0 {
			text += fmt.Sprintf(" of %d", d.total)
		}
		return p.Find(Place{File: c.name, Line: at.line, Pointer: pointer}, text+" items are on the page, stopped by "+c.stop)
	}
	return p.note(change{
		File: c.name, Line: at.line, Offset: at.offset, Pointer: pointer, Rule: "page", Unit: "items",
		Before: max(d.total, d.first+d.returned), After: d.returned, Limit: c.stop,
	})
}

// tellCut says that an item was shrunk to what is shown, or left out.
func (p *pager) tellCut(c *collector, cut cutItem, shown string) error {
	p.cut = true
	pointer := ""
	if c.kind == cursorItems {
		pointer = c.path.Member(strconv.FormatInt(cut.index, 10)).String()
	}
	at := cut.place()
	at.Pointer = pointer
	if p.Check {
		return p.Find(at, fmt.Sprintf("an item of %d bytes does not fit a page of %s", cut.bytes, p.g.Budget))
	}
	if p.As == "items" && p.Oversize != "fail" {
		verb := map[string]string{"shrink": "cut", "skip": "left out"}[p.Oversize]
		p.Warnf("%s: item %d of %d bytes was %s, its cursor is %s", cut.place(), cut.index, cut.bytes, verb, c.complete(cut.inside))
	}
	rule := map[string]string{"shrink": "truncate", "skip": "skip", "fail": "fail"}[p.Oversize]
	return p.note(change{
		File: cut.name, Line: cut.inside.line, Offset: cut.inside.offset, Pointer: pointer, Rule: rule, Unit: Bytes.String(),
		Before: cut.bytes, After: int64(len(shown)), Limit: p.g.Budget.String(),
	})
}

// note writes a change to the report.
func (p *pager) note(c change) error {
	if p.report == nil {
		return nil
	}
	return p.report.write(c)
}
