package ops

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"jlop/stream"
)

// A summary of a value is a tree of previews: of a long string its first
// characters, of an array how many items it has, of an object the names of its
// first members, and below these, to a given depth, the previews of what is
// inside. One pass over the value holds the previews that have a chance to be
// shown, level by level; then as many are shown as fit, the upper levels first,
// and in each level what tells of a failure before the rest.

const (
	// previewChars is how much is shown of a longer string.
	previewChars = 100
	// previewNames is how many names are shown of an object.
	previewNames = 5
	// maxNameChars is how much is shown of a name in there.
	maxNameChars = 60
	// previewCost is what holding a preview takes beside its text.
	previewCost = 16
	// heldSummary is how many bytes of previews of all levels are held at most.
	heldSummary = 12 << 20
)

// A preview is a value in a summary.
type preview struct {
	parent, first, last, next int32 // nodes; -1: none

	name, text span // the member's name in its quotes; what is shown if nothing inside is
	sh         *shape
	size       int64 // of the members or items
	level      int32
	order      int32 // the level among which it is shown
	index      int32 // in its parent, of those held
	rank       int32 // place in the order in which previews are shown
	kind       stream.Kind
	urgent     bool // tells of a failure
	own        bool // has a name that the summary uses itself
}

// A previewer reads a value into a tree of previews.
type previewer struct {
	inf    inferrer
	depth  int  // so many levels below the first preview are held
	deep   int  // so many levels the shapes of members go down
	shapes bool // hold the shapes of the members instead of previews
	// envelope is set if the members of the first preview stand beside those
	// that the summary adds.
	envelope bool

	// said is what an earlier summary has said beside its previews, by the names
	// in their quotes; nil if the value is none.
	said   map[string][]byte
	room   int // bytes that are held of a level and those above it
	used   []int
	nodes  []preview
	text   []byte
	prefix []byte // of a string
}

// newPreviewer returns a previewer that holds enough for g.
func newPreviewer(g *gauge, depth int, shapes bool) *previewer {
	room := int64(math.MaxInt64)
	for _, u := range units {
		if n := g.limit(u); n > 0 {
			room = min(room, [...]int64{Tokens: 8, Bytes: 4, Chars: 8}[u]*n)
		}
	}
	p := &previewer{depth: depth, deep: depth, shapes: shapes}
	if shapes {
		p.depth = 1
	}
	p.used = make([]int, p.depth+1)
	p.room = int(min(room, int64(heldSummary/p.depth))) + 4<<10
	return p
}

func (p *previewer) bytes(s span) []byte { return p.text[s.at : s.at+s.n] }

// root reads the value whose first token, k, has been read, as the tree's root,
// and adds it to sh, looking deep levels into it, unless that is nil.
func (p *previewer) root(s *stream.Scanner, k stream.Kind, sh *shape, deep int) error {
	p.reset(s)
	p.nodes = append(p.nodes, preview{parent: -1, first: -1, last: -1, next: -1})
	return p.value(k, 0, sh, deep)
}

// reset forgets what was read, to read from s.
func (p *previewer) reset(s *stream.Scanner) {
	p.inf, p.said = inferrer{s: s}, nil
	p.nodes, p.text = p.nodes[:0], p.text[:0]
	clear(p.used)
}

// admits reports whether a preview of the level has room beside what is held.
func (p *previewer) admits(level int, urgent bool) bool {
	used := 0
	for _, n := range p.used[:level+1] {
		used += n
	}
	room := p.room
	if urgent {
		room += room / 4
	}
	return used < room
}

// add adds the child of a parent whose name is at the end of text, from mark on.
func (p *previewer) add(parent int32, kind stream.Kind, mark int) int32 {
	i := int32(len(p.nodes))
	up := &p.nodes[parent]
	n := preview{parent: parent, first: -1, last: -1, next: -1, kind: kind, level: up.level + 1}
	n.name = span{int32(mark), int32(len(p.text) - mark)}
	if up.last < 0 {
		up.first = i
	} else {
		p.nodes[up.last].next = i
		n.index = p.nodes[up.last].index + 1
	}
	// What is in an array's first item comes before the next item.
	n.order = up.order + 1
	if up.kind == stream.ArrayBegin && n.index > 0 && !scalar(kind) {
		n.order++
	}
	up.last = i
	p.nodes = append(p.nodes, n)
	return i
}

// charge counts what the node i takes.
func (p *previewer) charge(i int32) {
	n := &p.nodes[i]
	p.used[n.level] += int(n.name.n) + int(n.text.n) + previewCost
}

