package tokenize

import "unicode/utf8"

// Prefixes. A longer text may have fewer tokens, so the longest prefix that fits is not found by halving. But the
// decided tokens of a text never become fewer: from where they alone are over the limit, nothing fits. So
// text is written up to there, and from there backward every cut is counted, from a point saved
// shortly before it.

const (
	coarseStep = 1024 // bytes between saved points on the way forward
	coarseKept = 8
	fineStep   = 64 // bytes between saved points on the way backward
)

// cutter is the working memory of Prefix.
type cutter struct {
	start  state
	coarse [coarseKept]state
	fine   [coarseStep / fineStep]state
}

// Prefix finds the longest prefix text[:end] with which Count(text[:end]+suffix) is at most limit, and returns
// that count. Prefixes end where no continuation byte of UTF-8 follows. If not even the suffix fits, end is -1 and count is
// what the suffix costs.
func (c *Counter) Prefix(text []byte, limit int, suffix []byte) (end, count int) {
	if c.meter == nil {
		c.meter = &Meter{c: c}
	}
	c.meter.Reset()
	return c.meter.Prefix(text, limit, suffix)
}

// Prefix finds the longest prefix p[:end] that can be written so that, with suffix after it, Count is at most limit, and
// returns that count. Prefixes end where no continuation byte of UTF-8 follows, or where p ends. If the suffix does not even fit
// behind what is written, end is -1 and count is what the two cost. Nothing is written.
func (m *Meter) Prefix(p []byte, limit int, suffix []byte) (end, count int) {
	if m.cut == nil {
		m.cut = new(cutter)
	}
	if m.c.enc.pattern == charsPattern {
		limit *= charsPerToken
	}
	// What follows the first boundary in the suffix costs the same in any case.
	fixed := 0
	for i := 1; i < len(suffix); i++ {
		if boundary(suffix, i) {
			if m.c.enc.pattern == charsPattern {
				fixed = countChars(suffix[i:])
			} else {
				fixed = m.c.Count(suffix[i:])
			}
			suffix = suffix[:i]
			break
		}
	}
	m.cut.start.set(&m.state)
	end, count = m.prefix(p, limit-fixed, suffix)
	m.state.set(&m.cut.start)
	return end, m.tokens(count + fixed)
}

func (m *Meter) prefix(p []byte, limit int, suffix []byte) (end, count int) {
	k := m.cut
	for high := len(p); ; {
		// forward
		n, at := 0, 0
		for at < high && m.decided() <= limit {
			k.coarse[n%coarseKept].set(&m.state)
			n++
			to := min(at+coarseStep, high)
			m.write(p[at:to])
			at = to
		}
		if at == len(p) {
			if u := m.unitsWith(suffix); u <= limit {
				return at, u
			}
		}
		// backward
		for i := n - 1; i >= 0 && i >= n-coarseKept; i-- {
			m.state.set(&k.coarse[i%coarseKept])
			at = i * coarseStep
			if e, u, ok := m.prefixIn(p, at, min(at+coarseStep, high), limit, suffix); ok {
				return e, u
			}
		}
		m.state.set(&k.start)
		if n <= coarseKept {
			u := m.unitsWith(suffix)
			if u > limit {
				return -1, u
			}
			return 0, u
		}
		high = at
	}
}

// prefixIn looks for the longest prefix that fits among those that end in (low, high]; p[:low] is written.
func (m *Meter) prefixIn(p []byte, low, high, limit int, suffix []byte) (end, count int, ok bool) {
	k := m.cut
	n := 0
	for at := low; at < high && m.decided() <= limit; at += fineStep {
		if m.state.run.kind != noRun {
			m.settleRun(m.c.table.reach + fineStep)
		}
		k.fine[n].set(&m.state)
		n++
		m.write(p[at:min(at+fineStep, high)])
	}
	for i := n - 1; i >= 0; i-- {
		at := low + i*fineStep
		for e := min(at+fineStep, high); e > at; e-- {
			if e < len(p) && !utf8.RuneStart(p[e]) {
				continue
			}
			m.state.set(&k.fine[i])
			m.write(p[at:e])
			if u := m.unitsWith(suffix); u <= limit {
				return e, u, true
			}
		}
	}
	return 0, 0, false
}
