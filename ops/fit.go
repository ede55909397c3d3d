package ops

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"jlop/stream"
)

// Fit makes each value fit the budget in the way that goes with its type.
var Fit = Op{
	Name:  "fit",
	Doc:   "cut texts, page arrays and summarize objects, each to the budget",
	Args:  "[FILE...]",
	Scope: ScopeRecord,
	New: func() Run {
		f := &fitRun{Head: -1, Tail: -1, PageSize: defaultPageSize, now: time.Now}
		f.Common.init()
		return f
	},
}

// fitRun holds the options of fit.
type fitRun struct {
	Common
	Head, Tail int64 // -1: not given
	PageSize   int64
	KeepShape  bool
	Tool       string
	Cursor     string

	now func() time.Time
}

const groupFit = "Fit"

func (f *fitRun) Flags() []Flag {
	own := []Flag{
		{Name: "page-size", Short: "n", Arg: "M", Doc: "show at most M items of an array", Value: SizeValue(&f.PageSize), Group: groupFit},
		{Name: "keep-shape", Doc: "cut objects as truncate does, instead of summarizing them", Value: BoolValue(&f.KeepShape), Group: groupFit},
		{Name: "tool", Arg: "NAME", Doc: "the tool that the values come from, to be named in rate limits", Value: StringValue(&f.Tool), Group: groupFit},
		{Name: "head", Arg: "N", Doc: "keep N units of the budget of a text's beginning", Value: SizeValue(&f.Head), Group: groupFit},
		{Name: "tail", Arg: "N", Doc: "keep N units of the budget of a text's end; 0: head only", Value: SizeValue(&f.Tail), Group: groupFit},
		{Name: "cursor", Arg: "CURSOR", Doc: "go on behind what was shown", Value: StringValue(&f.Cursor), Group: groupFit},
	}
	return slices.Concat(own, f.inputFlags(), f.budgetFlags(), f.outputFlags(), f.runFlags())
}

// resultFitter is one run of fit. Texts are those of truncate, objects those of
// summarize, arrays those of page.
type resultFitter struct {
	summarizer
	run      *fitRun
	pages    *pager
	pageable bool           // the budget has room for a page
	items    stream.Scanner // of a value that is held
	limited  rateLimit
}

func (f *fitRun) Run(_ context.Context, s *Session) error {
	b, err := f.budget()
	if err != nil {
		return err
	}
	if f.PageSize < 1 {
		return Usagef("--page-size must be 1 or more")
	}
	if !b.Bounded() {
		b.Tokens = defaultTokens
	}
	g := newGauge(b)
	t := &truncateRun{Common: f.Common, Head: f.Head, Tail: f.Tail, Cursor: f.Cursor}
	j, err := t.open(s, g)
	if err != nil {
		return err
	}
	r := &resultFitter{run: f}
	r.limited.s = &r.items
	r.summarizer = summarizer{
		truncater: truncater{truncateRun: t, job: j, bounded: true},
		depth:     1, tree: newPreviewer(g, 1, false),
	}
	p := &pageRun{Common: t.Common, PageSize: f.PageSize, As: "page", Oversize: "shrink", Cursor: f.Cursor}
	p.RawOutput = false // a page is no text
	r.pages = &pager{pageRun: p, job: j, bounded: true}
	r.pageable = p.lacksRoom(g) == nil
	switch {
	case f.Cursor != "":
		err = r.goOn()
	case f.RawInput:
		err = r.text()
	default:
		err = r.eachValue(r.part)
	}
	r.pages.closeSpools()
	return j.close(err)
}

// goOn reads on where a cursor points, whatever it is in.
func (f *resultFitter) goOn() error {
	cur, err := parseCursor(f.run.Cursor, "fit")
	if err != nil {
		return err
	}
	if cur.kind == cursorRest || cur.kind == cursorPlain || f.RawInput {
		return f.truncater.goOn()
	}
	if err := f.pages.lacksRoom(f.g); err != nil {
		return err
	}
	return f.pages.goOn()
}

// part makes the value that comes next fit.
func (f *resultFitter) part(s *stream.Scanner) error {
	k, err := s.Peek()
	if err != nil {
		return err
	}
	if k == stream.String {
		return f.fitted(s)
	}
	at := f.here(s, cursorInside)
	mark := s.State()
	least := f.exact()
	if k == stream.ObjectBegin {
		least = estimateLimit // it may be a rate limit, or tokens are counted
	}
	f.hold.begin(f.g, f.layout(), least)
	err = s.CopyValue(&f.hold)
	if err != nil && !errors.Is(err, errOver) {
		return err
	}
	whole := err == nil
	if whole && k == stream.ObjectBegin && len(f.hold.raw) <= estimateLimit {
		if done, err := f.rateLimited(at); done || err != nil {
			return err
		}
	}
	fits := whole && f.hold.fits()
	if k == stream.ArrayBegin && f.pageable && (!fits || f.long(f.hold.raw)) {
		s.Unread(mark, f.hold.raw)
		return f.page(s, at)
	}
	if fits {
		_, err := f.w.Value().Write(f.hold.raw)
		return err
	}
	if k == stream.ObjectBegin && !f.run.KeepShape {
		return f.summarize(s, at, mark, false)
	}
	at.cursor.inside(f.hold.raw)
	return f.shrink(s, at, mark)
}

// long reports whether an array has more items than a page.
func (f *resultFitter) long(array []byte) bool {
	if int64(bytes.Count(array, []byte{','})) < f.run.PageSize {
		return false
	}
	s := &f.items
	s.Reset(bytes.NewReader(array), stream.Options{})
	if _, err := s.Next(); err != nil {
		return false
	}
	for n := int64(0); ; n++ {
		if ok, err := s.More(); !ok || err != nil {
			return false
		}
		if n == f.run.PageSize {
			return true
		}
		if err := s.Skip(); err != nil {
			return false
		}
	}
}

// page writes the first page of the array that comes next.
func (f *resultFitter) page(s *stream.Scanner, at *site) error {
	from := s.InputOffset()
	c := f.pages.collector(f.path)
	defer c.release()
	base := f.r.Offset() - from
	if _, err := s.Next(); err != nil {
		return err
	}
	c.collect(&itemSource{kind: cursorItems, s: s, base: base}, 0)
	if c.err != nil {
		return c.err
	}
	size := s.InputOffset() - from
	c.inputEnd(f.r)
	d, _ := f.pages.fit(c)
	doc := d.append(nil)
	if _, err := f.w.Value().Write(doc); err != nil {
		return err
	}
	if !d.more && len(c.cuts) == 0 {
		// All of it is there, without the white space.
		return f.changedBy("page", at, f.sizes(at, size), doc, noUnit)
	}
	return f.pages.tell(c, &d)
}
