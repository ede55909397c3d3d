package ops

import (
	"math"

	"jlop/stream"
)

// A node is a value that a skeleton holds. Nodes stand in the order of the
// input, so that a parent comes before its children.
type node struct {
	parent, first, next int32 // nodes; none if negative
	delta               float32
	off                 int64  // in the input, of the value or of its name
	size                int64  // characters of a string; items of an array, keys of an object
	name                span   // with its quotes; empty in arrays
	text                span   // a scalar; the body of a string, or its head
	tail                span   // the tail of a string whose middle is not held
	body                uint32 // how far the body of a string is from off
	kind                stream.Kind
	flags               nodeFlags
}

// An array or object has no text of its own. Its text holds the offset of the
// first child that is not held, or 0, and its tail how many children an earlier
// cut left out.

func (n *node) lost() int64  { return n.text.number() }
func (n *node) prior() int64 { return n.tail.number() }

// lose notes that the child at off is not held.
func (n *node) lose(off int64) {
	if l := n.lost(); l == 0 || off < l {
		n.text = numberSpan(off)
	}
}

func (n *node) addPrior(more int64) { n.tail = numberSpan(n.prior() + more) }

type nodeFlags uint8

const (
	// The middle of the string is not held. Of an array: an earlier cut left
	// items out before the last one.
	flagGap    nodeFlags = 1 << iota
	flagLast             // the last item of its array
	flagRecord           // an item of an array
	flagUrgent           // says what went wrong, or is part of what does
	flagLog              // a string whose end matters as much as its start
	flagMarked           // a string with the marker of an earlier cut
	flagBanned           // does not fit
)

// A span is a part of a skeleton's text.
type span struct{ at, n int32 }

// numberSpan keeps a number where a node has no use for a span.
func numberSpan(v int64) span { return span{int32(v >> 32), int32(v)} }

func (s span) number() int64 { return int64(s.at)<<32 | int64(uint32(s.n)) }

// A skeleton is what is held of one value of any size: the nodes with the best
// priorities, several times as many as the budget has room for. Whatever comes
// behind the worst of them is passed over.
type skeleton struct {
	g     *gauge
	nodes []node
	text  []byte
	raw   []byte // the value as found; nil if it is too long to fit

	maxNodes, maxText int
	bound             float64 // the worst priority that is still taken
	cut               cutSizes
	size              int64 // length of the value in the input
	prior             totals
	noticed           bool // the value has a notice of an earlier cut at its root

	pri   []float64
	remap []int32
	tails []int32
}

// totals count what is left out.
type totals struct{ keys, items, chars int64 }

func (t totals) any() bool { return t.keys > 0 || t.items > 0 || t.chars > 0 }

func (t *totals) add(u totals) {
	t.keys += u.keys
	t.items += u.items
	t.chars += u.chars
}

// room is about how many bytes of text fit into the budget.
func (g *gauge) room() int64 {
	n := int64(math.MaxInt32)
	if g.Tokens > 0 {
		n = min(n, 4*g.tokens)
	}
	if g.Bytes > 0 {
		n = min(n, g.Bytes)
	}
	if g.Chars > 0 {
		n = min(n, g.Chars)
	}
	return n
}

func newSkeleton(g *gauge) *skeleton {
	room := g.room()
	return &skeleton{
		g: g,
		// The smallest value takes two bytes with its comma, and hardly less than
		// a token.
		maxNodes: int(min(512+room/2, max(512+room/4, 50_000), 1<<20)),
		maxText:  int(min(4*room+16<<10, 64<<20)),
		bound:    math.Inf(1),
		cut:      cutSizesFor(room),
	}
}

// sizePri makes room for the priority of every node.
func (k *skeleton) sizePri() []float64 {
	if cap(k.pri) < len(k.nodes) {
		k.pri = make([]float64, len(k.nodes), cap(k.nodes))
	}
	k.pri = k.pri[:len(k.nodes)]
	return k.pri
}

// priorities computes the priority of every node: the sum of the deltas on the
// way to it. Banned nodes, and what is in them, get infinity.
func (k *skeleton) priorities() []float64 {
	k.sizePri()
	for i := range k.nodes {
		n := &k.nodes[i]
		p := 0.0
		if n.parent >= 0 {
			p = k.pri[n.parent] + float64(n.delta)
		}
		if n.flags&flagBanned != 0 {
			p = math.Inf(1)
		}
		k.pri[i] = p
	}
	return k.pri
}

// weight is the length of the nodes up to a priority, and how many they are.
func (k *skeleton) weight(pri []float64, top float64) (text, nodes int) {
	for i := range k.nodes {
		if pri[i] > top {
			continue
		}
		n := &k.nodes[i]
		nodes++
		text += int(n.name.n)
		if n.kind < stream.ObjectBegin {
			text += k.cut.length(n, top-pri[i])
		}
	}
	return text, nodes
}

// cutSizes say how long strings may be.
type cutSizes struct {
	whole int // a string up to this many bytes is never cut
	first int // what a longer one begins with
}

// leastWhole is how long a string must be in any case to be cut, in bytes.
const leastWhole = 24

func cutSizesFor(room int64) cutSizes {
	n := int(min(max(room/16, leastWhole), 128))
	return cutSizes{whole: n, first: n / 2}
}

// length is how many bytes of n may be shown at a distance from its own
// priority: a long string doubles with each unit.
func (c cutSizes) length(n *node, distance float64) int {
	if n.kind >= stream.ObjectBegin {
		return 0
	}
	have := int(n.text.n + n.tail.n)
	if n.kind != stream.String || have <= c.whole && n.flags&flagGap == 0 {
		return have
	}
	if most := float64(c.first) * math.Exp2(distance); most < float64(have) {
		return int(most)
	}
	return have
}

