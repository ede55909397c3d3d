package ops

import (
	"bytes"
	"math"
	"strconv"

	"jlop/stream"
)

// skeleton reads the next value of s, of any size, and holds what can be shown
// of it.
func (g *gauge) skeleton(s *stream.Scanner) (*skeleton, error) {
	k := newSkeleton(g)
	if _, err := s.Peek(); err != nil {
		return nil, err
	}
	from := s.InputOffset()
	c := &catcher{at: from, from: math.MaxInt64, most: min(k.maxText, maxCaught), mostAll: k.maxText / 2}
	s.Tee(c)
	b := builder{skeleton: k, s: s, catcher: c, depth: s.Depth()}
	err := b.build()
	if stopErr := s.StopTee(); err == nil {
		err = stopErr
	}
	if err != nil {
		return nil, err
	}
	k.size = s.InputOffset() - from
	k.raw = c.all
	return k, nil
}

// A builder reads a value into a skeleton. It goes down into what is held and
// passes over the rest at the speed of Skip.
type builder struct {
	*skeleton
	s       *stream.Scanner
	base    int64    // of the scanner's offsets
	depth   int      // of the scanner where no frame is open
	catcher *catcher // of the bytes that are read; nil when they are read again
	open    []frame
	ring    tailRing
	second  stream.Scanner // of what is read again
}

// secondWindow is the window of the scanner of what is read again.
const secondWindow = 16 << 10

// maxCaught is how large an item may be to be caught, in bytes.
const maxCaught = 256 << 10

// A frame is an array or object that is being read.
type frame struct {
	node   int32 // negative if the node was evicted
	last   int32 // the last child that is held
	newest int32 // the newest child, if it is held
	before int32 // the child before it
	mark   int   // length of the skeleton's text before it
	kind   stream.Kind
	flags  nodeFlags
	record bool  // an object that is an item
	closed bool  // items are held no more, but for the last one
	trial  bool  // the newest item is held only in case it is the last one
	large  bool  // items are too large to be caught
	count  int64 // of the children
	said   int64 // count + 1 where the notice of an earlier cut stood
	pri    float64
	step   float64   // delta of the newest item, unless it is the last
	caught [2]extent // the newest items that were passed over, the newest first
}

// An extent is where a value stands in the input; none has an end of 0.
type extent struct{ off, end int64 }

// build reads the next value.
func (b *builder) build() error {
	kind, err := b.s.Next()
	if err != nil {
		return err
	}
	n := node{parent: -1, off: b.base + b.s.TokenOffset()}
	if _, err := b.value(kind, n, 0); err != nil {
		return err
	}
	if len(b.nodes) == 0 { // a number that is too long to be held
		b.nodes = append(b.nodes, node{parent: -1, kind: stream.Number, text: b.keep([]byte{'0'}), flags: flagGap})
	}
	return b.run(0)
}

// run reads until no more than n frames are open.
func (b *builder) run(n int) error {
	for len(b.open) > n {
		if b.full() {
			b.evict(b.open)
		}
		f := &b.open[len(b.open)-1]
		if f.node < 0 {
			live := len(b.open)
			for live > n && b.open[live-1].node < 0 {
				live--
			}
			b.open = b.open[:live]
			if err := b.s.SkipTo(b.depth + live); err != nil {
				return err
			}
			continue
		}
		next := b.member
		if f.kind == stream.ArrayBegin {
			next = b.item
		}
		if err := next(f); err != nil {
			return err
		}
	}
	return nil
}

// pass passes over the rest of the value whose first token is kind.
func (b *builder) pass(kind stream.Kind) error {
	switch kind {
	case stream.ObjectBegin, stream.ArrayBegin:
		return b.s.SkipTo(b.s.Depth() - 1)
	case stream.String, stream.Number, stream.Name:
		return b.passToken()
	}
	return nil
}

