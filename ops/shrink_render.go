package ops

import (
	"math"
	"strconv"

	"jlop/stream"
)

// A renderer lays out candidates: all nodes up to a priority.
type renderer struct {
	*skeleton
	o     *shrinkOptions
	top   float64
	sizes cutSizes
	lines bool   // strings are cut at lines
	level notice // how much the notice at the root says
	stop  Unit

	value, final []byte
	buf          []byte
	open         []branch
	left         totals // left out by this cut
	before       totals // left out by earlier ones
	first        int64  // offset of the first byte left out
}

// A notice says how much is told at the root of what was left out.
type notice uint8

const (
	noticeFull notice = iota
	noticeShort
	noticeTrue
)

// A branch is an array or object that is being laid out.
type branch struct {
	node, next int32
	shown      int64
	said       bool // the array's notice has been written
	at         int  // where the root array's notice goes
}

// render lays out the candidate of priority top.
func (r *renderer) render(top float64) {
	r.top, r.left, r.before, r.first = top, totals{}, totals{}, math.MaxInt64
	r.value, r.open = r.value[:0], r.open[:0]
	for i := int32(0); i >= 0; i = r.advance() {
		n := &r.nodes[i]
		if n.name.n > 0 {
			r.value = append(append(r.value, r.bytes(n.name)...), ':')
		}
		switch n.kind {
		case stream.ObjectBegin:
			r.value = append(r.value, '{')
			r.open = append(r.open, branch{node: i, next: n.first})
		case stream.ArrayBegin:
			r.value = append(r.value, '[')
			r.open = append(r.open, branch{node: i, next: n.first})
		case stream.String:
			r.string(n, r.pri[i])
		default:
			r.value = append(r.value, r.bytes(n.text)...)
		}
	}
	r.finish()
}

// finish makes the final text of the value.
func (r *renderer) finish() {
	r.final = r.value
	if r.o.Render != nil {
		r.buf = r.o.Render(r.buf[:0], r.value)
		r.final = r.buf
	}
}

func (r *renderer) string(n *node, pri float64) {
	c := r.cutString(n, r.sizes.length(n, r.top-pri), r.lines)
	r.value = append(r.value, '"')
	r.value = c.append(r.value)
	r.value = append(r.value, '"')
	r.before.chars += c.prior
	if c.omitted > c.prior {
		r.left.chars += c.omitted - c.prior
		r.first = min(r.first, n.off+int64(n.body)+c.next)
	}
}

// advance returns the next node to lay out, closing what ends before it, or -1
// at the end.
func (r *renderer) advance() int32 {
	for len(r.open) > 0 {
		b := &r.open[len(r.open)-1]
		n := &r.nodes[b.node]
		var c int32
		if n.kind == stream.ArrayBegin {
			c = r.nextItem(b, n)
		} else {
			c = r.nextMember(b)
		}
		if c < 0 {
			r.close(b, n)
			r.open = r.open[:len(r.open)-1]
			continue
		}
		r.comma(b)
		b.shown++
		b.next = r.nodes[c].next
		return c
	}
	return -1
}

// comma sets the next child of b apart from what is there of it.
func (r *renderer) comma(b *branch) {
	if b.shown > 0 || b.said {
		r.value = append(r.value, ',')
	}
}

func (r *renderer) nextMember(b *branch) int32 {
	c := b.next
	for c >= 0 && r.pri[c] > r.top {
		r.first = min(r.first, r.nodes[c].off)
		c = r.nodes[c].next
	}
	return c
}

// nextItem returns the next item to lay out: the items up to the first that is
// not to be, and the last one.
func (r *renderer) nextItem(b *branch, n *node) int32 {
	c := b.next
	for ; c >= 0; c = r.nodes[c].next {
		seen := r.pri[c] <= r.top
		if !seen {
			r.first = min(r.first, r.nodes[c].off)
		}
		if r.nodes[c].flags&flagLast != 0 {
			// Without a notice the last item alone would pass for the first.
			if !seen || r.o.Bare && b.shown == 0 && n.size > 1 {
				return -1
			}
			if b.node == 0 {
				b.at = len(r.value)
			}
			r.sayItems(b, n, n.size+n.prior()-b.shown-1, b.shown+1)
			return c
		}
		if seen && b.at == 0 {
			return c
		}
		b.at = -1 // no more but the last
	}
	return -1
}

