package tokenize

import "unicode/utf8"

// A run is a long piece at the start of a Meter's buf that may go on. The patterns need no more than its kind to tell
// whether it does, but for two cases where they look ahead without a limit: upper-case letters after another letter are part of
// a word of o200k_base only if a letter that is not upper-case follows them, and blanks after a line end belong to the
// piece only if another line end follows. The piece then ends at alt if it does not go on, so
// the text from alt on is counted both as a part of it and as a piece of its own.
type run struct {
	kind    runKind
	scanned int  // bytes of buf that are looked at
	last    int  // in a spaceRun: the start of the last character
	whole   span // the piece, if it goes on
	alt     int  // where it ends if it does not, -1 if that is nowhere else
	split   bool // altN and rest are known; alt may have left buf
	altN    int  // tokens of the piece up to alt
	rest    span // the piece that then starts at alt
}

// span is a piece of which the first n tokens are settled and buf[at:] is not.
type span struct{ n, at int }

type runKind uint8

const (
	noRun     runKind = iota
	wordRun           // o200k_base: no lower-case letter yet
	lowerRun          // o200k_base: [lower letter mark]*
	letterRun         // \p{L}*
	digitRun          // \p{N}*
	punctRun          // [^\s\p{L}\p{N}]*
	endRun            // the line ends after it
	spaceRun          // \s*
)

// settled returns how many tokens of a run nothing can take back.
func (r *run) settled() int {
	if r.split {
		return min(r.whole.n, r.altN+r.rest.n)
	}
	return r.whole.n
}

// startRun makes a run of the first piece of buf, which is long and undecided.
func (m *Meter) startRun() {
	s := &m.state
	s.hold = copy(s.held[:], s.buf[len(s.buf)-incomplete(s.buf):])
	if raw := s.buf[:len(s.buf)-s.hold]; utf8.Valid(raw) {
		s.buf = raw
	} else {
		m.text = append(m.text[:0], raw...)
		s.buf = appendClean(s.buf[:0], m.text)
	}
	kind, at := m.c.enc.pattern.runStart(s.buf)
	s.run = run{kind: kind, scanned: at, alt: -1}
	m.scanRun()
}

// runStart returns the kind of the long piece at the start of b and where its repetition starts.
func (p pattern) runStart(b []byte) (kind runKind, at int) {
	word := letterRun
	if p == o200kPattern {
		word = wordRun
	}
	c, n := class(b, 0)
	if isLetter(c) || c == mark && p == o200kPattern {
		return word, 0
	}
	if c == number {
		return digitRun, 0
	}
	prefix := b[0] == ' ' || p != gpt2Pattern && c != newline
	if c1, n1 := class(b, n); prefix {
		switch {
		case isLetter(c1) || c1 == mark && p == o200kPattern:
			return word, n
		case b[0] == ' ' && c1 == number:
			return digitRun, n
		case b[0] == ' ' && (c1 == other || c1 == mark):
			return punctRun, n + n1
		}
	}
	if c == other || c == mark {
		return punctRun, n
	}
	return spaceRun, 0
}

// writeRun appends a part of p to a run and returns the rest.
func (m *Meter) writeRun(p []byte) (rest []byte) {
	s := &m.state
	k := min(len(p), window)
	if s.hold > 0 {
		k = 1
	}
	part := p[:k]
	if s.hold > 0 {
		s.held[s.hold] = p[0]
		part = s.held[:s.hold+1]
	}
	inc := incomplete(part)
	s.buf = appendClean(s.buf, part[:len(part)-inc])
	s.hold = copy(s.held[:], part[len(part)-inc:])
	m.scanRun()
	return p[k:]
}

// scanRun looks at the new part of buf. It settles what it can of the run, or ends it and leaves what follows to
// write.
func (m *Meter) scanRun() {
	s, r := &m.state, &m.state.run
	if !r.scan(s.buf, m.c.enc.pattern) {
		m.settleRun(window)
		return
	}
	if r.kind == wordRun || r.kind == lowerRun {
		if _, more := contraction(s.buf, r.scanned, true); more {
			return
		}
	}
	n, used := m.endRun(s.buf, *r, false)
	s.n += n
	s.buf = s.buf[:copy(s.buf, s.buf[used:])]
	s.buf = append(s.buf, s.held[:s.hold]...)
	s.run, s.hold, s.wait = run{}, 0, 0
}

