package tokenize

// Merging. A piece starts as symbols, its bytes or, where they are certain to be formed, whole characters. The
// adjacent pair of lowest rank is merged, the leftmost of several, until no pair is a token. Up to lineSymbols
// are packed in an array, up to blockBytes are linked with the minimum rank known for every block, more are taken
// from a heap.
//
// A piece longer than a window is merged a window at a time: a token that starts more than table.reach
// bytes before the end of a text is a token of every longer text, and what stands right of it is merged as if it were
// alone. So those tokens are counted, and the next window starts behind the last of them. That is exact, linear in
// the length of the piece, and needs no more memory than a window.

const (
	lineSymbols = 16
	blockBytes  = 256
	window      = 2048 // bytes; several times the reach of any vocabulary
)

// symbols is the working memory for merging up to blockBytes bytes.
type symbols struct {
	id, rank   [blockBytes + lineSymbols]uint32 // rank: of the merge with the next symbol
	low        [blockBytes/lineSymbols + 1]uint32
	next, prev [blockBytes + lineSymbols]uint16
}

// merge counts the tokens of a piece that is not a token itself.
func (c *Counter) merge(b []byte) int {
	if len(b) > blockBytes {
		n, used := c.settle(b)
		return n + c.mergeHeap(b[used:])
	}
	t, s := &c.table, &c.symbols
	n := 0
	for i := 0; i < len(b); {
		if b[i] >= 0x80 {
			before := -1
			if i > 0 {
				before = int(b[i-1])
			}
			id, size := t.char(b[i:], before)
			if id != none {
				s.id[n] = id
				n++
				i += size
				continue
			}
			for ; size > 1; size-- {
				s.id[n] = t.byteID(b[i])
				n++
				i++
			}
		}
		s.id[n] = t.byteID(b[i])
		n++
		i++
	}
	if n == len(b) { // every symbol is a byte
		for i := 0; i+1 < n; i++ {
			s.rank[i] = t.bytePair(b[i], b[i+1])
		}
	} else {
		for i := 0; i+1 < n; i++ {
			s.rank[i] = t.pair(s.id[i], s.id[i+1])
		}
	}
	if n <= lineSymbols {
		return s.mergeLine(t, n)
	}
	return s.mergeBlocks(t, n)
}

// mergeLine merges n symbols, at most lineSymbols, keeping them packed, and returns how many are left.
func (s *symbols) mergeLine(t *table, n int) int {
	id, rank := s.id[:lineSymbols+1], s.rank[:lineSymbols+1]
	for {
		best, at := none, 0
		for i, r := range rank[:n-1] {
			if r < best {
				best, at = r, i
			}
		}
		if best == none {
			return n
		}
		id[at] = best
		n--
		copy(id[at+1:n], id[at+2:])
		copy(rank[at+1:n], rank[at+2:])
		if at+1 < n {
			rank[at] = t.pair(best, id[at+1])
		}
		if at > 0 {
			rank[at-1] = t.pair(id[at-1], best)
		}
	}
}

// mergeBlocks merges n symbols in place and returns how many are left. A symbol that was merged into the one before it has
// rank none; next and prev link the others.
func (s *symbols) mergeBlocks(t *table, n int) int {
	blocks := (n + lineSymbols - 1) / lineSymbols
	for i := range n {
		s.next[i], s.prev[i] = uint16(i+1), uint16(i-1)
	}
	for i := n - 1; i < blocks*lineSymbols; i++ {
		s.rank[i] = none
	}
	for k := range blocks {
		s.setLow(k)
	}
	for left := n; ; left-- {
		best, at := none, 0
		for k, r := range s.low[:blocks] {
			if r < best {
				best, at = r, k
			}
		}
		if best == none {
			return left
		}
		block := at
		i := block * lineSymbols
		for s.rank[i] != best {
			i++
		}
		j := int(s.next[i])
		k := int(s.next[j])
		s.id[i] = best
		s.next[i] = uint16(k)
		s.rank[j] = none
		s.rank[i] = none
		if k < n {
			s.prev[k] = uint16(i)
			s.rank[i] = t.pair(best, s.id[k])
		}
		if b := j / lineSymbols; b != block {
			s.setLow(b)
		}
		if i > 0 {
			p := int(s.prev[i])
			s.rank[p] = t.pair(s.id[p], best)
			if b := p / lineSymbols; b != block {
				s.setLow(b)
			}
		}
		s.setLow(block)
	}
}

// setLow finds the lowest rank of block k.
func (s *symbols) setLow(k int) {
	a := (*[lineSymbols]uint32)(s.rank[k*lineSymbols:])
	m0, m1, m2, m3 := a[0], a[1], a[2], a[3]
	m0, m1, m2, m3 = min(m0, a[4]), min(m1, a[5]), min(m2, a[6]), min(m3, a[7])
	m0, m1, m2, m3 = min(m0, a[8]), min(m1, a[9]), min(m2, a[10]), min(m3, a[11])
	m0, m1, m2, m3 = min(m0, a[12]), min(m1, a[13]), min(m2, a[14]), min(m3, a[15])
	s.low[k] = min(m0, m1, m2, m3)
}

