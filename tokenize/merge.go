package tokenize

import "unicode/utf8"

// Merging. A piece starts as symbols: its bytes or, where they are certain to be formed, whole characters. The
// adjacent pair of lowest rank is merged, the leftmost of several, until no pair is a token. Up to fanout symbols
// are packed in an array; more are linked, under a tree that knows the lowest rank in every fanout of
// symbols and of those again.
//
// A piece longer than a window is merged a window at a time: a token that starts more than table.reach
// bytes before the end of a text is a token of every longer text, and what stands right of it is merged as if it were
// alone. So those tokens are counted, and the next window starts behind the last of them. That is exact, linear in
// the length of the piece, and needs no more memory than a window.

const (
	fanout = 16
	window = 2048 // bytes; several times the reach of any vocabulary
)

// symbols is the working memory for merging up to a window.
type symbols struct {
	n          int // symbols at the start
	id         [window]uint32
	rank       [window + fanout]uint32 // of the merge with the next symbol; none if the symbol is itself merged away
	low        [window / fanout]uint32 // lowest rank in every fanout of symbols
	lowest     [window / fanout / fanout]uint32
	next, prev [window]uint16
	start      [window + 1]uint16 // offset of a symbol's bytes
}

// merge counts the tokens of a piece that is not a token itself.
func (c *Counter) merge(b []byte) int {
	n, used := c.settle(b)
	return n + c.symbols.merge(&c.table, b[used:])
}

// merge merges b, at most a window, and returns the number of tokens. Above fanout symbols they stay linked.
func (s *symbols) merge(t *table, b []byte) int {
	n := s.load(t, b)
	if n == len(b) { // every symbol is a byte
		for i := 0; i+1 < n; i++ {
			s.rank[i] = t.bytePair(b[i], b[i+1])
		}
	} else {
		for i := 0; i+1 < n; i++ {
			s.rank[i] = t.pair(s.id[i], s.id[i+1])
		}
	}
	if n <= fanout {
		return s.mergeLine(t, n)
	}
	return s.mergeTree(t, n)
}

// load makes symbols of b and returns their number.
func (s *symbols) load(t *table, b []byte) int {
	n := 0
	for i := 0; i < len(b); {
		id, size := none, 1
		if b[i] >= 0x80 {
			before := -1
			if i > 0 {
				before = int(b[i-1])
			}
			id, size = t.char(b[i:], before)
		}
		if id != none {
			s.id[n], s.start[n] = id, uint16(i)
			n++
			i += size
			continue
		}
		for ; size > 0; size-- {
			s.id[n], s.start[n] = t.byteID(b[i]), uint16(i)
			n++
			i++
		}
	}
	s.n = n
	s.start[n] = uint16(len(b))
	return n
}

// mergeLine merges n symbols, at most fanout, keeping them packed, and returns how many are left.
func (s *symbols) mergeLine(t *table, n int) int {
	id, rank := s.id[:fanout+1], s.rank[:fanout+1]
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
		for i := at + 1; i < n; i++ {
			id[i] = id[i+1]
			rank[i] = rank[i+1]
		}
		if at+1 < n {
			rank[at] = t.pair(best, id[at+1])
		}
		if at > 0 {
			rank[at-1] = t.pair(id[at-1], best)
		}
	}
}

// mergeTree merges n symbols in place and returns how many are left, linked by next and prev.
func (s *symbols) mergeTree(t *table, n int) int {
	const all = fanout * fanout
	for i := range n {
		s.next[i], s.prev[i] = uint16(i+1), uint16(i-1)
	}
	tops := (n + all - 1) / all
	for i := n - 1; i < (n+fanout-1)/fanout*fanout; i++ {
		s.rank[i] = none
	}
	for k := range tops * fanout {
		s.low[k] = none
		if k*fanout < n {
			s.low[k] = lowestOf(s.rank[k*fanout:])
		}
	}
	for k := range tops {
		s.lowest[k] = lowestOf(s.low[k*fanout:])
	}
	for left := n; ; left-- {
		best, i := none, 0
		for k, r := range s.lowest[:tops] {
			if r < best {
				best, i = r, k
			}
		}
		if best == none {
			return left
		}
		i *= fanout
		for s.low[i] != best {
			i++
		}
		i *= fanout
		for s.rank[i] != best {
			i++
		}
		j := int(s.next[i])
		k := int(s.next[j])
		s.id[i] = best
		s.next[i] = uint16(k)
		s.rank[i] = none
		if k < n {
			s.prev[k] = uint16(i)
			s.rank[i] = t.pair(best, s.id[k])
		}
		s.rank[j] = none
		s.update(j/fanout, i/fanout)
		if i > 0 {
			p := int(s.prev[i])
			s.rank[p] = t.pair(s.id[p], best)
			s.update(p/fanout, i/fanout)
		}
		s.low[i/fanout] = lowestOf(s.rank[i/fanout*fanout:])
		s.lowest[i/all] = lowestOf(s.low[i/all*fanout:])
	}
}

// update renews the tree above the symbols of block k, unless that is block done, which is renewed later.
func (s *symbols) update(k, done int) {
	if k != done {
		s.low[k] = lowestOf(s.rank[k*fanout:])
		if k/fanout != done/fanout {
			s.lowest[k/fanout] = lowestOf(s.low[k/fanout*fanout:])
		}
	}
}

// lowestOf returns the lowest of the first fanout ranks of a.
func lowestOf(a []uint32) uint32 {
	r := (*[fanout]uint32)(a)
	m0, m1, m2, m3 := r[0], r[1], r[2], r[3]
	m0, m1, m2, m3 = min(m0, r[4]), min(m1, r[5]), min(m2, r[6]), min(m3, r[7])
	m0, m1, m2, m3 = min(m0, r[8]), min(m1, r[9]), min(m2, r[10]), min(m3, r[11])
	m0, m1, m2, m3 = min(m0, r[12]), min(m1, r[13]), min(m2, r[14]), min(m3, r[15])
	return min(m0, m1, m2, m3)
}

// lastWindow is the window settled last. In a run of one character the next is the same.
type lastWindow struct {
	bytes   [window]byte
	n, used int
}

// settle counts the tokens at the start of b, part of one piece from a token's start on, that nothing right of them can
// change: n tokens of together used bytes. At most a window is left.
func (c *Counter) settle(b []byte) (n, used int) {
	for len(b)-used > window {
		w := b[used : used+window]
		l := &c.last
		if l.n == 0 || string(l.bytes[:]) != string(w) {
			copy(l.bytes[:], w)
			l.n, l.used = c.settleAll(w)
		}
		n += l.n
		used += l.used
	}
	return n, used
}

// settleAll is settle for at most a window, of which it leaves what it must.
func (c *Counter) settleAll(b []byte) (n, used int) {
	if len(b) <= max(c.table.reach, fanout*utf8.UTFMax) {
		return 0, 0
	}
	s := c.symbols
	s.merge(&c.table, b)
	end := len(b) - c.table.reach
	for i := 0; i < s.n && int(s.start[i]) < end; i = int(s.next[i]) {
		n++
		used = int(s.start[s.next[i]])
	}
	return n, used
}