// value reads the value whose first token, k, has been read into the node i,
// and adds it to sh, if that is not nil, looking deep levels into it.
func (p *previewer) value(k stream.Kind, i int32, sh *shape, deep int) error {
	p.nodes[i].kind = k
	var err error
	switch {
	case k == stream.ObjectBegin:
		err = p.object(i, sh, deep)
	case k == stream.ArrayBegin:
		err = p.array(i, sh, deep)
	default:
		if k == stream.String {
			err = p.str(i)
		} else {
			err = p.token(i)
		}
		if err == nil && sh != nil {
			err = p.inf.value(k, sh, deep)
		}
	}
	p.charge(i)
	return err
}

// setText makes what was appended to text from mark on the text of the node i.
func (p *previewer) setText(i int32, mark int) {
	p.nodes[i].text = span{int32(mark), int32(len(p.text) - mark)}
}

// token holds a number or a literal as found. A number longer than the scanner's
// window has no place in a summary; one digit stands for it.
func (p *previewer) token(i int32) error {
	mark := len(p.text)
	if raw, ok := p.inf.s.Whole(); ok {
		p.text = append(p.text, raw...)
	} else {
		p.text = append(p.text, `"..."`...)
	}
	p.setText(i, mark)
	return nil
}

// str holds a string as found, or the beginning of a long one.
func (p *previewer) str(i int32) error {
	s := p.inf.s
	mark := len(p.text)
	raw, whole := s.Whole()
	if whole && (len(raw) <= previewChars+2 || s.Chars() <= previewChars) {
		p.text = append(p.text, raw...)
		p.setText(i, mark)
		return nil
	}
	if whole {
		raw = raw[1 : len(raw)-1]
	} else {
		var err error
		if raw, _, err = s.Chunk(); err != nil {
			return err
		}
	}
	// So much is enough to tell where a grapheme cluster ends.
	raw = raw[:boundaryBefore(raw, min(len(raw), 12*previewChars+graphemeReach))]
	p.prefix = stream.AppendText(p.prefix[:0], raw)
	p.text = append(p.text, '"')
	p.text = stream.AppendEscaped(p.text, firstChars(p.prefix, previewChars))
	p.text = append(p.text, `…"`...)
	p.setText(i, mark)
	return nil
}

// firstChars is the beginning of a text, at most n characters that end between
// two grapheme clusters.
func firstChars(text []byte, n int) []byte {
	i := 0
	for ; n > 0 && i < len(text); n-- {
		i = runeCeil(text, i+1)
	}
	return text[:graphemeFloor(text, i)]
}

func (p *previewer) object(i int32, sh *shape, deep int) error {
	s := p.inf.s
	depth := s.Depth() - 1
	level := int(p.nodes[i].level)
	inside := level < p.depth // members are held
	if sh != nil {
		sh.kinds |= kindObject
		if deep > 0 {
			sh.begin()
		}
	}
	var names []string
	for at := 0; ; at++ {
		k, err := s.Next()
		if err != nil {
			return err
		}
		if k == stream.ObjectEnd {
			break
		}
		p.nodes[i].size++
		raw, whole := s.Whole()
		switch {
		case len(names) > previewNames:
		case len(names) == previewNames:
			names = append(names, "...")
		case whole:
			names = append(names, shortName(raw))
		default:
			names = append(names, "…")
		}
		if !inside && deep <= 0 && len(names) > previewNames {
			if err := s.SkipTo(depth); err != nil {
				return err
			}
			break
		}
		var key *shapeKey
		if sh != nil && deep > 0 {
			key = p.inf.key(sh, at)
		}
		mark := len(p.text)
		if inside && whole {
			p.text = append(p.text, raw...)
		}
		if k, err = s.Next(); err != nil {
			return err
		}
		if err := p.member(i, k, mark, key, deep-1); err != nil {
			return err
		}
	}
	mark := len(p.text)
	p.text = appendNames(p.text, names)
	p.setText(i, mark)
	return nil
}

// earlier takes the value, whose first token is k, of the member of the root with
// a name for what an earlier summary has said, if it is that: its first member is
// "_summarized".
func (p *previewer) earlier(name []byte, k stream.Kind) bool {
	if p.nodes[0].size == 1 && k == stream.True && string(name) == `"_summarized"` {
		p.said = map[string][]byte{}
		return true
	}
	if p.said == nil || k != stream.Number && k != stream.String {
		return false
	}
	switch string(name) {
	case `"_totalKeys"`, `"_totalItems"`, `"_estimatedTokens"`, `"_truncatedKeys"`, `"_shape"`, `"cursor"`:
		raw, ok := p.inf.s.Whole()
		if ok = ok && p.said[string(name)] == nil && len(raw) <= p.room; ok {
			p.said[string(name)] = append([]byte(nil), raw...)
		}
		return ok
	}
	return false
}

