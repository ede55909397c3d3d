package ops

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"jlop/stream"
)

// Shrinking cuts a JSON value of any size to a budget and keeps its shape.
//
// # What is kept
//
// Every value gets a priority: that of the array or object it is in, and a
// distance that depends on what it is and on where it stands. What is shown is
// all that comes before one priority. A long string begins with a few words at its
// own priority and is twice as long with each unit further, so that all of them
// share what room there is, in keeping with their places.
//
//   - Shallow comes before deep: each level adds to the distance.
//   - Early comes before late: it grows with the logarithm of the place.
//   - Short scalars come before long strings, and both before arrays and objects.
//   - An item of an array comes with what is in it, and the next item comes later:
//     a few whole items, rather than many empty ones. The last item comes about
//     when the second one does. Small arrays and objects come whole or not at all.
//   - What tells of a failure (error, message, status, exit_code, stderr ...)
//     comes before its siblings, and so does all that is inside an error.
//   - A string keeps its head and its tail, in equal parts if it is a log.
//
// What does not fit when its turn comes (a long number, a whole item) is passed
// over, and what comes behind it fills the room. If less than 95 % of the budget
// is used then, items may come in parts, and shorter strings may be cut.
//
// # How it is found
//
// One pass over the input holds the values with the best priorities, several
// times as many as fit: a skeleton. When it is full the worst are dropped, and
// from then on whatever has no better priority is not looked at. The last
// item of an array is known at its end only; until then the newest one is
// held, or its bytes are caught as they go by. Then the priority is searched at
// which the final text, laid out and measured, just fits.
//
// # What is counted
//
// Each thing left out is counted once: a key or an item as one, whatever was in
// it, and the characters left out of strings of which a part is shown.

// shrinkOptions say how a value is shrunk.
type shrinkOptions struct {
	// Render appends to dst the final text of a candidate, as the model reads
	// it: laid out, escaped, in its envelope. Nil is the value itself.
	Render func(dst, value []byte) []byte
	// Cursor makes the cursor for the notice at the root from the offset in the
	// input of the first byte that was left out. Nil makes none.
	Cursor func(firstOmitted int64) string
	// Bare leaves out all notices but the markers in strings, for values that
	// have to match a schema.
	Bare bool
}

// A shrunk is a value that was cut.
type shrunk struct {
	Text []byte // before Render
	// What was left out in all, by earlier cuts as well.
	Items, Keys, Chars int64
	Stop               Unit // the limit that stopped it
	// Stub says that not even the smallest form with its notice fits. Text is
	// an empty value of the same type and may be over the budget.
	Stub         bool
	FirstOmitted int64 // offset in the input; -1 if nothing was left out
	Bytes        int64 // length of the original in the input
}

// shrink reads the next value of s and cuts it to the budget. A value that fits
// comes back as found.
func (g *gauge) shrink(s *stream.Scanner, o shrinkOptions) (*shrunk, error) {
	k, err := g.skeleton(s)
	if err != nil {
		return nil, err
	}
	return k.fit(o), nil
}

// fit finds the best preview that is within the budget as o renders it.
func (k *skeleton) fit(o shrinkOptions) *shrunk {
	f := shrinkFitter{renderer: renderer{skeleton: k, o: &o, sizes: k.cut, stop: k.g.unit()}, reach: itemReach}
	if k.raw != nil {
		f.value = append(f.value, k.raw...)
		f.finish()
		if use, _ := k.g.use(f.final); use <= 1 {
			return &shrunk{Text: f.value, Stop: noUnit, FirstOmitted: -1, Bytes: k.size}
		}
	}
	f.allow()
	if endless := f.nodes[0].kind == stream.Number && f.nodes[0].flags&flagGap != 0; endless || !f.start() {
		return f.stub()
	}
	f.search()
	return f.result()
}

// allow makes all nodes candidates.
func (f *shrinkFitter) allow() {
	for i := range f.nodes {
		f.nodes[i].flags &^= flagBanned
	}
	f.prepare()
}

// A shrinkFitter searches the priority at which a value fits.
type shrinkFitter struct {
	renderer
	best  probe
	text  []byte
	sums  totals
	first int64
	unit  Unit
	found bool

	order   []int32 // the nodes but for long strings, by priority
	sum     []int   // weight of order[:i]
	strings []int32
	last    float64 // a priority that shows everything
	reach   float64 // how far behind an item its parts come with it
	probes  int
}

// A probe is a candidate that was measured.
type probe struct {
	top    float64
	weight int
	use    float64 // of the tightest limit
}