// tailShare is how much of a cut string is its tail, in percent.
func (n *node) tailShare() int {
	if n.flags&flagLog != 0 {
		return 50
	}
	return 100 - defaultHead
}

// full reports whether there is more in the skeleton than it should hold.
func (k *skeleton) full() bool {
	return len(k.nodes) > k.maxNodes+k.maxNodes/8 || len(k.text) > k.maxText+k.maxText/8
}

// add stores a node.
func (k *skeleton) add(n node) int32 {
	if len(k.nodes) == cap(k.nodes) && cap(k.nodes) > k.maxNodes/4 {
		// No more growing by halves: this is all that there will be.
		k.nodes = append(make([]node, 0, k.maxNodes+k.maxNodes/8+64), k.nodes...)
	}
	k.nodes = append(k.nodes, n)
	return int32(len(k.nodes) - 1)
}

// evict drops the nodes with the worst priorities. The frames of open
// containers are moved with them.
func (k *skeleton) evict(open []frame) {
	pri := k.priorities()
	lo, hi := 0.0, 0.0
	for _, p := range pri {
		hi = max(hi, p)
	}
	if hi += 32; k.bound < hi {
		hi = k.bound
	}
	for range 40 {
		mid := (lo + hi) / 2
		text, nodes := k.weight(pri, mid)
		if text > k.maxText || nodes > k.maxNodes {
			hi = mid
			continue
		}
		if lo = mid; nodes >= k.maxNodes-k.maxNodes/16 || text >= k.maxText-k.maxText/16 {
			break
		}
	}
	k.bound = lo
	k.compact(0, 0, pri, open)
}

// prune drops what is in the nodes from on, an item and what is in it, but not
// within the bound. Their text begins at mark; the item's priority is pri.
func (k *skeleton) prune(from int32, mark int, pri float64) {
	p := k.sizePri()
	p[from] = pri
	for i := int(from) + 1; i < len(k.nodes); i++ {
		n := &k.nodes[i]
		p[i] = p[n.parent] + float64(n.delta)
	}
	k.compact(from, mark, p, nil)
}

// compact moves what is held within the bound to the front, from the node from
// on, whose text begins at mark.
func (k *skeleton) compact(from int32, mark int, pri []float64, open []frame) {
	if cap(k.remap) < len(k.nodes) {
		k.remap = make([]int32, cap(k.nodes))
		k.tails = make([]int32, cap(k.nodes))
	}
	remap, last := k.remap[:len(k.nodes)], k.tails[:len(k.nodes)]
	count, end := from, int32(mark)
	at := 0 // the frame whose newest child comes next
	for i := from; i < int32(len(k.nodes)); i++ {
		n := k.nodes[i]
		for at < len(open) && open[at].newest < i {
			at++
		}
		if at < len(open) && open[at].newest == i {
			f := &open[at]
			f.mark, f.before = int(end), -1
			if p := remap[n.parent]; p >= 0 {
				f.before = last[p]
			}
		}
		parent := int32(-1)
		if i > from {
			parent = remap[n.parent]
		}
		if pri[i] > k.bound || i > from && parent < 0 {
			if remap[i] = -1; parent >= 0 {
				k.nodes[parent].lose(n.off)
			}
			continue
		}
		if n.kind == stream.String {
			k.trim(&n, k.cut.length(&n, k.bound-pri[i]))
		}
		k.move(&n.name, &end)
		if n.kind < stream.ObjectBegin {
			k.move(&n.text, &end)
			k.move(&n.tail, &end)
		}
		n.first = -1
		if i > from {
			n.parent, n.next = parent, -1
			k.link(parent, last[parent], count)
			last[parent] = count
		}
		remap[i], last[count] = count, -1
		k.nodes[count] = n
		count++
	}
	for i := range open {
		f := &open[i]
		f.last = -1
		if f.node >= 0 {
			f.node = remap[f.node]
		}
		if f.node >= 0 {
			f.last = last[f.node]
		}
		if f.newest >= 0 {
			f.newest = remap[f.newest]
		}
	}
	k.nodes, k.text = k.nodes[:count], k.text[:end]
}

// move moves the text of s to end.
func (k *skeleton) move(s *span, end *int32) {
	copy(k.text[*end:], k.text[s.at:s.at+s.n])
	s.at = *end
	*end += s.n
}

// link makes i the next child of parent behind last.
func (k *skeleton) link(parent, last, i int32) {
	if last < 0 {
		k.nodes[parent].first = i
	} else {
		k.nodes[last].next = i
	}
}

// trim drops the middle of a string so that most bytes remain.
func (k *skeleton) trim(n *node, most int) {
	if most >= int(n.text.n+n.tail.n) {
		return
	}
	tail := most * n.tailShare() / 100
	head := most - tail
	if n.flags&flagGap == 0 {
		body := k.bytes(n.text)
		h := boundaryBefore(body, min(head, len(body)))
		t := max(h, boundaryAfter(body, max(0, len(body)-tail)))
		n.tail = span{n.text.at + int32(t), n.text.n - int32(t)}
		n.text.n = int32(h)
		n.flags = n.flags&^flagMarked | flagGap
		return
	}
	if b := k.bytes(n.text); head < len(b) {
		n.text.n = int32(boundaryBefore(b, head))
	}
	if b := k.bytes(n.tail); tail < len(b) {
		t := int32(boundaryAfter(b, len(b)-tail))
		n.tail = span{n.tail.at + t, n.tail.n - t}
	}
}

func (k *skeleton) bytes(s span) []byte { return k.text[s.at : s.at+s.n] }

// keep stores b.
func (k *skeleton) keep(b []byte) span {
	s := span{int32(len(k.text)), int32(len(b))}
	k.text = append(k.text, b...)
	return s
}