// member reads the value of a member of the node i whose name is in text from
// mark on, or not there if it cannot be held.
func (p *previewer) member(i int32, k stream.Kind, mark int, key *shapeKey, deep int) error {
	level := int(p.nodes[i].level) + 1
	inside := mark < len(p.text)
	if i == 0 && inside && p.envelope && p.earlier(p.text[mark:], k) {
		p.text = p.text[:mark]
		p.nodes[0].size--
		return nil
	}
	urgent := inside && nameFlags(p.text[mark:], scalar(k))&flagUrgent != 0
	if inside && p.admits(level, urgent) {
		c := p.add(i, k, mark)
		n := &p.nodes[c]
		n.urgent = urgent
		n.own = (level > 1 || p.said == nil) && isOwnName(p.text[mark:], level == 1 && p.envelope)
		if p.shapes {
			n.sh = &shape{}
			return p.shaped(k, c)
		}
		var sh *shape
		if key != nil {
			sh = &key.shape
		}
		return p.value(k, c, sh, deep)
	}
	p.text = p.text[:mark]
	if key != nil {
		return p.inf.value(k, &key.shape, deep)
	}
	return p.pass(k)
}

// pass passes over the value whose first token is k.
func (p *previewer) pass(k stream.Kind) error {
	if k == stream.ObjectBegin || k == stream.ArrayBegin {
		return p.inf.s.SkipTo(p.inf.s.Depth() - 1)
	}
	return nil
}

// shaped reads the value of the node c for its shape alone.
func (p *previewer) shaped(k stream.Kind, c int32) error {
	n := &p.nodes[c]
	n.kind = k
	p.charge(c)
	p.used[n.level] += previewChars
	if k != stream.ArrayBegin {
		return p.inf.value(k, n.sh, p.deep)
	}
	return p.inf.counted(n.sh, &n.size, p.deep)
}

// counted adds the elements of the array that has begun to sh, and counts them.
func (f *inferrer) counted(sh *shape, n *int64, deep int) error {
	for {
		k, err := f.s.Next()
		if err != nil || k == stream.ArrayEnd {
			return err
		}
		*n++
		if err := f.value(k, sh, deep); err != nil {
			return err
		}
	}
}

func (p *previewer) array(i int32, sh *shape, deep int) error {
	s := p.inf.s
	level := int(p.nodes[i].level)
	var elem *shape
	if sh != nil {
		sh.kinds |= kindArray
		if deep > 0 {
			elem = sh.elements()
		}
	}
	inside := level < p.depth
	from := 0
	if inside {
		from = p.used[level+1]
	}
	for {
		k, err := s.Next()
		if err != nil {
			return err
		}
		if k == stream.ArrayEnd {
			break
		}
		p.nodes[i].size++
		// No array takes all the room of its level.
		inside = inside && p.admits(level+1, false) && p.used[level+1]-from <= p.room/2
		switch {
		case inside:
			err = p.value(k, p.add(i, k, len(p.text)), elem, deep-1)
		case elem != nil:
			err = p.inf.value(k, elem, deep-1)
		default:
			err = p.pass(k)
		}
		if err != nil {
			return err
		}
	}
	mark := len(p.text)
	if n := p.nodes[i].size; n == 0 {
		p.text = append(p.text, "[]"...)
	} else {
		p.text = append(p.text, `"[Array(`...)
		p.text = strconv.AppendInt(p.text, n, 10)
		p.text = append(p.text, `)]"`...)
	}
	p.setText(i, mark)
	return nil
}

// appendNames appends "{Object: a, b, c}", or {} if there is nothing in it.
func appendNames(dst []byte, names []string) []byte {
	if len(names) == 0 {
		return append(dst, "{}"...)
	}
	dst = append(dst, `"{Object: `...)
	for i, n := range names {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = stream.AppendEscaped(dst, []byte(n))
	}
	return append(dst, `}"`...)
}

// shortName is the text of a name in its quotes, or the beginning of it.
func shortName(raw []byte) string {
	text := stream.AppendText(nil, raw[1:1+boundaryBefore(raw[1:len(raw)-1], min(len(raw)-2, 12*maxNameChars+graphemeReach))])
	if first := firstChars(text, maxNameChars); len(first) < len(text) {
		return string(first) + "…"
	}
	return string(text)
}

// isOwnName reports whether a name, in its quotes, is one that a summary uses.
func isOwnName(raw []byte, root bool) bool {
	if len(raw) > 120 || raw[1] != '_' && raw[1] != '\\' && raw[1] != 'c' {
		return false
	}
	switch string(stream.AppendText(nil, raw[1:len(raw)-1])) {
	case "_keys", "_truncatedKeys":
		return true
	case "_summarized", "_totalKeys", "_estimatedTokens", "cursor":
		return root
	}
	return false
}