// scan advances scanned over b as far as the run goes, and reports whether that is before the end of b.
func (r *run) scan(b []byte, p pattern) (ended bool) {
	for r.scanned < len(b) {
		c, n := class(b, r.scanned)
		next := r.scanned + n
		ok := false
		switch r.kind {
		case wordRun:
			switch c {
			case upper:
				ok = true
			case letter, mark:
				ok = true
				r.alt, r.split = next, false
			case lower:
				ok = true
				r.kind = lowerRun
				r.alt, r.split = -1, false
			}
		case lowerRun:
			ok = c == lower || c == letter || c == mark
		case letterRun:
			ok = isLetter(c)
		case digitRun:
			ok = c == number
		case punctRun:
			ok = c == other || c == mark
			if !ok && p != gpt2Pattern {
				r.kind = endRun
				continue
			}
		case endRun:
			ok = c == newline || p == o200kPattern && b[r.scanned] == '/'
		case spaceRun:
			ok = c == blank || c == newline
			if ok {
				r.last = r.scanned
			}
			if c == newline && p != gpt2Pattern {
				r.alt, r.split = next, false
			}
		}
		if !ok {
			return true
		}
		r.scanned = next
	}
	return false
}

// settleRun settles tokens of the run at the start of buf until about limit bytes of it are left.
func (m *Meter) settleRun(limit int) {
	s, r := &m.state, &m.state.run
	end := r.scanned
	if r.kind == spaceRun {
		end = r.last // the last blank may not be of the piece
	}
	if end-r.whole.at <= limit && (!r.split || end-r.rest.at <= limit) {
		return
	}
	if r.alt >= 0 && !r.split && r.alt < end {
		r.split = true
		r.altN = r.whole.n + m.c.pieceAt(s.buf, r.whole.at, r.alt)
		r.rest = span{0, r.alt}
	}
	m.c.settleSpan(&r.whole, s.buf[:end], limit)
	low := r.whole.at
	if r.split {
		m.c.settleSpan(&r.rest, s.buf[:end], limit)
		low = min(low, r.rest.at)
		r.rest.at -= low
	}
	r.whole.at -= low
	r.scanned -= low
	r.last -= low
	if r.alt >= 0 {
		r.alt = max(r.alt-low, 0)
	}
	s.buf = s.buf[:copy(s.buf, s.buf[low:])]
}

// settleSpan settles tokens of a span that goes on to the end of b until about limit bytes of it are left.
func (c *Counter) settleSpan(p *span, b []byte, limit int) {
	n, used := c.settle(b[p.at:])
	p.n += n
	p.at += used
	if rest := b[p.at:]; len(rest) > limit {
		n, used = c.settleAll(rest)
		p.n += n
		p.at += used
	}
}

// pieceAt counts b[at:end], a piece or the rest of one.
func (c *Counter) pieceAt(b []byte, at, end int) int {
	if at == end {
		return 0
	}
	return c.piece(b[at:end])
}

// endRun counts the run r at the start of b, which ends at r.scanned, and returns the number of its tokens and bytes. What
// is left of it may be the start of another piece, unless all says that b is all there is.
func (m *Meter) endRun(b []byte, r run, all bool) (n, used int) {
	c := m.c
	if r.alt >= 0 && r.alt < r.scanned {
		if r.split {
			n, r.whole = r.altN, r.rest
		} else {
			n = r.whole.n + c.pieceAt(b, r.whole.at, r.alt)
			r.whole = span{0, r.alt}
		}
	}
	end := r.scanned
	switch r.kind {
	case wordRun, lowerRun:
		end, _ = contraction(b, end, true)
	case spaceRun:
		if r.alt < end && (end < len(b) || !all) {
			if r.last <= r.whole.at {
				return n, r.whole.at // one blank: it may be the prefix of a word
			}
			end = r.last
		}
	}
	return n + r.whole.n + c.pieceAt(b, r.whole.at, end), end
}

// runUnits is units in a run.
func (m *Meter) runUnits() int {
	s := &m.state
	r := s.run
	b := s.buf
	if s.hold > 0 { // at the end of the text these are invalid
		m.text = appendClean(append(m.text[:0], b...), s.held[:s.hold])
		b = m.text
	}
	r.scan(b, m.c.enc.pattern)
	n, used := m.endRun(b, r, true)
	rest, _ := m.c.count(b[used:], true)
	return s.n + n + rest
}