// heap is the working memory for merging up to a window. It is made when the first long piece comes.
type heap struct {
	id, rank         [window]uint32
	start            [window + 1]uint16 // offset of a symbol's bytes
	next, prev       [window]uint16
	queue            [2 * window]uint64 // rank<<32 | symbol; stale where the symbol's rank is another by now
	n                int                // symbols
	last             [window]byte       // the window settled last, for runs
	lastN, lastBytes int                // what settle counted in it
}

// settle counts the tokens at the start of b, part of one piece from a token's start on, that nothing right of them can
// change: n tokens of together used bytes. Less than a window is left.
func (c *Counter) settle(b []byte) (n, used int) {
	for len(b)-used > window {
		w := b[used : used+window]
		if c.heap == nil {
			c.heap = new(heap)
		}
		h := c.heap
		if h.lastN == 0 || string(h.last[:]) != string(w) {
			c.mergeHeap(w)
			h.lastN, h.lastBytes = h.settled(window - c.table.reach)
			copy(h.last[:], w)
		}
		n += h.lastN
		used += h.lastBytes
	}
	return n, used
}

// settled returns the number and the length of the tokens in front that start before end.
func (h *heap) settled(end int) (n, used int) {
	for i := 0; i < h.n && int(h.start[i]) < end; i = int(h.next[i]) {
		n++
		used = int(h.start[h.next[i]])
	}
	return n, used
}

// mergeHeap merges b, at most a window, and returns the number of tokens, which stay in c.heap.
func (c *Counter) mergeHeap(b []byte) int {
	if c.heap == nil {
		c.heap = new(heap)
	}
	t, h := &c.table, c.heap
	n := 0
	add := func(id uint32, at int) {
		h.id[n], h.start[n] = id, uint16(at)
		n++
	}
	for i := 0; i < len(b); {
		if b[i] >= 0x80 {
			before := -1
			if i > 0 {
				before = int(b[i-1])
			}
			id, size := t.char(b[i:], before)
			if id != none {
				add(id, i)
				i += size
				continue
			}
			for ; size > 1; size-- {
				add(t.byteID(b[i]), i)
				i++
			}
		}
		add(t.byteID(b[i]), i)
		i++
	}
	h.n = n
	h.start[n] = uint16(len(b))
	q := h.queue[:0]
	for i := range n {
		h.next[i], h.prev[i] = uint16(i+1), uint16(i-1)
		h.rank[i] = none
		if i+1 < n {
			if r := t.pair(h.id[i], h.id[i+1]); r != none {
				h.rank[i] = r
				q = append(q, uint64(r)<<32|uint64(i))
			}
		}
	}
	for i := len(q)/2 - 1; i >= 0; i-- {
		sink(q, i)
	}
	left := n
	for len(q) > 0 {
		best, i := uint32(q[0]>>32), int(uint32(q[0]))
		stale := h.rank[i] != best
		if stale {
			q[0] = q[len(q)-1]
			q = q[:len(q)-1]
			sink(q, 0)
			continue
		}
		j := int(h.next[i])
		k := int(h.next[j])
		left--
		h.id[i] = best
		h.next[i] = uint16(k)
		h.rank[j] = none
		h.rank[i] = none
		if k < n {
			h.prev[k] = uint16(i)
			h.rank[i] = t.pair(best, h.id[k])
		}
		if h.rank[i] != none { // the merge makes way for the one it allows
			q[0] = uint64(h.rank[i])<<32 | uint64(i)
		} else {
			q[0] = q[len(q)-1]
			q = q[:len(q)-1]
		}
		sink(q, 0)
		if i > 0 {
			p := int(h.prev[i])
			h.rank[p] = t.pair(h.id[p], best)
			if h.rank[p] != none {
				q = append(q, uint64(h.rank[p])<<32|uint64(p))
				rise(q)
			}
		}
	}
	return left
}

// sink restores the heap order below q[i].
func sink(q []uint64, i int) {
	if i >= len(q) {
		return
	}
	x := q[i]
	for {
		k := 2*i + 1
		if k >= len(q) {
			break
		}
		if k+1 < len(q) && q[k+1] < q[k] {
			k++
		}
		if x <= q[k] {
			break
		}
		q[i] = q[k]
		i = k
	}
	q[i] = x
}

// rise restores the heap order above the last element.
func rise(q []uint64) {
	i := len(q) - 1
	x := q[i]
	for i > 0 && x < q[(i-1)/2] {
		q[i] = q[(i-1)/2]
		i = (i - 1) / 2
	}
	q[i] = x
}
