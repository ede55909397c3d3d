package ops

import (
	"bytes"
	"strconv"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"jlop/stream"
)

// Cutting a text keeps its head and its tail and says between them what is
// missing. What is kept is found against the final bytes: a candidate is laid
// out in full, envelope and marker included, and measured. Token counts are
// neither additive nor monotone, so a candidate that was measured is the only
// thing that is ever written.

// A cut says how to divide a text between head and tail.
type cut struct {
	// Head and Tail are lengths in the first unit of the budget that is limited;
	// -1 leaves it to the other one and the budget.
	Head, Tail int64
	// Quoted is set when the text is written as a JSON string.
	Quoted bool
	// Render appends the final text, as the model reads it.
	Render func(dst []byte, p part) []byte
}

// A part is what is kept of a text.
type part struct {
	head, tail    []byte // decoded
	omitted, kept int64  // characters
	stop          Unit   // the limit that stopped it
}

// defaultHead is the share of the room that the head gets, in percent.
const defaultHead = 80

// appendMarked appends head, marker and tail. The marker stands on a line of
// its own; there is none when nothing was left out.
func (p part) appendMarked(dst []byte) []byte {
	dst = append(dst, p.head...)
	if p.omitted == 0 {
		return append(dst, p.tail...)
	}
	if n := len(dst); n > 0 && dst[n-1] != '\n' {
		dst = append(dst, '\n')
	}
	dst = appendMarker(dst, "chars", p.omitted, p.kept)
	if len(p.tail) > 0 && p.tail[0] != '\n' {
		dst = append(dst, '\n')
	}
	return append(dst, p.tail...)
}

// appendMarker appends " [TRUNCATED N chars omitted, M kept] ".
func appendMarker(dst []byte, what string, omitted, kept int64) []byte {
	dst = append(dst, " [TRUNCATED "...)
	dst = strconv.AppendInt(dst, omitted, 10)
	dst = append(dst, ' ')
	dst = append(dst, what...)
	dst = append(dst, " omitted, "...)
	dst = strconv.AppendInt(dst, kept, 10)
	return append(dst, " kept] "...)
}

// fit finds the best part of t within g. It reports false if even the empty
// part does not fit.
func (c cut) fit(g *gauge, t *heldText) (part, bool) {
	f := fitter{cut: c, g: g, t: t, stop: noUnit}
	if !f.try(0, 0) {
		return f.best, false
	}
	f.empty = len(f.buf)
	head, tail := c.Head, c.Tail
	switch {
	case tail == 0 && head < 0:
		f.maxHead()
	case head == 0 && tail < 0:
		f.maxTail(0, len(t.tail))
	default:
		h := f.room(head)
		h = alignHead(t.head, h)
		for h > 0 && !f.try(h, 0) {
			h = graphemeFloor(t.head, h-1)
		}
		if tail >= 0 {
			f.maxTail(h, f.back(tail))
		} else {
			f.maxTail(h, len(t.tail))
		}
		if head < 0 {
			f.grow(len(t.tail) - f.tailStart)
		}
	}
	// What stopped the search may be said in other words than those measured.
	f.try(f.bestHead, len(t.tail)-f.tailStart)
	return f.best, true
}

// A fitter searches for the largest part that fits.
type fitter struct {
	cut
	g         *gauge
	t         *heldText
	buf       []byte
	escaped   []byte
	empty     int
	best      part
	bestHead  int
	tailStart int
	stop      Unit
}

// try measures the part with h bytes of head and n bytes of tail, and keeps it
// if it fits.
func (f *fitter) try(h, n int) bool {
	p := f.t.part(h, n)
	p.stop = f.stop
	f.buf = f.Render(f.buf[:0], p)
	if u := f.g.over(f.buf); u != noUnit {
		f.stop = u
		return false
	}
	f.best, f.bestHead, f.tailStart = p, h, len(f.t.tail)-n
	return true
}

