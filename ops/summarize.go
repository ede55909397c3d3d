package ops

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"jlop/stream"
)

// Summarize gives a preview of what is in each value.
var Summarize = Op{
	Name:  "summarize",
	Doc:   "give key-level previews, array lengths, inferred shapes and content types",
	Args:  "[FILE...]",
	Scope: ScopeRecord,
	New: func() Run {
		r := &summarizeRun{Depth: 1}
		r.Common.init()
		return r
	},
}

// summarizeRun holds the options of summarize.
type summarizeRun struct {
	Common
	Depth int64
	Shape bool
}

const groupSummary = "Summary"

// maxDepth is the largest --depth.
const maxDepth = 100

func (r *summarizeRun) Flags() []Flag {
	own := []Flag{
		{Name: "depth", Arg: "N", Doc: "show what is inside down to N levels", Value: IntValue(&r.Depth), Group: groupSummary},
		{Name: "shape", Doc: "show types instead of values, also of what fits", Value: BoolValue(&r.Shape), Group: groupSummary},
	}
	return slices.Concat(own, r.inputFlags(), r.budgetFlags(), r.outputFlags(), r.runFlags())
}

// summarizer is one run of summarize. Texts that fit, places and the report are
// those of truncate.
type summarizer struct {
	truncater
	depth  int
	shapes bool
	tree   *previewer
}

func (r *summarizeRun) Run(_ context.Context, s *Session) error {
	b, err := r.budget()
	if err != nil {
		return err
	}
	if r.Depth < 1 || r.Depth > maxDepth {
		return Usagef("--depth is 1 to %d, not %d", maxDepth, r.Depth)
	}
	if !b.Bounded() {
		b.Tokens = defaultTokens
	}
	g := newGauge(b)
	z := &summarizer{
		truncater: truncater{truncateRun: &truncateRun{Common: r.Common, Head: -1, Tail: -1}},
		depth:     int(r.Depth), shapes: r.Shape, tree: newPreviewer(g, int(r.Depth), r.Shape),
	}
	if z.job, err = z.open(s, g); err != nil {
		return err
	}
	return z.close(z.values())
}

// values summarizes the values of the input one after the other.
func (z *summarizer) values() error {
	if z.RawInput {
		return z.plain()
	}
	return z.eachValue(z.part)
}

// part summarizes the value that comes next.
func (z *summarizer) part(s *stream.Scanner) error {
	k, err := s.Peek()
	if err != nil {
		return err
	}
	at := z.here(s, cursorInside)
	if k == stream.String {
		if _, err := s.Next(); err != nil {
			return err
		}
		return z.str(jsonText{s}, at)
	}
	mark := s.State()
	z.hold.begin(z.g, z.layout(), estimateLimit)
	err = s.CopyValue(&z.hold)
	if err != nil && !errors.Is(err, errOver) {
		return err
	}
	fits := err == nil && z.hold.fits()
	if fits && (!z.shapes || z.Check) {
		_, err := z.w.Value().Write(z.hold.raw)
		return err
	}
	return z.summarize(s, at, mark, fits)
}

// summarize summarizes a value that is not a string. It begins at mark and has
// been read as far as z.hold has it.
func (z *summarizer) summarize(s *stream.Scanner, at *site, mark stream.State, fits bool) error {
	at.cursor.inside(z.hold.raw)
	s.Unread(mark, z.hold.raw)
	if z.Check {
		if err := s.Skip(); err != nil {
			return err
		}
		return z.cutTo(at, z.sizes(at, s.InputOffset()-mark.Offset), nil, noUnit)
	}
	sum := summary{g: z.g, layout: z.layout(), level: summaryFull, tree: z.tree}
	if !fits {
		sum.cursor = at.cursor.String()
	} else {
		sum.level = summaryNoCursor
	}
	if err := z.read(s, &sum, mark.Offset); err != nil {
		return err
	}
	size := z.sizes(at, s.InputOffset()-mark.Offset)
	sum.tokens = at.before
	text, ok := sum.fit()
	if !ok {
		z.Errorf(at.wrap(fmt.Errorf("the value of %d bytes cannot be summarized in %s: %w", size, z.g.Budget, ErrBudget)))
	}
	if _, err := z.w.Value().Write(text); err != nil {
		return err
	}
	return z.cutTo(at, size, text, sum.stop)
}