// passToken passes over the rest of a string, number or name.
func (b *builder) passToken() error {
	if _, ok := b.s.Whole(); ok {
		return nil
	}
	for done := false; !done; {
		var err error
		if _, done, err = b.s.Chunk(); err != nil {
			return err
		}
	}
	return nil
}

// item reads the next item of the array f, or its end.
func (b *builder) item(f *frame) error {
	if f.closed && !f.large && b.catcher != nil {
		if ended, err := b.passItems(f); err != nil {
			return err
		} else if ended {
			return b.endArray(f)
		}
	}
	kind, err := b.s.Next()
	if err != nil {
		return err
	}
	if kind == stream.ArrayEnd {
		return b.endArray(f)
	}
	off := b.base + b.s.TokenOffset()
	if kind == stream.String && b.itemsNotice(f) {
		return nil
	}
	b.settle(f)
	f.step += itemStep(f.count, kind)
	f.count++
	delta := f.step
	if f.count > 1 {
		delta = min(delta, lastStep(kind))
	}
	pri := f.pri + delta
	f.trial = f.closed || f.pri+f.step > b.bound
	f.closed = f.trial
	if pri > b.bound {
		b.nodes[f.node].lose(off)
		return b.pass(kind)
	}
	n := node{parent: f.node, delta: float32(delta), off: off, flags: flagRecord | f.flags}
	held, err := b.value(kind, n, pri)
	if !held {
		f.closed = true
	}
	return err
}

// passItems passes over items to the end of f, which it reads as well, or until
// one is too large to be caught.
func (b *builder) passItems(f *frame) (ended bool, err error) {
	catch := f.pri+lastStep(stream.Number) <= b.bound
	depth := b.s.Depth()
	for {
		kind, err := b.s.Next()
		if err != nil {
			return false, err
		}
		switch kind {
		case stream.ArrayEnd:
			return true, nil
		case stream.String:
			if b.itemsNotice(f) {
				continue
			}
		}
		off := b.s.TokenOffset()
		if f.newest >= 0 || b.nodes[f.node].lost() == 0 {
			b.settle(f)
			b.nodes[f.node].lose(off)
		}
		if catch {
			f.caught[1] = f.caught[0]
			b.catcher.from = off
			if f.node == 0 && f.caught[1].end > 0 {
				b.catcher.from = f.caught[1].off
			}
		}
		f.count++
		switch kind {
		case stream.ObjectBegin, stream.ArrayBegin:
			err = b.s.SkipTo(depth)
		case stream.String, stream.Number:
			err = b.passToken()
		}
		if err != nil {
			return false, err
		}
		if !catch {
			continue
		}
		f.caught[0] = extent{off, b.s.InputOffset()}
		if b.catcher.over() {
			f.large, f.caught = true, [2]extent{}
			return false, nil
		}
	}
}

// itemsNotice takes the string that was read for what an earlier cut said about
// the items of f, if it is that.
func (b *builder) itemsNotice(f *frame) bool {
	raw, ok := b.s.Whole()
	if !ok {
		return false
	}
	n, ok := parseItemsNotice(raw)
	if ok {
		b.nodes[f.node].addPrior(n)
		f.said = f.count + 1
	}
	return ok
}

// settle gives the newest item of f its place now that it is not the last one.
func (b *builder) settle(f *frame) {
	if f.newest < 0 {
		return
	}
	if f.trial {
		b.nodes[f.node].lose(b.nodes[f.newest].off)
		b.discard(f)
		return
	}
	n := &b.nodes[f.newest]
	switch pri := f.pri + f.step; {
	case float32(f.step) == n.delta:
	case pri > b.bound:
		b.nodes[f.node].lose(n.off)
		b.discard(f)
		f.closed = true
		return
	default:
		n.delta = float32(f.step)
		b.prune(f.newest, f.mark, pri)
	}
	f.newest = -1
}

// discard drops the newest child of f, which has been read to its end.
func (b *builder) discard(f *frame) {
	if f.before < 0 {
		b.nodes[f.node].first = -1
	} else {
		b.nodes[f.before].next = -1
	}
	b.nodes, b.text = b.nodes[:f.newest], b.text[:f.mark]
	f.last, f.newest = f.before, -1
}