// room is the length in bytes of the head that is asked for: head units of
// text, or the default share of what the envelope leaves.
func (f *fitter) room(head int64) int {
	text := f.t.head
	if head >= 0 {
		return f.prefix(text, f.g.unit(), head)
	}
	h := len(text)
	f.buf = f.Render(f.buf[:0], f.t.part(0, 0))
	for _, u := range units {
		limit := f.g.limit(u)
		if limit <= 0 {
			continue
		}
		free := max(0, limit-f.g.size(u, f.buf))
		h = min(h, f.prefix(text, u, free*defaultHead/100))
	}
	return h
}

// prefix is the length of the longest prefix of text that takes no more than
// limit units as it will be written.
func (f *fitter) prefix(text []byte, u Unit, limit int64) int {
	switch u {
	case Tokens:
		limit = int64(float64(limit) / f.g.Scale)
		text = text[:min(int64(len(text)), limit*int64(f.g.Encoding.MaxTokenBytes()))]
		end, _ := f.g.exact().Prefix(f.written(text), int(limit), nil)
		return f.unwritten(text, max(0, end))
	case Bytes:
		text = text[:min(int64(len(text)), limit)]
		return f.unwritten(text, int(min(limit, int64(len(f.written(text))))))
	case Chars:
		w := f.written(text[:min(int64(len(text)), 4*limit)])
		i := 0
		for n := int64(0); i < len(w) && n < limit; n++ {
			for i++; i < len(w) && w[i]&0xC0 == 0x80; i++ {
			}
		}
		return f.unwritten(text, i)
	}
	return len(text)
}

func (f *fitter) written(text []byte) []byte {
	if !f.Quoted {
		return text
	}
	f.escaped = stream.AppendEscaped(f.escaped[:0], text)
	return f.escaped
}

// unwritten is the length of the part of text that is written in the first n
// bytes of f.escaped, whole characters only.
func (f *fitter) unwritten(text []byte, n int) int {
	if !f.Quoted {
		return graphemeFloor(text, n)
	}
	e := f.escaped
	if n < len(e) {
		n = boundaryBefore(e, n)
	}
	return len(stream.AppendText(nil, e[:n]))
}

// back is the length in bytes of the last n units of the tail.
func (f *fitter) back(n int64) int {
	tail := f.t.tail
	u := f.g.unit()
	if u == noUnit || n <= 0 {
		return 0
	}
	i := search(len(tail), guess(n, u), func(k int) bool {
		return f.g.size(u, f.written(tail[runeCeil(tail, len(tail)-k):])) <= n
	})
	return len(tail) - runeCeil(tail, len(tail)-i)
}

// guess is a first idea of how many bytes n units are.
func guess(n int64, u Unit) int {
	if u == Tokens {
		return int(n) * 4
	}
	return int(n)
}

// maxTail keeps the head of h bytes and finds the longest tail of at most n
// bytes. It starts at a line if that costs little enough.
func (f *fitter) maxTail(h, n int) {
	tail := f.t.tail
	n = min(n, f.t.free(h))
	size := func(k int) int { return len(tail) - graphemeCeil(tail, len(tail)-k) }
	k := search(n, guess(f.g.limit(f.g.unit()), f.g.unit())/5, func(k int) bool { return f.try(h, size(k)) })
	if !f.try(h, size(k)) {
		return
	}
	start := f.tailStart
	if i := bytes.IndexByte(tail[start:], '\n'); i >= 0 && i+1 <= (len(tail)-start)/2 {
		if f.try(h, len(tail)-start-i-1) && f.g.filled(f.buf) {
			return
		}
		f.try(h, len(tail)-start)
	}
}

