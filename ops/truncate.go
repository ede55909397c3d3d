package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"jlop/stream"
)

// Truncate cuts each value to the budget and keeps its shape.
var Truncate = Op{
	Name:  "truncate",
	Doc:   "cut each value to the budget, its shape kept, the cut marked and resumable",
	Args:  "[FILE...]",
	Scope: ScopeRecord,
	New: func() Run {
		t := &truncateRun{Head: -1, Tail: -1}
		t.Common.init()
		return t
	},
}

// truncateRun holds the options of truncate.
type truncateRun struct {
	Common
	Head, Tail int64 // -1: not given
	MaxString  int64
	Cursor     string
}

// defaultTokens is the budget of a result where none is given.
const defaultTokens = 2000

const groupCut = "Cut"

func (t *truncateRun) Flags() []Flag {
	own := []Flag{
		{Name: "head", Arg: "N", Doc: "keep N units of the budget of a text's beginning", Value: SizeValue(&t.Head), Group: groupCut},
		{Name: "tail", Arg: "N", Doc: "keep N units of the budget of a text's end; 0: head only", Value: SizeValue(&t.Tail), Group: groupCut},
		{Name: "max-string", Arg: "N", Doc: "cut every string to N chars, copy the rest", Value: BudgetValue(&t.MaxString), Group: groupCut},
		{Name: "cursor", Arg: "CURSOR", Doc: "read on in the value that was cut", Value: StringValue(&t.Cursor), Group: groupCut},
	}
	return slices.Concat(own, t.inputFlags(), t.budgetFlags(), t.outputFlags(), t.runFlags())
}

// truncater is one run of truncate.
type truncater struct {
	*truncateRun
	*job
	bounded bool

	hold    valueHolder
	capped  stream.Spool // the value with its strings cut, if a budget bounds it too
	whole   *site        // of that value in the input
	fit     checker
	raw     []byte // of the string that is being read
	scratch []byte
	escaped []byte
	hint    string // of the rest of a text printed with -r
}

func (t *truncateRun) Run(_ context.Context, s *Session) error {
	b, err := t.budget()
	if err != nil {
		return err
	}
	bounded := b.Bounded()
	switch {
	case t.MaxString > 0 && !bounded && (t.Head >= 0 || t.Tail >= 0):
		return Usagef("--head and --tail divide a budget, not --max-string")
	case t.MaxString > 0 && t.RawInput:
		return Usagef("--max-string caps strings in JSON, -R reads text")
	case t.MaxString > 0 && t.Cursor != "":
		return Usagef("--cursor and --max-string exclude each other")
	}
	if !bounded && t.MaxString == 0 {
		b.Tokens, bounded = defaultTokens, true
	}
	g := newGauge(b)
	j, err := t.open(s, g)
	if err != nil {
		return err
	}
	r := &truncater{truncateRun: t, job: j, bounded: bounded}
	if t.Cursor != "" {
		err = r.goOn()
	} else {
		err = r.values()
	}
	r.capped.Close()
	return j.close(err)
}

// values cuts the values of the input one after the other.
func (t *truncater) values() error {
	if t.RawInput {
		return t.text()
	}
	return t.eachValue(t.part)
}

// part cuts the value that comes next.
func (t *truncater) part(s *stream.Scanner) error {
	if t.MaxString == 0 {
		return t.fitted(s)
	}
	if !t.bounded {
		return t.strings(s, t.w.Value())
	}
	// What the strings leave is what the budget bounds. A cursor leads back to
	// the value as it was before.
	if _, err := s.Peek(); err != nil {
		return err
	}
	t.whole = t.here(s, cursorInside)
	t.whole.cursor.inside(nil)
	defer func() { t.whole = nil }()
	t.capped.Reset()
	if err := t.strings(s, &t.capped); err != nil {
		return err
	}
	return t.fitted(stream.NewScanner(t.capped.Reader(), stream.Options{Name: t.r.Name()}))
}

// fitted cuts the value that comes next to the budget.
func (t *truncater) fitted(s *stream.Scanner) error {
	k, err := s.Peek()
	if err != nil {
		return err
	}
	at := t.whole
	if at == nil {
		at = t.here(s, cursorInside)
	}
	if k == stream.String {
		if _, err := s.Next(); err != nil {
			return err
		}
		if t.whole == nil {
			at.cursor.kind = cursorRest
			at.cursor.enter()
		}
		return t.str(jsonText{s}, at)
	}
	mark := s.State()
	t.hold.begin(t.g, t.c.layout(), t.exact())
	switch err := s.CopyValue(&t.hold); {
	case err == nil && t.hold.fits():
		_, err := t.w.Value().Write(t.hold.raw)
		return err
	case err != nil && !errors.Is(err, errOver):
		return err
	}
	if t.whole == nil {
		at.cursor.inside(t.hold.raw)
	}
	return t.shrink(s, at, mark)
}