func (b *builder) endArray(f *frame) error {
	n := &b.nodes[f.node]
	if f.newest < 0 && f.caught[0].end > 0 {
		if err := b.again(); err != nil {
			return err
		}
		f = &b.open[len(b.open)-1]
		if f.node < 0 {
			b.open = b.open[:len(b.open)-1]
			return nil
		}
		n = &b.nodes[f.node]
	}
	n.size = f.count
	if f.said > 0 && f.said <= f.count {
		n.flags |= flagGap
	}
	// Items may be missing behind the last one that there is.
	if end := f.said > f.count && (f.node > 0 || b.prior.items > 0 || !b.prior.any()); !end {
		switch {
		case f.newest >= 0:
			b.nodes[f.newest].flags |= flagLast
		case f.last >= 0 && n.lost() == 0:
			b.nodes[f.last].flags |= flagLast
		}
	}
	b.open = b.open[:len(b.open)-1]
	return nil
}

// again reads the last item of the innermost frame, which was passed over, once
// more. At the root the last but one is read first, for an earlier cut may have
// left its notice there.
func (b *builder) again() error {
	n := len(b.open)
	caught := b.open[n-1].caught
	s, depth, c := b.s, b.depth, b.catcher
	if err := s.StopTee(); err != nil {
		return err
	}
	var texts [len(caught)][]byte
	for i, e := range caught {
		if f := &b.open[n-1]; i == 0 || f.node == 0 {
			if texts[i] = c.slice(e); texts[i] != nil {
				f.count--
			}
		}
	}
	for i := len(caught) - 1; i >= 0; i-- {
		f := &b.open[n-1]
		if texts[i] == nil || f.node < 0 {
			continue
		}
		b.second.Reset(bytes.NewReader(texts[i]), stream.Options{Window: secondWindow})
		b.s = &b.second
		b.base, b.depth, b.catcher = caught[i].off, -n, nil
		if err := b.item(f); err != nil {
			return err
		}
		if err := b.run(n); err != nil {
			return err
		}
	}
	c.from = math.MaxInt64
	b.s, b.base, b.depth, b.catcher = s, 0, depth, c
	s.Tee(c)
	return nil
}

// member reads the next member of the object f, or its end.
func (b *builder) member(f *frame) error {
	kind, err := b.s.Next()
	if err != nil {
		return err
	}
	if kind == stream.ObjectEnd {
		b.endObject(f)
		return nil
	}
	n := node{parent: f.node, off: b.base + b.s.TokenOffset()}
	f.count++
	f.newest = -1
	mark := len(b.text)
	held, err := b.token(kind, &n.name)
	if err != nil {
		return err
	}
	if kind, err = b.s.Next(); err != nil {
		return err
	}
	length := 0
	if raw, ok := b.s.Whole(); ok {
		length = len(raw)
	} else if kind == stream.String || kind == stream.Number {
		length = b.cut.whole + 3
	}
	var delta float64
	n.flags, delta = b.cut.memberStep(f, b.bytes(n.name), kind, length)
	pri := f.pri + delta
	n.delta = float32(delta)
	if !held || pri > b.bound {
		b.text = b.text[:mark]
		b.nodes[f.node].lose(n.off)
		return b.pass(kind)
	}
	f.mark = mark
	_, err = b.value(kind, n, pri)
	return err
}

