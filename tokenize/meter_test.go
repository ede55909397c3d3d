package tokenize

import (
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// drawText draws random text, sometimes with a long piece in it.
func drawText(t *rapid.T, label string, size int) []byte {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, label+" seed"), 0))
	b := randomText(r, rapid.IntRange(0, size).Draw(t, label+" size"))
	if rapid.IntRange(0, 3).Draw(t, label+" long") == 0 {
		for range r.IntN(2500) {
			b = append(b, longParts[r.IntN(len(longParts))][0]...)
			if r.IntN(10) == 0 {
				k := r.IntN(len(longParts))
				x := longParts[k]
				for range r.IntN(1200) {
					b = append(b, x[r.IntN(len(x))]...)
				}
				break
			}
		}
	}
	return b
}

// longParts are alphabets whose texts are one piece, most of the time.
var longParts = [][]string{
	{"a"}, {"a", "b", "e", "t"}, {"A", "B"}, {"中", "A", "A", "A"}, {"\u0301", "A"}, {" "}, {" ", " ", "\n"}, {" ", "\t", "\u3000"},
	{"-", "=", "."}, {"\xff", "."}, {"!", "\xe4\xb8"}, {"/", "\n"}, {"1", "2"}, {"的", "是"}, {"😀", "👍"},
}

func write(m *Meter, r *rand.Rand, b []byte) {
	for max := 1 << r.IntN(14); len(b) > 0; {
		k := min(len(b), 1+r.IntN(max))
		if r.IntN(2) == 0 {
			m.WriteString(string(b[:k]))
		} else {
			m.Write(b[:k])
		}
		b = b[k:]
	}
}