const (
	// enough is the share of the budget at which the search ends.
	enough = 0.99
	// wanted is the share that is tried harder for.
	wanted = 0.965
	// maxProbes bounds the number of candidates that are measured.
	maxProbes = 48
	// nodeWeight is what a value takes beside its text: a comma, a colon, quotes.
	nodeWeight = 3
)

// mostNotice is the share of the budget that a notice may take at most, unless
// it is the shortest.
var mostNotice = [...]float64{noticeFull: 0.5, noticeShort: 0.75, noticeTrue: 1}

// use is the largest share that text takes of a limit.
func (g *gauge) use(text []byte) (share float64, unit Unit) {
	unit = noUnit
	for _, u := range units {
		limit := g.limit(u)
		if limit <= 0 {
			continue
		}
		n := int64(0)
		if u == Tokens {
			n, limit = int64(g.exact().Count(text)), g.tokens
		} else {
			n = g.size(u, text)
		}
		s := float64(n) / float64(limit)
		if limit == 0 && n > 0 {
			s = math.Inf(1)
		}
		if s > share {
			share, unit = s, u
		}
	}
	return share, unit
}

// prepare sorts the nodes, so that the weight of a candidate is known before it
// is laid out.
func (f *shrinkFitter) prepare() {
	f.priorities()
	f.gather()
	pri := f.pri
	f.order, f.sum, f.strings, f.last = f.order[:0], f.sum[:0], f.strings[:0], 0
	for i := range f.nodes {
		n := &f.nodes[i]
		switch {
		case math.IsInf(pri[i], 1):
			continue
		case n.kind == stream.String && int(n.text.n+n.tail.n) > f.sizes.whole:
			f.strings = append(f.strings, int32(i))
			f.last = max(f.last, pri[i]+math.Log2(float64(n.text.n+n.tail.n)/float64(f.sizes.first))+1)
		default:
			f.order = append(f.order, int32(i))
			f.last = max(f.last, pri[i])
		}
	}
	slices.SortFunc(f.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(pri[a], pri[b]), cmp.Compare(a, b))
	})
	sum := 0
	for _, i := range f.order {
		sum += f.least(&f.nodes[i])
		f.sum = append(f.sum, sum)
	}
}

// weighed is about how many bytes the candidate of priority top takes.
func (f *shrinkFitter) weighed(top float64) int {
	w := 0
	if i := sort.Search(len(f.order), func(i int) bool { return f.pri[f.order[i]] > top }); i > 0 {
		w = f.sum[i-1]
	}
	for _, i := range f.strings {
		if p := f.pri[i]; p <= top {
			n := &f.nodes[i]
			w += int(n.name.n) + f.sizes.length(n, top-p) + nodeWeight
		}
	}
	return w
}

// between finds a priority above lo and up to hi whose weight is close to w, or
// else the least that is heavier than that of lo.
func (f *shrinkFitter) between(lo, hi float64, w int) float64 {
	least := f.weighed(lo)
	for range 50 {
		mid := (lo + hi) / 2
		if mid <= lo || mid >= hi {
			break
		}
		switch m := f.weighed(mid); {
		case m > least && m >= w-w/256 && m <= w+w/256:
			return mid
		case m <= least || m < w:
			lo = mid
		default:
			hi = mid
		}
	}
	if f.weighed(lo) > least {
		return lo
	}
	return hi
}

// try measures a candidate and keeps it if it fits and is the fullest so far.
func (f *shrinkFitter) try(top float64) (p probe, fits bool) {
	f.probes++
	f.render(top)
	p = probe{top: top, weight: f.weighed(top)}
	var unit Unit
	p.use, unit = f.g.use(f.final)
	if p.use > 1 {
		f.stop = unit
		return p, false
	}
	if !f.found || p.use >= f.best.use {
		f.found, f.best = true, p
		f.text = append(f.text[:0], f.value...)
		f.sums, f.first, f.unit = f.totals(), f.renderer.first, f.stop
	}
	return p, true
}

// start finds the largest notice that leaves room for more than itself. It
// reports false if none fits.
func (f *shrinkFitter) start() bool {
	f.lines = true
	f.level = noticeFull
	if f.o.Bare {
		f.level = noticeTrue
	}
	fits := false
	for ; ; f.level++ {
		var p probe
		if p, fits = f.try(f.startTop()); fits && p.use <= mostNotice[f.level] || f.level == noticeTrue {
			break
		}
	}
	return fits
}

