package ops

import (
	"bytes"
	"strconv"

	"jlop/stream"
)

// A stringCut is what is shown of a string, in its raw form.
type stringCut struct {
	head, tail    []byte
	omitted, kept int64 // characters
	prior         int64 // left out by an earlier cut, whose marker this has, or had
	next          int64 // offset in the body of the first byte left out
}

// markerRoom is about what a marker takes.
const markerRoom = 48

// minTail is the least that a tail is worth.
const minTail = 24

// cutString cuts n to about most bytes. Lines says to prefer line breaks. What
// an earlier cut has left out is left out still, so that the totals stay true.
func (k *skeleton) cutString(n *node, most int, lines bool) stringCut {
	head, tail := k.bytes(n.text), k.bytes(n.tail)
	whole := stringCut{head: head, tail: tail, kept: n.size}
	total, joined := n.size, n.flags&flagGap == 0
	if n.flags&flagMarked != 0 {
		head, tail, whole.prior, _ = splitMarked(head)
		total = whole.prior + stream.CountChars(head) + stream.CountChars(tail)
	}
	if joined && most >= len(whole.head)-markerRoom {
		return whole
	}
	if n.flags&flagMarked != 0 {
		joined = false
	} else if joined {
		tail = head
	}
	t := most * n.tailShare() / 100
	if t < minTail {
		t = 0
	}
	h := min(len(head), most-t)
	t = min(len(tail), most-h)
	h = headEnd(head, h, lines)
	from := tailStart(tail, len(tail)-t, lines)
	if joined {
		from = max(from, h)
	}
	c := stringCut{head: head[:h], tail: tail[from:], next: int64(h), prior: whole.prior}
	c.kept = stream.CountChars(c.head) + stream.CountChars(c.tail)
	if c.omitted = total - c.kept; c.omitted == c.prior {
		return whole
	}
	return c
}

// append appends the body.
func (c stringCut) append(dst []byte) []byte {
	dst = append(dst, c.head...)
	if c.omitted == 0 {
		return append(dst, c.tail...)
	}
	if len(c.head) > 0 && !breakAt(c.head, len(c.head)-2) {
		dst = append(dst, `\n`...)
	}
	dst = appendMarker(dst, "chars", c.omitted, c.kept)
	if len(c.tail) > 0 && !breakAt(c.tail, 0) {
		dst = append(dst, `\n`...)
	}
	return append(dst, c.tail...)
}

// splitMarked finds the marker of an earlier cut in the raw body of a string.
func splitMarked(body []byte) (head, tail []byte, omitted int64, ok bool) {
	const begin = " [TRUNCATED "
	i := bytes.Index(body, []byte(begin))
	if i < 0 {
		return nil, nil, 0, false
	}
	omitted, rest, ok := cutNumber(body[i+len(begin):], " chars omitted, ")
	if !ok {
		return nil, nil, 0, false
	}
	kept, tail, ok := cutNumber(rest, " kept] ")
	if !ok {
		return nil, nil, 0, false
	}
	// The line breaks around a marker were put there unless there were some.
	head = body[:i]
	before, after := breakAt(head, len(head)-2), breakAt(tail, 0)
	chars := stream.CountChars(head) + stream.CountChars(tail)
	if chars > kept && before {
		head = head[:len(head)-2]
		chars--
	}
	if chars > kept && after {
		tail = tail[2:]
		chars--
	}
	return head, tail, omitted, chars == kept
}

// cutNumber reads a number with text behind it.
func cutNumber(b []byte, behind string) (n int64, rest []byte, ok bool) {
	i := bytes.Index(b[:min(len(b), 20+len(behind))], []byte(behind))
	if i <= 0 {
		return 0, nil, false
	}
	n, err := strconv.ParseInt(string(b[:i]), 10, 64)
	return n, b[i+len(behind):], err == nil && n >= 0 && b[0] != '+' && b[0] != '-'
}

// breakAt reports whether the escape of a line break begins at body[i].
func breakAt(body []byte, i int) bool {
	return i >= 0 && i+1 < len(body) && body[i] == '\\' && body[i+1] == 'n' && boundaryBefore(body, i) == i
}

// headEnd moves the end of a head of n bytes back behind its last line break if
// that is in its second half, otherwise to the boundary of a grapheme cluster.
func headEnd(body []byte, n int, lines bool) int {
	if n >= len(body) {
		return len(body)
	}
	if lines {
		for i := n; ; {
			if i = bytes.LastIndex(body[:i], []byte(`\n`)); i < 0 || i+2 <= n/2 {
				break
			}
			if breakAt(body, i) {
				return i + 2
			}
		}
	}
	lo, _ := clusterAround(body, n)
	return lo
}

// tailStart moves the start of the tail body[from:] behind its first line break
// if that is in its first half, otherwise to the boundary of a grapheme cluster.
func tailStart(body []byte, from int, lines bool) int {
	if from <= 0 {
		return 0
	}
	if lines {
		for i := from; i < len(body); i++ {
			j := bytes.Index(body[i:], []byte(`\n`))
			if i += j; j < 0 || i+2-from > (len(body)-from)/2 {
				break
			}
			if breakAt(body, i) {
				return i + 2
			}
		}
	}
	_, hi := clusterAround(body, from)
	return hi
}

// clusterReach is how far around a place of a raw body its clusters are looked
// at.
const clusterReach = 256

// clusterAround returns the boundaries of grapheme clusters at or around i.
func clusterAround(body []byte, i int) (lo, hi int) {
	if i <= 0 || i >= len(body) {
		i = max(0, min(i, len(body)))
		return i, i
	}
	plain := func(c byte) bool { return c >= ' ' && c < 0x7F && c != '\\' }
	// No escape is longer than 12 bytes, and none has a blank in it.
	if plain(body[i]) && (body[i-1] == ' ' || plain(body[i-1]) && bytes.IndexByte(body[max(0, i-12):i], '\\') < 0) {
		return i, i
	}
	i = boundaryBefore(body, i)
	from := boundaryBefore(body, max(0, i-clusterReach))
	to := boundaryAfter(body, min(len(body), i+clusterReach))
	text := stream.AppendText(nil, body[from:to])
	at := len(stream.AppendText(nil, body[from:i]))
	a, z := graphemeAround(text, at)
	return from + rawLength(body[from:to], a), from + rawLength(body[from:to], z)
}

// parseItemsNotice reads "[TRUNCATED N items omitted, M kept]", quoted.
func parseItemsNotice(raw []byte) (omitted int64, ok bool) {
	rest, ok := bytes.CutPrefix(raw, []byte(`"[TRUNCATED `))
	if !ok {
		return 0, false
	}
	omitted, rest, ok = cutNumber(rest, " items omitted, ")
	if !ok {
		return 0, false
	}
	_, rest, ok = cutNumber(rest, ` kept]"`)
	return omitted, ok && len(rest) == 0
}