// sizes notes the size of the value at a site, of which z.hold has the first
// bytes.
func (z *summarizer) sizes(at *site, size int64) int64 {
	at.before = z.g.estimate(z.hold.raw, size)
	at.chars = countChars(z.hold.raw) + max(0, size-int64(len(z.hold.raw)))
	return size
}

// read reads the value that comes next, which begins at the offset begin, into
// sum.
func (z *summarizer) read(s *stream.Scanner, sum *summary, begin int64) error {
	k, err := s.Next()
	if err != nil {
		return err
	}
	sum.kind = k
	sum.tree.envelope = k == stream.ObjectBegin
	if k != stream.ArrayBegin {
		if z.shapes && k != stream.ObjectBegin {
			sum.tree.inf.s = s
			return sum.tree.inf.value(k, &sum.shape, z.depth)
		}
		return sum.tree.root(s, k, nil, 0)
	}
	sum.tree.reset(s)
	for sum.items = 0; ; sum.items++ {
		if k, err = s.Next(); err != nil || k == stream.ArrayEnd {
			return err
		}
		from := s.TokenOffset() - begin
		if sum.items == 0 && !z.shapes {
			err = sum.tree.root(s, k, &sum.shape, z.depth)
		} else {
			err = sum.tree.inf.value(k, &sum.shape, z.depth)
		}
		if err != nil {
			return err
		}
		if z.shapes || int64(len(sum.first)) < sum.items {
			sum.items++
			return sum.tree.inf.counted(&sum.shape, &sum.items, z.depth)
		}
		if k == stream.String { // of which there may be more to come
			if err := endToken(s); err != nil {
				return err
			}
		}
		if to := s.InputOffset() - begin; to <= int64(len(z.hold.raw)) && to <= int64(sum.tree.room) {
			sum.first = append(sum.first, z.hold.raw[from:to])
		}
	}
}

// endToken reads the token to its end.
func endToken(s *stream.Scanner) error {
	if _, ok := s.Whole(); ok {
		return nil
	}
	for {
		if _, done, err := s.Chunk(); err != nil || done {
			return err
		}
	}
}

// cutTo says in the report, or as a finding, that the value at a site was
// summarized from bytes to text.
func (z *summarizer) cutTo(at *site, bytes int64, text []byte, stop Unit) error {
	return z.changedBy("summarize", at, bytes, text, stop)
}

// plain summarizes plain text: all inputs are one.
func (z *summarizer) plain() error {
	if ok, err := z.r.Next(nil); err != nil || !ok {
		return err
	}
	at := &site{name: z.r.Name(), col: 1, cursor: cursor{kind: cursorPlain, line: 1, in: z.r}}
	if err := z.str(&plainText{r: z.r}, at); err != nil {
		return err
	}
	if n := z.r.Replaced(); n > 0 {
		z.Warnf("%s: %d bytes are not UTF-8, each became U+FFFD", at.name, n)
	}
	return nil
}