// search looks for the priority that fills the budget.
func (f *shrinkFitter) search() {
	f.found = false
	base, _ := f.try(f.startTop())
	lo, hi := base, f.all()
	rate := 1 / (0.8 * float64(f.g.room()))
	known := false // hi was measured
	for steps := 0; f.probes < maxProbes && f.best.use < enough; steps++ {
		if hi.weight <= lo.weight+lo.weight/512 {
			if f.best.use >= wanted {
				return
			}
			again, ok := f.widen(lo, hi)
			switch {
			case !ok:
				return
			case again:
				lo = base
			}
			hi, known, steps = f.all(), false, 0
			continue
		}
		aim := lo.weight + int((0.995-lo.use)/rate)
		if known && (steps > 4 || aim >= hi.weight) {
			aim = (lo.weight + hi.weight) / 2
		}
		top := hi.top
		if aim < hi.weight {
			top = f.between(lo.top, hi.top, aim)
		}
		if known && top >= hi.top {
			hi.weight = lo.weight // nothing is between them
			continue
		}
		p, fits := f.try(top)
		if !fits {
			hi, known = p, true
			continue
		}
		if p.weight > lo.weight && p.use > lo.use {
			rate = (p.use - lo.use) / float64(p.weight-lo.weight)
		}
		if lo = p; p.top >= f.last {
			hi = p
		}
	}
}

// all is the candidate that shows everything.
func (f *shrinkFitter) all() probe { return probe{top: f.last, weight: f.weighed(f.last)} }

// startTop is a priority at which nothing is shown but the root.
func (f *shrinkFitter) startTop() float64 {
	if f.nodes[0].kind == stream.String {
		return -16
	}
	return -1
}

// widen gets the search going when nothing more fits between lo and hi. First it
// passes over what does not fit. When all that is left has been tried, again
// asks to begin anew: strings may end within lines, items may come in parts,
// and strings may be cut that were too short to be.
func (f *shrinkFitter) widen(lo, hi probe) (again, ok bool) {
	next := int32(-1)
	for i := range f.nodes {
		if p := f.pri[i]; p > lo.top && p <= hi.top && (next < 0 || p < f.pri[next]) {
			next = int32(i)
		}
	}
	switch {
	case next >= 0:
		f.ban(lo.top, next)
		return false, true
	case f.lines && f.sums.chars > 0:
		f.lines = false
	case f.reach > 0:
		f.reach = 0
	case f.sizes.whole > leastWhole:
		f.sizes = cutSizes{whole: leastWhole, first: leastWhole / 2}
	default:
		return false, false
	}
	f.allow()
	return true, true
}

// ban passes over what comes at the priority of next, which does not fit, and
// all scalars behind lo that are no smaller.
func (f *shrinkFitter) ban(lo float64, next int32) {
	size, at := 0, f.pri[next]
	for i := range f.nodes {
		if f.pri[i] == at {
			size += f.least(&f.nodes[i])
		}
	}
	f.nodes[next].flags |= flagBanned
	if p := f.nodes[next].parent; p >= 0 && f.nodes[p].kind == stream.ArrayBegin {
		// No item comes without those before it, but for the last.
		for c := f.nodes[next].next; c >= 0; c = f.nodes[c].next {
			if f.nodes[c].flags&flagLast == 0 {
				f.nodes[c].flags |= flagBanned
			}
		}
	}
	for i := range f.nodes {
		if n := &f.nodes[i]; f.pri[i] > lo && scalar(n.kind) && f.least(n) >= size {
			n.flags |= flagBanned
		}
	}
	f.prepare()
}

// least is what a node takes before there is anything in it.
func (f *shrinkFitter) least(n *node) int {
	return int(n.name.n) + f.sizes.length(n, 0) + nodeWeight
}

// result is the best candidate.
func (f *shrinkFitter) result() *shrunk {
	s := &shrunk{
		Text: f.text, Keys: f.sums.keys, Items: f.sums.items, Chars: f.sums.chars,
		Stop: f.unit, FirstOmitted: f.first, Bytes: f.size,
	}
	if f.first == math.MaxInt64 {
		s.Stop, s.FirstOmitted = noUnit, -1
	}
	return s
}

// stub is what is left when nothing fits.
func (f *shrinkFitter) stub() *shrunk {
	n := &f.nodes[0]
	s := &shrunk{Stop: f.stop, Stub: true, FirstOmitted: n.off, Bytes: f.size}
	switch n.kind {
	case stream.ObjectBegin:
		s.Text, s.Keys = []byte("{}"), n.size
	case stream.ArrayBegin:
		s.Text, s.Items = []byte("[]"), n.size
	case stream.String:
		s.Text, s.Chars = []byte(`""`), n.size
	case stream.Number:
		s.Text = []byte("0")
	default:
		s.Text = f.bytes(n.text)
	}
	return s
}