func TestMeterLaws(t *testing.T) {
	for _, e := range All {
		c, m := NewCounter(e), NewMeter(e)
		t.Run(e.Name(), rapid.MakeCheck(func(t *rapid.T) {
			meterLaws(t, c, m, drawText(t, "text", 800), drawText(t, "more", 800), drawText(t, "suffix", 40),
				rapid.Uint64().Draw(t, "cuts"))
		}))
	}
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

func meterLaws(t fataler, c *Counter, m *Meter, text, more, suffix []byte, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	name := m.c.enc.Name()
	m.Reset()
	write(m, r, text)
	if got, want := m.Count(), c.Count(text); got != want {
		t.Fatalf("%s: Meter.Count of %q is %d, Counter's %d", name, text, got, want)
	}
	with := append(text[:len(text):len(text)], suffix...)
	if got, want := m.CountWith(suffix), c.Count(with); got != want {
		t.Fatalf("%s: CountWith(%q) after %q = %d, want %d", name, suffix, text, got, want)
	}
	decided := m.Decided()
	if got, want := m.Count(), c.Count(text); decided > got || got != want {
		t.Fatalf("%s: after CountWith Count is %d, want %d, decided %d", name, got, want, decided)
	}
	mark := m.Mark()
	write(m, r, more)
	all := append(text[:len(text):len(text)], more...)
	if got, want := m.Count(), c.Count(all); got != want {
		t.Fatalf("%s: Count of %q + %q is %d, want %d", name, text, more, got, want)
	}
	if d := m.Decided(); d < decided || d > m.Count() {
		t.Fatalf("%s: Decided after %q + %q is %d, was %d, count %d", name, text, more, d, decided, m.Count())
	}
	m.Rollback(mark)
	if got, want := m.Count(), c.Count(text); got != want || m.Decided() != decided {
		t.Fatalf("%s: Count of %q after Rollback of %q is %d, want %d, decided %d, was %d", name, text, more, got, want, m.Decided(), decided)
	}
	write(m, r, suffix)
	if got, want := m.Count(), c.Count(with); got != want {
		t.Fatalf("%s: Count of %q + %q after Rollback of %q is %d, want %d", name, text, suffix, more, got, want)
	}
}

// prefixLaws compares Prefix with trying every cut.
func prefixLaws(t fataler, c *Counter, m *Meter, before, text, suffix []byte, limit int) {
	t.Helper()
	name := c.enc.Name()
	join := func(end int) []byte {
		b := append([]byte(nil), before...)
		b = append(b, text[:end]...)
		return append(b, suffix...)
	}
	wantEnd, wantCount := -1, c.Count(join(0))
	for e := len(text); e >= 0; e-- {
		if e > 0 && e < len(text) && !utf8.RuneStart(text[e]) {
			continue
		}
		if n := c.Count(join(e)); n <= limit {
			wantEnd, wantCount = e, n
			break
		}
	}
	m.Reset()
	m.Write(before)
	n := m.Count()
	end, count := m.Prefix(text, limit, suffix)
	if end != wantEnd || count != wantCount {
		t.Fatalf("%s: after %q Prefix(%q, %d, %q) = %d, %d, want %d, %d", name, before, text, limit, suffix, end, count, wantEnd, wantCount)
	}
	if m.Count() != n {
		t.Fatalf("%s: Prefix changed Count from %d to %d", name, n, m.Count())
	}
	if len(before) > 0 {
		return
	}
	end, count = c.Prefix(text, limit, suffix)
	if end != wantEnd || count != wantCount {
		t.Fatalf("%s: Prefix(%q, %d, %q) = %d, %d, want %d, %d", name, text, limit, suffix, end, count, wantEnd, wantCount)
	}
}

func TestPrefixLaws(t *testing.T) {
	suffixes := []string{"", "\"}", `"}],"truncated":{"totalChars":1200}}`, " [TRUNCATED 12 chars omitted, 3 kept] ", "s", "'s", "\n\n", "\xad", "中", "..."}
	for _, e := range All {
		c, m := NewCounter(e), NewMeter(e)
		t.Run(e.Name(), rapid.MakeCheck(func(t *rapid.T) {
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
			before := randomText(r, r.IntN(2)*r.IntN(40))
			text := randomText(r, 1<<r.IntN(9))
			if r.IntN(4) == 0 {
				x := longParts[r.IntN(len(longParts))]
				for range r.IntN(1300) {
					text = append(text, x[r.IntN(len(x))]...)
				}
			}
			suffix := []byte(suffixes[r.IntN(len(suffixes))])
			prefixLaws(t, c, m, before, text, suffix, r.IntN(c.Count(text)+8))
		}))
	}
}

// TestMeterLongPiece writes pieces far longer than what a Meter may hold and looks at what it holds.
func TestMeterLongPiece(t *testing.T) {
	const size = 300_000
	for _, e := range referenceEncodings {
		c, m := NewCounter(e), NewMeter(e)
		for _, parts := range longParts {
			r := rand.New(rand.NewPCG(7, 8))
			var b []byte
			for len(b) < size {
				b = append(b, parts[r.IntN(len(parts))]...)
			}
			m.Reset()
			held := 0
			for p := b; len(p) > 0; {
				k := min(len(p), 1+r.IntN(5000))
				m.Write(p[:k])
				p = p[k:]
				held = max(held, cap(m.state.buf))
			}
			if got, want := m.Count(), c.Count(b); got != want {
				t.Errorf("%s: Count of a long run of %q is %d, want %d", e.Name(), parts, got, want)
			}
			if m.Decided() < m.Count()-3*window {
				t.Errorf("%s: a run of %q: %d tokens, %d decided", e.Name(), parts, m.Count(), m.Decided())
			}
			if held > 32<<10 {
				t.Errorf("%s: a Meter of %q holds %d bytes", e.Name(), parts, held)
			}
		}
	}
}

// TestPrefixLongText looks for cuts in texts too long to try them all: what it finds must fit, and no cut in the next
// hundred bytes.
func TestPrefixLongText(t *testing.T) {
	suffix := []byte(`…"}],"next":"abc"}`)
	for _, e := range All {
		c := NewCounter(e)
		for i, parts := range append(longParts, []string{"Some words of English prose, ", "and numbers like 1234. ", "naïve 中文\n"}) {
			r := rand.New(rand.NewPCG(9, uint64(i)))
			var b []byte
			for len(b) < 20_000 {
				b = append(b, parts[r.IntN(len(parts))]...)
			}
			limit := c.Count(b) / 2
			end, count := c.Prefix(b, limit, suffix)
			if end < 0 {
				t.Errorf("%s: %q: no prefix of %d tokens", e.Name(), parts, limit)
				continue
			}
			with := func(end int) int { return c.Count(append(b[:end:end], suffix...)) }
			if got := with(end); got != count || got > limit {
				t.Errorf("%s: %q: prefix of %d tokens counts %d, limit %d", e.Name(), parts, count, got, limit)
			}
			for e2 := end + 1; e2 < end+100; e2++ {
				if utf8.RuneStart(b[e2]) && with(e2) <= limit {
					t.Errorf("%s: %q: prefix %d is not the longest, %d fits", e.Name(), parts, end, e2)
					break
				}
			}
		}
	}
}

func TestPrefixTable(t *testing.T) {
	tests := []struct {
		name         string
		text, suffix string
		limit        int
		end, count   int
	}{
		{"all fits", "hello world", "", 2, 11, 2},
		{"half fits", "hello world", "", 1, 5, 1},
		{"nothing fits", "hello world", "", 0, 0, 0},
		{"suffix alone", "hello world", "!", 1, 0, 1},
		{"suffix does not fit", "hello world", "!", 0, -1, 1},
		{"empty", "", "", 0, 0, 0},
		{"empty, no room", "", "abc", 0, -1, 1},
		{"never inside a character", "中文文字", "", 1, 6, 1},
		{"negative limit", "a", "", -1, -1, 0},
	}
	c := NewCounter(Default())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			end, count := c.Prefix([]byte(tt.text), tt.limit, []byte(tt.suffix))
			if end != tt.end || count != tt.count {
				t.Errorf("Prefix(%q, %d, %q) = %d, %d, want %d, %d", tt.text, tt.limit, tt.suffix, end, count, tt.end, tt.count)
			}
		})
	}
}