// str summarizes the text that src gives in one line, unless it fits.
func (z *summarizer) str(src textSource, at *site) error {
	_, plain := src.(*plainText)
	var about textDescriber
	est := estimator{g: z.g}
	z.fit.g = z.g
	z.fit.reset()
	z.raw = z.raw[:0]
	fits := true
	quote := func() {
		if !z.RawOutput {
			fits = fits && z.fit.more([]byte{'"'})
		}
	}
	quote()
	size := int64(0)
	for done := false; !done; {
		var raw []byte
		var err error
		if raw, done, err = src.Chunk(); err != nil {
			return err
		}
		z.scratch = src.decode(z.scratch[:0], raw)
		about.Write(z.scratch)
		size += int64(len(raw))
		if z.Check || z.report != nil {
			est.write(z.scratch, len(raw))
		}
		if fits {
			z.raw = append(z.raw, raw...)
			if !z.RawOutput && plain {
				z.escaped = stream.AppendEscaped(z.escaped[:0], z.scratch)
				raw = z.escaped
			} else if z.RawOutput {
				raw = z.scratch
			}
			fits = z.fit.more(raw)
		}
	}
	quote()
	if fits = fits && z.fit.fits(); fits && (!z.shapes || z.Check) {
		return z.verbatim(src, plain)
	}
	at.before, _ = est.tokens()
	at.chars = about.chars
	if z.Check {
		return z.cutTo(at, size, nil, noUnit)
	}
	line, stop, ok := z.line(about.stats())
	if !ok {
		z.Errorf(at.wrap(fmt.Errorf("the string of %d chars cannot be summarized in %s: %w", about.chars, z.g.Budget, ErrBudget)))
	}
	out := z.w.Value()
	if z.RawOutput {
		out = z.w
		line = append(line, '\n')
	}
	if _, err := out.Write(line); err != nil {
		return err
	}
	return z.cutTo(at, size, line, stop)
}

// line is what is said of a text: all, or as much as fits.
func (z *summarizer) line(t textStats) (text []byte, stop Unit, ok bool) {
	stop = noUnit
	for _, say := range [...]string{t.oneLine("Text:"), "[Text: " + plural(t.Chars, "char") + "]", "[Text]"} {
		text = []byte(say)
		if !z.RawOutput {
			text = stream.AppendQuoted(nil, text)
		}
		u := z.g.over(text)
		if u == noUnit {
			return text, stop, true
		}
		stop = u
	}
	if z.RawOutput {
		return nil, stop, false
	}
	return []byte(`""`), stop, false
}

// A summaryLevel is how much is said about a value beside the previews. Levels
// are tried from the fullest on until one has room.
type summaryLevel uint8

const (
	summaryFull     summaryLevel = iota
	summaryNoCursor              // no cursor
	summarySize                  // nor the tokens
	summaryBare                  // only that it is a summary
	summaryStub                  // an empty value: the budget cannot be met
)

// shapeSteps are the numbers of names of an object that shapes are tried with.
var shapeSteps = [...]int{maxShapeKeys, 32, 16, 8, 4, 2, 0}

// A summary is a value being summarized.
type summary struct {
	g      *gauge
	layout stream.Layout
	kind   stream.Kind
	tree   *previewer // of an object, or of an array's first item
	shape  shape      // of an array's items
	items  int64
	first  [][]byte // items of an array as found
	tokens int64    // of the whole value
	cursor string

	level   summaryLevel
	most    int // names in the shape of an object
	whole   int // items that are shown as found
	shown   int // previews that are shown
	stop    Unit
	value   []byte // without layout
	final   []byte
	scratch []byte
}

// mostHeader is the share of the budget that what is not previews may take
// before less is said.
const mostHeader = 0.6

// fit lays out as much of the summary as fits. It reports false if that is a
// stub.
func (m *summary) fit() ([]byte, bool) {
	m.stop = noUnit
	if !m.header() {
		switch {
		case m.kind == stream.ObjectBegin:
			return []byte("{}"), false
		case m.kind == stream.ArrayBegin:
			return []byte("[]"), false
		case m.tree.shapes:
			return []byte(`""`), false
		case m.kind == stream.Number:
			return []byte("0"), false
		}
		return m.tree.bytes(m.tree.nodes[0].text), false
	}
	switch {
	case m.level == summaryBare:
	case m.kind == stream.ObjectBegin:
		m.previews()
	case m.kind == stream.ArrayBegin:
		m.firstItems()
	}
	m.try()
	return m.value, true
}

// try lays out the summary as it is set and reports whether it fits.
func (m *summary) try() bool {
	m.value = m.append(m.value[:0])
	m.final = m.layout.Append(m.final[:0], m.value)
	u := m.g.over(m.final)
	if u != noUnit {
		m.stop = u
	}
	return u == noUnit
}