// rankAll puts the previews below the root into the order in which they are
// shown: by level, what tells of a failure first, and of each array and object
// the first few before the rest.
func (p *previewer) rankAll() []int32 {
	order := make([]int32, 0, len(p.nodes))
	for i := 1; i < len(p.nodes); i++ {
		order = append(order, int32(i))
	}
	turn := func(n *preview) int32 { return max(0, n.index-(previewNames-1)) }
	slices.SortFunc(order, func(a, b int32) int {
		x, y := &p.nodes[a], &p.nodes[b]
		if c := cmp.Compare(x.order, y.order); c != 0 {
			return c
		}
		if x.urgent != y.urgent {
			if x.urgent {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(turn(x), turn(y)), cmp.Compare(a, b))
	})
	p.number(order)
	return order
}

// number notes the places of the previews in order. What is not in it is never
// shown.
func (p *previewer) number(order []int32) {
	for i := range p.nodes {
		p.nodes[i].rank = math.MaxInt32
	}
	for i, n := range order {
		p.nodes[n].rank = int32(i)
	}
}

// append appends the value of the node i with the first k previews in it, with
// no more than most names in the shape of an object.
func (p *previewer) append(dst []byte, i int32, k, most int) []byte {
	n := &p.nodes[i]
	shown := int64(0)
	for c := n.first; c >= 0; c = p.nodes[c].next {
		if int(p.nodes[c].rank) < k {
			shown++
		}
	}
	switch {
	case n.sh != nil && n.kind == stream.ArrayBegin:
		return stream.AppendQuoted(dst, n.sh.appendCounted(nil, n.size, most))
	case n.sh != nil:
		return stream.AppendQuoted(dst, n.sh.append(nil, most))
	case shown == 0:
		return append(dst, p.bytes(n.text)...)
	case n.kind == stream.ObjectBegin:
		o := newObject(dst)
		p.appendMembers(&o, i, k, most)
		if n.size > shown {
			o.int("_truncatedKeys", n.size-shown)
		}
		return o.end()
	}
	dst = append(dst, '[')
	for c := n.first; c >= 0; c = p.nodes[c].next {
		if int(p.nodes[c].rank) < k {
			dst = append(p.append(dst, c, k, most), ',')
		}
	}
	if n.size > shown {
		dst = append(dst, `"[TRUNCATED `...)
		dst = strconv.AppendInt(dst, n.size-shown, 10)
		dst = append(dst, " items omitted, "...)
		dst = strconv.AppendInt(dst, shown, 10)
		return append(dst, ` kept]"]`...)
	}
	dst[len(dst)-1] = ']'
	return dst
}

// appendMembers adds the members of the node i to o, in the order of the input,
// those with names that the summary uses itself under _keys. It returns how many
// there are.
func (p *previewer) appendMembers(o *object, i int32, k, most int) (shown int64) {
	own := false
	for c := p.nodes[i].first; c >= 0; c = p.nodes[c].next {
		n := &p.nodes[c]
		if int(n.rank) >= k {
			continue
		}
		shown++
		if n.own {
			own = true
			continue
		}
		o.rawName(p.bytes(n.name))
		o.b = p.append(o.b, c, k, most)
	}
	if !own {
		return shown
	}
	o.name("_keys")
	in := newObject(o.b)
	for c := p.nodes[i].first; c >= 0; c = p.nodes[c].next {
		if n := &p.nodes[c]; n.own && int(n.rank) < k {
			in.rawName(p.bytes(n.name))
			in.b = p.append(in.b, c, k, most)
		}
	}
	o.b = in.end()
	return shown
}

// rawName begins a member with a name in its quotes.
func (o *object) rawName(name []byte) {
	if o.b[len(o.b)-1] != '{' {
		o.b = append(o.b, ',')
	}
	o.b = append(append(o.b, name...), ':')
}

// without is order without the preview at k, which does not fit, and what cannot
// be shown without it: what is inside, and the items of an array behind it.
func (p *previewer) without(order []int32, k int) []int32 {
	gone := map[int32]bool{order[k]: true}
	if n := &p.nodes[order[k]]; p.nodes[n.parent].kind == stream.ArrayBegin {
		for c := n.next; c >= 0; c = p.nodes[c].next {
			gone[c] = true
		}
	}
	order = slices.DeleteFunc(order, func(i int32) bool {
		if gone[i] || gone[p.nodes[i].parent] {
			gone[i] = true
		}
		return gone[i]
	})
	p.number(order)
	return order
}