// endObject ends the object f. Its last member may be what an earlier cut said.
func (b *builder) endObject(f *frame) {
	n := &b.nodes[f.node]
	if f.newest >= 0 {
		c := &b.nodes[f.newest]
		switch name := string(b.bytes(c.name)); {
		case name == `"_truncatedKeys"` && c.kind == stream.Number:
			if v, err := strconv.ParseInt(string(b.bytes(c.text)), 10, 64); err == nil && v > 0 {
				n.addPrior(v)
				b.discard(f)
				f.count--
			}
		case name == `"_truncated"` && f.node == 0:
			if b.rootNotice(f.newest) {
				b.discard(f)
				f.count--
			}
		case name == `"_truncated"` && f.count == 1 && n.parent == 0 && b.nodes[0].kind == stream.ArrayBegin:
			if b.rootNotice(f.newest) {
				b.open = b.open[:len(b.open)-1]
				f = &b.open[len(b.open)-1]
				b.discard(f)
				f.count--
				f.said = f.count + 1
				return
			}
		}
	}
	n.size = f.count
	b.open = b.open[:len(b.open)-1]
}

// rootNotice takes the node i for what an earlier cut said at the root, if it is
// that.
func (b *builder) rootNotice(i int32) bool {
	switch n := &b.nodes[i]; n.kind {
	case stream.True:
		b.noticed = true
		return true
	case stream.ObjectBegin:
		var t totals
		limit := false
		for c := n.first; c >= 0; c = b.nodes[c].next {
			v, _ := strconv.ParseInt(string(b.bytes(b.nodes[c].text)), 10, 64)
			switch string(b.bytes(b.nodes[c].name)) {
			case `"limit"`:
				limit = b.nodes[c].kind == stream.String
			case `"keys"`:
				t.keys = v
			case `"items"`:
				t.items = v
			case `"chars"`:
				t.chars = v
			}
		}
		if limit {
			b.noticed, b.prior = true, t
		}
		return limit
	}
	return false
}

// value holds the value whose first token, kind, has been read, as n. It
// reports false if it cannot be held.
func (b *builder) value(kind stream.Kind, n node, pri float64) (held bool, err error) {
	var f *frame
	if len(b.open) > 0 {
		f = &b.open[len(b.open)-1]
	}
	n.kind, n.first, n.next = kind, -1, -1
	mark := len(b.text)
	if f != nil && n.name.n > 0 {
		mark = f.mark
	}
	switch held = true; kind {
	case stream.String:
		n.body = uint32(min(b.base+b.s.TokenOffset()+1-n.off, math.MaxUint32))
		err = b.str(&n, pri)
	case stream.Null, stream.True, stream.False, stream.Number:
		held, err = b.token(kind, &n.text)
	}
	if err != nil {
		return false, err
	}
	if !held {
		b.text = b.text[:mark]
		if f != nil {
			b.nodes[f.node].lose(n.off)
		}
		return false, nil
	}
	i := b.add(n)
	if f != nil {
		b.link(f.node, f.last, i)
		f.mark, f.before, f.last, f.newest = mark, f.last, i, i
	}
	if kind == stream.ObjectBegin || kind == stream.ArrayBegin {
		b.open = append(b.open, frame{node: i, last: -1, newest: -1, before: -1, kind: kind, flags: n.flags & flagUrgent,
			record: kind == stream.ObjectBegin && n.flags&flagRecord != 0, pri: pri})
	}
	return true, nil
}

// token holds the token that was read as it stands. It reports false if that is
// longer than anything that could fit.
func (b *builder) token(kind stream.Kind, to *span) (held bool, err error) {
	at := len(b.text)
	if raw, ok := b.s.Whole(); ok {
		*to = b.keep(raw)
		return true, nil
	}
	quote := func() {
		if kind == stream.Name {
			b.text = append(b.text, '"')
		}
	}
	quote()
	held = true
	for done := false; !done; {
		var raw []byte
		if raw, done, err = b.s.Chunk(); err != nil {
			return false, err
		}
		if held = held && len(b.text)-at+len(raw) <= b.maxText; held {
			b.text = append(b.text, raw...)
		}
	}
	quote()
	*to = span{int32(at), int32(len(b.text) - at)}
	return held, nil
}

// allowed is how many bytes of a string are held.
func (b *builder) allowed(pri float64) int {
	if most := float64(b.cut.first) * math.Exp2(b.bound-pri); most < float64(b.maxText) {
		return max(b.cut.whole, int(most))
	}
	return b.maxText
}