// header finds out how much is said beside the previews.
func (m *summary) header() bool {
	m.whole, m.shown = -1, 0
	for ; m.level <= summaryBare; m.level++ {
		for _, m.most = range shapeSteps {
			if !m.try() {
				continue
			}
			if share, _ := m.g.use(m.final); share <= mostHeader || m.level >= summarySize && m.most == 0 {
				return true
			}
		}
	}
	return false
}

// firstItems finds the items of an array that are shown: as many as fit, or as
// much of the first as fits.
func (m *summary) firstItems() {
	if m.items == 0 || m.tree.shapes {
		return
	}
	n := search(len(m.first), 4, func(k int) bool {
		m.whole = k
		return k == 0 || m.try()
	})
	if m.whole = n; n > 0 {
		return
	}
	if !m.try() {
		m.whole = -1
		return
	}
	m.previews()
}

// previews finds the previews that are shown: all that come before one that does
// not fit, and behind that those that do.
func (m *summary) previews() {
	order := m.tree.rankAll()
	if m.tree.shapes {
		for _, m.most = range shapeSteps {
			if m.shown = len(order); m.most >= previewNames && m.try() {
				return
			}
		}
		m.most = previewNames
	}
	k := 1
	for range maxProbes {
		k = search(len(order), max(k, 1), func(k int) bool {
			m.shown = k
			return k == 0 || m.try()
		})
		if m.shown = k; k == len(order) {
			return
		}
		if m.try(); m.g.filled(m.final) {
			return
		}
		order = m.tree.without(order, k)
	}
}

// append appends the summary.
func (m *summary) append(dst []byte) []byte {
	if m.kind != stream.ObjectBegin && m.kind != stream.ArrayBegin {
		if m.tree.shapes {
			return stream.AppendQuoted(dst, m.shape.append(nil, 0))
		}
		return append(dst, m.tree.bytes(m.tree.nodes[0].text)...)
	}
	o := newObject(dst)
	o.bool("_summarized", true)
	if m.level == summaryBare {
		return o.end()
	}
	said := m.tree.said
	array := m.kind == stream.ArrayBegin
	switch {
	case said != nil:
		m.again(&o, "_totalKeys", "_totalItems")
	case array:
		o.int("_totalItems", m.items)
	default:
		o.int("_totalKeys", m.tree.nodes[0].size)
	}
	if m.level <= summaryNoCursor {
		if said == nil {
			o.int("_estimatedTokens", m.tokens)
		}
		m.again(&o, "_estimatedTokens")
	}
	missing := int64(0)
	if array {
		m.appendItems(&o)
	} else {
		m.again(&o, "_shape")
		missing = m.tree.nodes[0].size - m.tree.appendMembers(&o, 0, m.shown, m.most)
	}
	if m.level == summaryFull {
		if said[`"cursor"`] == nil {
			o.str("cursor", m.cursor)
		}
		m.again(&o, "cursor")
	}
	if n, err := strconv.ParseInt(string(said[`"_truncatedKeys"`]), 10, 64); err == nil && n > 0 && n < math.MaxInt32 {
		missing += n
	}
	if missing > 0 {
		o.int("_truncatedKeys", missing)
	}
	return o.end()
}

// again adds what an earlier summary has said under the names.
func (m *summary) again(o *object, names ...string) {
	for _, name := range names {
		if raw := m.tree.said[`"`+name+`"`]; raw != nil {
			o.raw(name, raw)
		}
	}
}

// appendItems adds the shape of an array's items and the first of them to o.
func (m *summary) appendItems(o *object) {
	if m.items > 0 {
		m.scratch = m.shape.appendCounted(m.scratch[:0], m.items, m.most)
		o.name("_shape")
		o.b = stream.AppendQuoted(o.b, m.scratch)
	}
	if m.whole < 0 {
		return
	}
	o.name("items")
	o.b = append(o.b, '[')
	for i, item := range m.first[:m.whole] {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.b = append(o.b, item...)
	}
	if m.whole == 0 {
		o.b = m.tree.append(o.b, 0, m.shown, m.most)
	}
	o.b = append(o.b, ']')
}