// maxHead finds the longest head of a text cut without tail.
func (f *fitter) maxHead() {
	head := f.t.head
	n := f.t.most(0)
	k := search(n, guess(f.g.limit(f.g.unit()), f.g.unit()), func(k int) bool { return f.try(graphemeFloor(head, k), 0) })
	k = graphemeFloor(head, k)
	if !f.try(k, 0) {
		return
	}
	if a := alignHead(head, k); a < k {
		if f.try(a, 0) && f.g.filled(f.buf) {
			return
		}
		f.try(k, 0)
	}
}

// grow lengthens the head, while the tail of n bytes stays, if the budget is
// not filled.
func (f *fitter) grow(n int) {
	h := f.bestHead
	if !f.try(h, n) || f.g.filled(f.buf) {
		return
	}
	head := f.t.head
	most := f.t.most(n)
	if most <= h {
		return
	}
	k := search(most-h, 64, func(k int) bool { return f.try(graphemeFloor(head, h+k), n) })
	f.try(graphemeFloor(head, h+k), n)
}

// search returns a k in [0, n] for which fits holds and at which it stops
// holding nearby; fits(0) is taken for granted. It begins at start and widens,
// so that a good guess costs a handful of calls.
func search(n, start int, fits func(int) bool) int {
	lo, hi := 0, n+1
	for step, k := max(1, start), min(max(1, start), n); lo < n; {
		if fits(k) {
			lo = k
			if hi <= n {
				break
			}
			step *= 2
			k = min(n, lo+step)
			continue
		}
		hi = k
		if step = max(1, step/2); hi-step <= lo {
			break
		}
		k = hi - step
	}
	for hi-lo > 1 {
		mid := lo + (hi-lo)/2
		if fits(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// alignHead moves the end of a head of h bytes back behind its last line break
// if that is in its second half, otherwise to a grapheme cluster boundary.
func alignHead(text []byte, h int) int {
	if h >= len(text) {
		h = len(text)
	}
	if i := bytes.LastIndexByte(text[:h], '\n'); i >= 0 && i+1 > h/2 {
		return i + 1
	}
	return graphemeFloor(text, h)
}

// graphemeFloor is the last grapheme cluster boundary of text at or before i.
func graphemeFloor(text []byte, i int) int {
	lo, _ := graphemeAround(text, i)
	return lo
}

// graphemeCeil is the first grapheme cluster boundary of text at or after i.
func graphemeCeil(text []byte, i int) int {
	_, hi := graphemeAround(text, i)
	return hi
}

// graphemeReach is how far back a place is looked for from which clusters can
// be told apart for sure.
const graphemeReach = 4096

func graphemeAround(text []byte, i int) (lo, hi int) {
	if i <= 0 {
		return 0, 0
	}
	if i >= len(text) {
		return len(text), len(text)
	}
	// Between two printable ASCII characters there is always a boundary.
	plain := func(c byte) bool { return c >= ' ' && c < 0x7F }
	if plain(text[i-1]) && plain(text[i]) {
		return i, i
	}
	at := i
	for at > 0 && i-at < graphemeReach && !(plain(text[at-1]) && plain(text[at])) {
		at--
	}
	at = runeFloor(text, at)
	it := graphemes.FromBytes(text[at:min(len(text), i+graphemeReach)])
	for it.Next() {
		switch end := at + it.End(); {
		case end == i:
			return i, i
		case end > i:
			return at + it.Start(), end
		}
	}
	return runeFloor(text, i), runeCeil(text, i)
}

func runeFloor(b []byte, i int) int {
	for i > 0 && i < len(b) && b[i]&0xC0 == 0x80 {
		i--
	}
	return i
}

func runeCeil(b []byte, i int) int {
	for i < len(b) && b[i]&0xC0 == 0x80 {
		i++
	}
	return i
}

// countChars counts the characters of a decoded text. A lone surrogate, held in
// three bytes, is one.
func countChars(text []byte) int64 {
	n := int64(0)
	for _, c := range text {
		if c&0xC0 != 0x80 {
			n++
		}
	}
	return n
}