// sayItems writes the notice of an array where items are missing.
func (r *renderer) sayItems(b *branch, n *node, missing, kept int64) {
	if missing <= 0 || b.node == 0 || b.said || r.o.Bare {
		return
	}
	r.comma(b)
	b.said = true
	r.value = append(r.value, `"[TRUNCATED `...)
	r.value = strconv.AppendInt(r.value, missing, 10)
	r.value = append(r.value, ` items omitted, `...)
	r.value = strconv.AppendInt(r.value, kept, 10)
	r.value = append(r.value, ` kept]"`...)
}

// close ends b and notes what is missing from it.
func (r *renderer) close(b *branch, n *node) {
	missing := n.size - b.shown
	if missing > 0 && n.lost() > 0 {
		r.first = min(r.first, n.lost())
	}
	if n.kind == stream.ArrayBegin {
		r.left.items += missing
		r.before.items += n.prior()
		r.sayItems(b, n, missing+n.prior(), b.shown)
		if b.node == 0 {
			r.rootArray(b, missing)
		}
		r.value = append(r.value, ']')
		return
	}
	r.left.keys += missing
	r.before.keys += n.prior()
	switch {
	case b.node == 0:
		if r.cutAny() && !r.o.Bare {
			r.comma(b)
			r.value = append(r.value, `"_truncated":`...)
			r.value = r.appendNotice(r.value)
		}
	case missing+n.prior() > 0 && !r.o.Bare:
		r.comma(b)
		r.value = append(r.value, `"_truncatedKeys":`...)
		r.value = strconv.AppendInt(r.value, missing+n.prior(), 10)
	}
	r.value = append(r.value, '}')
}

// rootArray puts the notice of the root array b where items are missing.
func (r *renderer) rootArray(b *branch, missing int64) {
	if !r.cutAny() || r.o.Bare {
		return
	}
	end := len(r.value)
	last := []byte(nil)
	if (missing > 0 || r.nodes[0].flags&flagGap != 0) && b.at > 0 {
		last = append(last, r.value[b.at:]...)
		end = b.at
		b.shown-- // the last one comes behind the notice
	}
	r.value = r.value[:end]
	r.comma(b)
	r.value = append(r.value, `{"_truncated":`...)
	r.value = append(r.appendNotice(r.value), '}')
	if len(last) > 0 && last[0] != ',' {
		r.value = append(r.value, ',')
	}
	r.value = append(r.value, last...)
}

// cutAny reports whether anything is left out.
func (r *renderer) cutAny() bool { return r.left.any() || r.before.any() || r.noticed }

// totals is what is left out in all: by this cut and by earlier ones.
func (r *renderer) totals() totals {
	t := r.before
	if r.noticed {
		t = r.prior
	}
	t.add(r.left)
	return t
}

// appendNotice appends the value of "_truncated".
func (r *renderer) appendNotice(dst []byte) []byte {
	if r.level == noticeTrue {
		return append(dst, "true"...)
	}
	t := r.totals()
	o := newObject(dst)
	o.str("limit", strconv.FormatInt(r.g.limit(r.stop), 10)+" "+r.stop.String())
	for _, c := range [...]struct {
		name string
		n    int64
	}{{"keys", t.keys}, {"items", t.items}, {"chars", t.chars}} {
		if c.n > 0 {
			o.int(c.name, c.n)
		}
	}
	if r.level == noticeFull && r.o.Cursor != nil && r.first < math.MaxInt64 {
		o.text("cursor", r.o.Cursor(r.first))
	}
	return o.end()
}