// str holds as much of the string that was read as its priority allows.
func (b *builder) str(n *node, pri float64) error {
	most := b.allowed(pri)
	at := len(b.text)
	if raw, ok := b.s.Whole(); ok {
		body := raw[1 : len(raw)-1]
		n.size = stream.CountChars(body)
		n.text = b.keep(body)
		b.trim(n, most)
		b.squeeze(n)
		b.marked(n)
		return nil
	}
	tail := max(1, most*n.tailShare()/100)
	b.ring.size, b.ring.buf = tail, b.ring.buf[:0]
	src := jsonText{b.s}
	gap := false
	for done := false; !done; {
		raw, last, err := b.s.Chunk()
		if err != nil {
			return err
		}
		done = last
		n.size += stream.CountChars(raw)
		switch {
		case gap:
			b.ring.write(src, raw)
		case len(b.text)-at+len(raw) <= most:
			b.text = append(b.text, raw...)
		default:
			gap = true
			b.ring.write(src, b.text[at:])
			b.ring.write(src, raw)
			b.text = append(b.text, raw[:boundaryBefore(raw, min(len(raw), max(0, at+most-len(b.text))))]...)
		}
	}
	n.text = span{int32(at), int32(len(b.text) - at)}
	if gap {
		body := b.text[at:]
		n.text.n = int32(boundaryBefore(body, min(len(body), most-tail)))
		b.text = b.text[:at+int(n.text.n)]
		end := b.ring.buf
		n.tail = b.keep(end[boundaryAfter(end, max(0, len(end)-tail)):])
		n.flags |= flagGap
	}
	b.marked(n)
	return nil
}

// marked notes what an earlier cut has left out of a string that is held whole.
func (b *builder) marked(n *node) {
	if n.flags&flagGap == 0 {
		if _, _, _, ok := splitMarked(b.bytes(n.text)); ok {
			n.flags |= flagMarked
		}
	}
}

// squeeze closes the gap that trim has left between the newest head and tail.
func (b *builder) squeeze(n *node) {
	if n.flags&flagGap == 0 {
		return
	}
	at := n.text.at + n.text.n
	copy(b.text[at:], b.bytes(n.tail))
	n.tail.at = at
	b.text = b.text[:at+n.tail.n]
}

// A catcher is given all that is read and keeps what comes from a place on, and
// the whole while it is short.
type catcher struct {
	at      int64 // offset of what comes next
	from    int64 // what is kept
	most    int   // no more than this
	buf     []byte
	lost    int64  // what was kept from there on became too long
	all     []byte // all that was given, unless that is too long
	long    bool
	mostAll int
}

func (c *catcher) Write(p []byte) (int, error) {
	n := len(p)
	if !c.long {
		if len(c.all)+n > c.mostAll {
			c.all, c.long = nil, true
		} else {
			c.all = append(c.all, p...)
		}
	}
	start := c.at - int64(len(c.buf))
	c.at += int64(n)
	switch {
	case c.lost == c.from:
		return n, nil
	case c.from >= c.at-int64(n):
		c.buf = c.buf[:0]
		p = p[min(int64(n), c.from-(c.at-int64(n))):]
	case c.from > start:
		c.buf = c.buf[:copy(c.buf, c.buf[c.from-start:])]
	}
	if len(c.buf)+len(p) > c.most {
		c.lost = c.from
		c.buf = c.buf[:0]
		return n, nil
	}
	c.buf = append(c.buf, p...)
	return n, nil
}

// over reports whether what is wanted is too long to be kept.
func (c *catcher) over() bool { return c.lost == c.from }

// slice returns what was given at e, nil if it was not kept.
func (c *catcher) slice(e extent) []byte {
	start := c.at - int64(len(c.buf))
	if e.end == 0 || c.lost == c.from || e.off < start || e.end > c.at {
		return nil
	}
	return c.buf[e.off-start : e.end-start]
}