// shrink cuts a value that is not a string and does not fit. It begins at mark
// and has been read as far as t.hold has it.
func (t *truncater) shrink(s *stream.Scanner, at *site, mark stream.State) error {
	s.Unread(mark, t.hold.raw)
	if t.Check {
		if err := s.Skip(); err != nil {
			return err
		}
		return t.changed(at, t.sizes(at, s.InputOffset()-mark.Offset), nil, noUnit)
	}
	sk, err := t.g.skeleton(s)
	if err != nil {
		return err
	}
	size := t.sizes(at, s.InputOffset()-mark.Offset)
	out := sk.fit(shrinkOptions{
		Render: func(dst, value []byte) []byte { return t.c.layout().Append(dst, value) },
		Cursor: func(int64) string { return at.cursor.String() },
	})
	if out.Stub {
		t.Errorf(at.wrap(fmt.Errorf("the value of %d bytes cannot be cut to %s: %w", size, t.g.Budget, ErrBudget)))
	}
	if _, err := t.w.Value().Write(out.Text); err != nil {
		return err
	}
	return t.changed(at, size, out.Text, out.Stop)
}

// sizes notes the size of the value at a site, of which t.hold has the first
// bytes.
func (t *truncater) sizes(at *site, size int64) int64 {
	if t.exact() > 0 {
		at.before = t.g.estimate(t.hold.raw, size)
		at.chars = countChars(t.hold.raw) + max(0, size-int64(len(t.hold.raw)))
	}
	return size
}

// exact is how many bytes of a value are held, although it is known that it
// does not fit, so that its tokens are counted and not extrapolated.
func (t *truncater) exact() int {
	if t.Check || t.report != nil {
		return estimateLimit
	}
	return 0
}

// A site is where a value stands that is cut.
type site struct {
	cursor  cursor
	name    string
	offset  int64 // in the input of that name
	col     int64
	pointer string
	before  int64 // tokens of the value
	chars   int64 // of the value
}

// here is the site of the value that comes next.
func (t *truncater) here(s *stream.Scanner, kind cursorKind) *site {
	base := t.r.Offset() - s.InputOffset()
	at := &site{cursor: placeOf(kind, s, base), name: t.r.Name(), offset: s.InputOffset()}
	_, at.col = s.Position(s.InputOffset())
	at.pointer = s.Pointer()
	at.cursor.path = t.path.Digest()
	at.cursor.in = t.r
	return at
}

func (at *site) place() Place {
	return Place{File: at.name, Line: at.cursor.line, Col: at.col, Pointer: at.pointer}
}

// wrap says where an error is.
func (at *site) wrap(err error) error {
	in := ""
	if at.pointer != "" {
		in = " (in " + at.pointer + ")"
	}
	return fmt.Errorf("%s: %w%s", at.place(), err, in)
}

// changed says in the report, or as a finding, that the value at a site was cut
// from bytes to text.
func (t *truncater) changed(at *site, bytes int64, text []byte, stop Unit) error {
	return t.changedBy("truncate", at, bytes, text, stop)
}

// changedBy is changed by the rule of that name.
func (t *truncater) changedBy(rule string, at *site, bytes int64, text []byte, stop Unit) error {
	t.cut = true
	u := stop
	if u == noUnit {
		u = t.g.unit()
	}
	before := [...]int64{Tokens: at.before, Bytes: bytes, Chars: at.chars}[u]
	limit := t.g.limit(u)
	return t.note(at, change{Rule: rule, Unit: u.String(), Before: before, After: t.g.size(u, text), Limit: fmt.Sprintf("%d %s", limit, u)})
}

// note writes a change at a site to the report or, with --check, as a finding.
func (t *truncater) note(at *site, c change) error {
	if t.Check {
		limit, _, _ := strings.Cut(c.Limit, " ")
		n, _ := strconv.ParseInt(limit, 10, 64)
		text := fmt.Sprintf("%d %s, %d over the budget of %s", c.Before, c.Unit, c.Before-n, limit)
		return t.Find(at.place(), text+t.g.estimated(c.Unit))
	}
	if t.report == nil {
		return nil
	}
	c.File, c.Line, c.Offset, c.Pointer = at.name, at.cursor.line, at.offset, at.pointer
	return t.report.write(c)
}
