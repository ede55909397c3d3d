package ops

import (
	"math"

	"jlop/stream"
)

// A valueHolder takes the bytes of a JSON value as found, keeps them, and ends
// the reading with errOver once the value, laid out, cannot fit the budget.
type valueHolder struct {
	raw   []byte
	check checker
	lay   func([]byte) error
	least int // so many bytes are taken before the reading ends
	over  bool
}

// begin makes h ready for a value. least is how many bytes are taken even of a
// value that is known not to fit.
func (h *valueHolder) begin(g *gauge, l stream.Layout, least int) {
	h.raw, h.over, h.least = h.raw[:0], false, least
	h.check.g = g
	h.check.reset()
	h.lay = nil
	if !l.AsFound() {
		w := l.Writer(writerFunc(func(p []byte) { h.over = h.over || !h.check.more(p) }))
		h.lay = func(p []byte) error { _, err := w.Write(p); return err }
	}
}

func (h *valueHolder) Write(p []byte) (int, error) {
	h.raw = append(h.raw, p...)
	switch {
	case h.over:
	case h.lay != nil:
		if err := h.lay(p); err != nil {
			return 0, err
		}
	default:
		h.over = !h.check.more(p)
	}
	if h.over && len(h.raw) >= h.least {
		return 0, errOver
	}
	return len(p), nil
}

// fits reports whether the value, all of which has been taken, fits.
func (h *valueHolder) fits() bool { return !h.over && h.check.fits() }

// A writerFunc is a writer that cannot fail.
type writerFunc func(p []byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

// estimate is how many tokens size bytes are that begin with text: counted as
// far as text goes, extrapolated beyond.
func (g *gauge) estimate(text []byte, size int64) int64 {
	if len(text) == 0 {
		return 0
	}
	m := g.exact().Meter()
	m.Write(text)
	n := g.charge(int64(m.Count()))
	if int64(len(text)) >= size {
		return n
	}
	return int64(math.Ceil(float64(n) * float64(size) / float64(len(text))))
}
