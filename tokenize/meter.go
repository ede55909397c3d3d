package tokenize

import "unicode/utf8"

// Meter counts text that is appended in pieces. Its counts are those of the whole text, however it was cut: a cut may fall
// inside a character. What it holds does not grow with the text, even if that is one word without an end. It
// is not for use by several goroutines at once.
type Meter struct {
	c     *Counter
	state state
	text  []byte // scratch
	str   []byte // scratch of WriteString
	saved state  // scratch of CountWith
	cut   *cutter
}

// Mark is a point in a Meter's text to go back to. It is good for the Meter it came from.
type Mark struct{ state state }

// state is all that a Meter knows of its text.
type state struct {
	n       int    // tokens before buf; with chars/4, characters
	decided int    // the most that was ever known to be decided
	buf     []byte // the end of the text, from the start of an undecided piece on
	wait    int    // length of buf below which another look at it is not worth while

	// If the piece at the start of buf is long, buf is without invalid bytes and run tells what is known of it.
	run  run
	held [utf8.UTFMax]byte // the incomplete character after buf
	hold int               // its length
}

// longPiece is the length in bytes from which a piece is handled as a run.
const longPiece = 512

// NewMeter returns a Meter for an encoding, with nothing written.
func NewMeter(e *Encoding) *Meter { return NewCounter(e).Meter() }

// Meter returns a Meter, with nothing written, that works with the memory of c: no two of them, nor c, may be used at
// the same time.
func (c *Counter) Meter() *Meter { return &Meter{c: c} }

// Reset forgets all that was written.
func (m *Meter) Reset() { m.state = state{buf: m.state.buf[:0]} }

// Mark returns the present point, for Rollback.
func (m *Meter) Mark() Mark {
	var mk Mark
	mk.state.set(&m.state)
	return mk
}

// Rollback forgets what was written since mk was made. The cost does not depend on how much that is.
func (m *Meter) Rollback(mk Mark) { m.state.set(&mk.state) }

func (s *state) set(to *state) {
	buf := append(s.buf[:0], to.buf...)
	*s = *to
	s.buf = buf
}

// Write appends p to the text. It never fails.
func (m *Meter) Write(p []byte) (int, error) {
	m.write(p)
	return len(p), nil
}

// WriteString appends p to the text. It never fails.
func (m *Meter) WriteString(p string) (int, error) {
	for rest := p; len(rest) > 0; {
		k := min(len(rest), 4096)
		m.str = append(m.str[:0], rest[:k]...)
		m.write(m.str)
		rest = rest[k:]
	}
	return len(p), nil
}

func (m *Meter) write(p []byte) {
	s := &m.state
	for len(p) > 0 {
		switch {
		case m.c.enc.pattern == charsPattern:
			p = m.writeChars(p)
		case s.run.kind != noRun:
			p = m.writeRun(p)
		case len(s.buf) == 0:
			n, used := m.c.count(p[:len(p)-incomplete(p)], false)
			s.n += n
			p = p[used:]
			k := min(len(p), longPiece+1)
			s.buf = append(s.buf, p[:k]...)
			p = p[k:]
			m.keep()
		default:
			// look at the undecided end together with a little of what follows
			old := len(s.buf)
			k := min(len(p), max(64, old))
			s.buf = append(s.buf, p[:k]...)
			if len(s.buf) < s.wait {
				p = p[k:]
				continue
			}
			n, used := m.c.count(s.buf[:len(s.buf)-incomplete(s.buf)], false)
			s.n += n
			if used >= old {
				p = p[used-old:]
				s.buf, s.wait = s.buf[:0], 0
				continue
			}
			p = p[k:]
			s.buf = s.buf[:copy(s.buf, s.buf[used:])]
			m.keep()
		}
	}
}

// keep decides how to go on with a buf whose first piece is undecided.
func (m *Meter) keep() {
	s := &m.state
	s.wait = 0
	if len(s.buf) > longPiece {
		m.startRun()
	} else if len(s.buf) > 64 {
		s.wait = len(s.buf) * 5 / 4
	}
}

// writeChars counts characters, holding back an incomplete one.
func (m *Meter) writeChars(p []byte) (rest []byte) {
	s := &m.state
	if len(s.buf) > 0 {
		s.buf = append(s.buf, p[0])
		p = p[1:]
		if utf8.FullRune(s.buf) {
			k := len(s.buf) - incomplete(s.buf)
			s.n += countChars(s.buf[:k])
			s.buf = s.buf[:copy(s.buf, s.buf[k:])]
		}
		return p
	}
	k := len(p) - incomplete(p)
	s.n += countChars(p[:k])
	s.buf = append(s.buf, p[k:]...)
	return nil
}

// Count returns the number of tokens of everything written.
func (m *Meter) Count() int { return m.tokens(m.units()) }

// CountWith returns the number of tokens there would be if suffix followed. It changes nothing.
func (m *Meter) CountWith(suffix []byte) int { return m.tokens(m.unitsWith(suffix)) }

// Decided returns how many tokens no further text can take back. It costs nothing, never decreases but by Rollback and
// Reset, and is never above what Count is or will be.
func (m *Meter) Decided() int { return m.tokens(m.decided()) }

// The units a Meter works in are tokens, but with chars/4 characters.

func (m *Meter) tokens(units int) int {
	if m.c.enc.pattern == charsPattern {
		return charTokens(units)
	}
	return units
}

func (m *Meter) decided() int {
	s := &m.state
	s.decided = max(s.decided, s.n+s.run.settled())
	return s.decided
}

func (m *Meter) units() int {
	s := &m.state
	switch {
	case m.c.enc.pattern == charsPattern:
		return s.n + countChars(s.buf)
	case s.run.kind != noRun:
		return m.runUnits()
	}
	n, _ := m.c.count(s.buf, true)
	return s.n + n
}

func (m *Meter) unitsWith(suffix []byte) int {
	s := &m.state
	if s.run.kind != noRun {
		m.saved.set(s)
		m.write(suffix)
		n := m.units()
		s.set(&m.saved)
		return n
	}
	m.text = append(append(m.text[:0], s.buf...), suffix...)
	if m.c.enc.pattern == charsPattern {
		return s.n + countChars(m.text)
	}
	n, _ := m.c.count(m.text, true)
	return s.n + n
}
