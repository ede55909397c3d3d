package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"jlop/stream"
)

// Page shows one page of an array or of a stream of values.
var Page = Op{
	Name:  "page",
	Doc:   "one page of an array or of a stream of values, with a cursor to go on",
	Args:  "[FILE...]",
	Scope: ScopeStream,
	New: func() Run {
		p := &pageRun{Page: -1, PageSize: -1, As: "page", Oversize: "shrink"}
		p.Common.init()
		return p
	},
}

// pageRun holds the options of page.
type pageRun struct {
	Common
	Page, PageSize     int64 // -1: not given
	Cursor, CursorFile string
	Field              []string
	Lines              bool
	As                 string
	NoTotal, Drain     bool
	Wrap, GroupID, ID  string
	Hints              []string
	Workspace          string
	MissHint           string
	Oversize           string
}

const (
	defaultPageSize = 50
	// defaultMeta is the limit of the response envelope, in bytes.
	defaultMeta = 8192
	// defaultChunk bounds a page inside a string when no budget is given, in
	// tokens.
	defaultChunk = 2000
)

const (
	groupPage     = "Page"
	groupEnvelope = "Envelope"
)

func (p *pageRun) Flags() []Flag {
	own := []Flag{
		{Name: "page", Arg: "N", Doc: "the page, from 1", Value: SizeValue(&p.Page), Group: groupPage},
		{Name: "page-size", Short: "n", Arg: "M", Doc: "at most M items on a page (50)", Value: SizeValue(&p.PageSize), Group: groupPage},
		{Name: "cursor", Arg: "CURSOR", Doc: "go on where the page before ended", Value: StringValue(&p.Cursor), Group: groupPage},
		{Name: "cursor-file", Arg: "FILE", Doc: "write the cursor of the next page to FILE; empty at the end", Value: StringValue(&p.CursorFile), Group: groupPage},
		{Name: "field", Arg: "NAME,...", Doc: "the arrays that may be paged, of an object", Value: ListValue(&p.Field), Group: groupPage},
		{Name: "lines", Short: "l", Doc: "the values of the input are the items", Value: BoolValue(&p.Lines), Group: groupPage},
		{Name: "no-total", Doc: "stop reading after the page", Value: BoolValue(&p.NoTotal), Group: groupPage},
		{Name: "drain", Doc: "read the input to its end even if the page ends before it", Value: BoolValue(&p.Drain), Group: groupPage},
		{Name: "oversize", Arg: "shrink|skip|fail", Doc: "what becomes of an item larger than the budget", Value: EnumValue(&p.Oversize, "shrink", "skip", "fail"), Group: groupPage},
		{Name: "as", Arg: "page|meta|items", Doc: "the shape of the answer", Value: EnumValue(&p.As, "page", "meta", "items"), Group: groupEnvelope},
		{Name: "wrap", Arg: "mcp|tool-result", Doc: "put the answer into an MCP result or a tool_result message", Value: EnumValue(&p.Wrap, "mcp", "tool-result"), Group: groupEnvelope},
		{Name: "group-id", Arg: "ID", Doc: "group_id of the tool_result message", Value: StringValue(&p.GroupID), Group: groupEnvelope},
		{Name: "id", Arg: "ID", Doc: "id of the tool_result message", Value: StringValue(&p.ID), Group: groupEnvelope},
		{Name: "hint", Arg: "FIELD=TEXT", Doc: "the hint when the array FIELD was cut (--as meta)", Value: StringsValue(&p.Hints), Group: groupEnvelope},
		{Name: "workspace", Arg: "ROOT[:PACKAGE]", Doc: "the workspace that _meta names", Value: StringValue(&p.Workspace), Group: groupEnvelope},
		{Name: "miss-hint", Arg: "TEXT", Doc: "the hint when there is nothing: null or an empty input", Value: StringValue(&p.MissHint), Group: groupEnvelope},
	}
	budget := p.budgetFlags()
	for i := range budget {
		if budget[i].Name == "max-bytes" {
			budget[i].Env = []string{"CTXO_RESPONSE_LIMIT"}
			budget[i].EnvOnly = func() bool { return p.As == "meta" }
		}
	}
	input := slices.DeleteFunc(p.inputFlags(), func(f Flag) bool { return f.Name == "raw-input" })
	return slices.Concat(own, input, budget, p.outputFlags(), p.runFlags())
}

// pager is one run of page.
type pager struct {
	*pageRun
	*job
	bounded bool     // a budget was asked for
	cursors []string // for --cursor-file
	emitted bool
	copied  []byte // buffer
	spare   []*stream.Spool
}

func (p *pageRun) Run(_ context.Context, s *Session) error {
	g := &pager{pageRun: p}
	if err := g.start(s); err != nil {
		if p.As == "meta" {
			g.errorShape(s, err)
		}
		return err
	}
	err := g.pages()
	if err == nil && p.Drain {
		if err = g.w.Flush(); err == nil {
			err = g.r.Drain()
		}
	}
	if err == nil {
		err = g.writeCursors()
	}
	if p.As == "meta" {
		if failed := cmp.Or(err, g.failed); failed != nil && (err != nil || !g.emitted) {
			g.errorShape(s, failed)
		}
	}
	g.closeSpools()
	return g.close(err)
}

// closeSpools frees the spools of the run.
func (p *pager) closeSpools() {
	for _, sp := range p.spare {
		sp.Close()
	}
}

// spool is a spool for the run, used before or not.
func (p *pager) spool() *stream.Spool {
	n := len(p.spare)
	if n == 0 {
		return new(stream.Spool)
	}
	sp := p.spare[n-1]
	p.spare = p.spare[:n-1]
	sp.Reset()
	return sp
}

// start checks the options and opens input and output.
func (p *pager) start(s *Session) error {
	b, err := p.budget()
	if err != nil {
		return err
	}
	if err := p.validate(); err != nil {
		return err
	}
	if p.As == "meta" && !b.Bounded() {
		b.Bytes = defaultMeta
	}
	p.bounded = b.Bounded()
	g := newGauge(b)
	if p.As != "items" && p.Cursor+p.As != "meta" && p.bounded {
		if err := p.lacksRoom(g); err != nil {
			return err
		}
	}
	p.job, err = p.open(s, g)
	return err
}

// lacksRoom returns an error if g has no room for an empty page.
func (p *pageRun) lacksRoom(g *gauge) error {
	for _, more := range []bool{false, true} {
		least := p.layout().Append(nil, pageDoc{more: more, total: -1, bare: true, short: true}.append(nil))
		if u := g.over(least); u != noUnit {
			return Usagef("--max-%s %d is less than an empty page takes, %d", u, g.limit(u), g.size(u, least))
		}
	}
	return nil
}

func (p *pageRun) validate() error {
	switch {
	case p.Page == 0:
		return Usagef("--page counts from 1")
	case p.PageSize == 0:
		return Usagef("--page-size must be 1 or more")
	case p.Cursor != "" && p.Page > 0:
		return Usagef("--cursor and --page exclude each other")
	case p.Wrap == "tool-result" && (p.GroupID == "" || p.ID == ""):
		return Usagef("--wrap tool-result needs --group-id and --id")
	case p.Wrap != "tool-result" && (p.GroupID != "" || p.ID != ""):
		return Usagef("--group-id and --id go with --wrap tool-result")
	case p.As == "meta" && (p.Lines || p.Page > 0 || p.PageSize > 0):
		return Usagef("--as meta cuts one array by the budget: it takes neither --lines, --page nor --page-size")
	case p.As != "meta" && (len(p.Hints) > 0 || p.Workspace != ""):
		return Usagef("--hint and --workspace go with --as meta")
	case p.As != "items" && p.RawOutput:
		return Usagef("--raw-output goes with --as items")
	case p.Lines && (p.At != "" || len(p.Field) > 0):
		return Usagef("--lines takes the values of the input: neither --at nor --field")
	case p.Invalid == "pass":
		e := Usagef("a page cannot hold what is not JSON: --invalid pass is not for it")
		e.Hint = "--invalid skip leaves it out"
		return e
	}
	for _, h := range p.Hints {
		if field, text, ok := strings.Cut(h, "="); !ok || field == "" || text == "" {
			return Usagef("--hint is FIELD=TEXT, not %q", h)
		}
	}
	// No page begins behind the last number there is.
	size := cmp.Or(max(0, p.PageSize), defaultPageSize)
	if p.Page > math.MaxInt64/size {
		return Usagef("--page %d is too large", p.Page)
	}
	p.PageSize = max(0, p.PageSize)
	return nil
}

// pages writes what was asked for.
func (p *pager) pages() error {
	switch {
	case p.Cursor != "":
		return p.goOn()
	case p.Lines:
		return p.lines()
	}
	found := false
	for {
		ok, err := p.r.Next(nil)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		found = true
		more := true
		if p.As == "meta" {
			err = p.meta()
		} else {
			more, err = p.value()
		}
		if err != nil || !more {
			return err
		}
		if err := p.endRecord(); err != nil {
			return err
		}
	}
	if !found && p.MissHint != "" {
		return p.miss()
	}
	return nil
}

// lines pages the values of the input themselves.
func (p *pager) lines() error {
	c := p.collector(nil)
	c.collect(&itemSource{kind: cursorValues, r: p.r}, 0)
	c.inputEnd(p.r)
	return p.write(c)
}

// value pages the array in the next value of the input. It reports false if
// nothing behind the page is to be read.
func (p *pager) value() (bool, error) {
	s := p.r.Scanner()
	depth := s.Depth()
	if ok, err := stream.Descend(s, p.path); err != nil {
		return false, err
	} else if !ok {
		return true, p.nothing("there is nothing at " + p.path.String())
	}
	k, err := s.Peek()
	if err != nil {
		return false, err
	}
	base := p.r.Offset() - s.InputOffset()
	var best *collector
	switch k {
	case stream.ArrayBegin:
		best = p.collector(p.path)
		if _, err := s.Next(); err != nil {
			return false, err
		}
		best.collect(&itemSource{kind: cursorItems, s: s, base: base}, 0)
	case stream.ObjectBegin:
		if best, err = p.largest(s, base); best == nil && err != nil {
			return false, err
		}
	default:
		if err := s.Skip(); err != nil {
			return false, err
		}
	}
	if best != nil && best.stopped {
		return false, p.write(best)
	}
	if err == nil {
		err = s.SkipTo(depth)
	}
	switch {
	case best != nil && err != nil:
		// The array is complete, what is behind it is not valid.
		best.err = err
		return false, p.write(best)
	case err != nil:
		return false, err
	case best != nil:
		best.inputEnd(p.r)
		return true, p.write(best)
	case k == stream.Null && p.MissHint != "":
		return true, p.miss()
	}
	return true, p.nothing("there is no array to page")
}

// largest collects a page of each array among the members of the object that
// comes next, and returns the one whose array has the most items.
func (p *pager) largest(s *stream.Scanner, base int64) (best *collector, err error) {
	if _, err = s.Next(); err != nil {
		return nil, err
	}
	for {
		ok, err := s.More()
		if err != nil {
			return best, err
		}
		if !ok {
			_, err := s.Next()
			return best, err
		}
		name, k, err := memberName(s)
		if err != nil {
			return best, err
		}
		if k != stream.ArrayBegin || !p.candidate(name) {
			if err := s.Skip(); err != nil {
				return best, err
			}
			continue
		}
		if _, err := s.Next(); err != nil {
			return best, err
		}
		c := p.collector(p.path.Member(name))
		c.collect(&itemSource{kind: cursorItems, s: s, base: base}, 0)
		switch {
		case c.err != nil && best != nil:
			c.release()
			return best, c.err
		case c.stopped:
			if best != nil {
				best.release()
			}
			return c, nil
		case best == nil || c.total > best.total:
			best, c = c, best
		}
		if c != nil {
			c.release()
		}
	}
}

// memberName reads the name of the member that comes next and peeks at the kind
// of its value. A name that is longer than the window is cut.
func memberName(s *stream.Scanner) (string, stream.Kind, error) {
	if _, err := s.Next(); err != nil {
		return "", 0, err
	}
	var name []byte
	for {
		piece, done, err := s.Text()
		if err != nil {
			return "", 0, err
		}
		if len(name) < 4096 {
			name = append(name, piece...)
		}
		if done {
			break
		}
	}
	k, err := s.Peek()
	return string(name), k, err
}

// candidate reports whether the array of that name may be paged.
func (p *pager) candidate(name string) bool {
	return len(p.Field) == 0 || slices.Contains(p.Field, name)
}

// goOn writes the page that a cursor points at.
func (p *pager) goOn() error {
	cur, err := parseCursor(p.Cursor, "page")
	if err != nil {
		return err
	}
	if err := cur.resume(p.r, p.path, p.At != ""); err != nil {
		return err
	}
	it, text, err := p.resumed(&cur)
	if err != nil {
		return err
	}
	if text != nil {
		return p.text(text, cur)
	}
	c := p.collector(p.path)
	c.digest = cur.path
	size, sized := p.r.Size()
	if sized && size == cur.size {
		c.known = cur.total
	}
	c.collect(it, cur.index)
	if !sized && !c.stopped {
		// Who writes into a pipe expects it to be read.
		if err := p.r.Drain(); err != nil {
			return err
		}
	}
	c.size = size
	return p.write(c)
}

// resumed gives the items from a cursor's place on, or the text it is in.
func (p *pager) resumed(cur *cursor) (*itemSource, textSource, error) {
	if cur.kind == cursorValues {
		return &itemSource{kind: cursorValues, r: p.r}, nil, p.r.CountFrom(cur.line)
	}
	k := map[cursorKind]stream.Kind{cursorItems: stream.ArrayBegin, cursorMembers: stream.ObjectBegin, cursorRest: stream.String}[cur.kind]
	s, err := p.r.Inside(k, cur.offset, cur.line)
	if err == nil && cur.kind == cursorInside && !cur.isInside(s) {
		err = cur.stale()
	}
	if err == nil && (k == stream.End || k == stream.String) {
		k, err = s.Next()
	}
	if err != nil {
		return nil, nil, err
	}
	switch k {
	case stream.ArrayBegin:
		return &itemSource{kind: cursorItems, s: s}, nil, nil
	case stream.ObjectBegin:
		return &itemSource{kind: cursorMembers, s: s}, nil, nil
	case stream.String:
		if cur.kind == cursorInside {
			cur.kind, cur.total = cursorRest, -1
			cur.enter()
		}
		return nil, jsonText{s}, nil
	}
	return nil, nil, Usagef("--cursor: there is nothing to page inside a %s", k)
}

// text writes a page of a string: one item, which is as much of it as fits.
func (p *pager) text(src textSource, cur cursor) error {
	g := p.g
	if !p.bounded {
		g = newGauge(Budget{Tokens: defaultChunk, Encoding: p.g.Encoding, Scale: p.g.Scale})
	}
	left := int64(-1)
	if cur.total >= 0 {
		left = cur.total - cur.index
	}
	held, over, err := holdText(g, src, nil, false, !p.RawOutput, left)
	if err != nil {
		return err
	}
	total := cur.index + held.chars
	tokens := cur.tokens
	if cur.total < 0 {
		tokens = held.tokens
	}
	d := pageDoc{what: "Chars", first: cur.index, total: total, byBudget: true}
	render := func(dst []byte, part part) []byte {
		d.items = p.shown(stream.AppendQuoted(nil, part.head))
		d.returned, d.more, d.next = part.kept, part.omitted > 0, ""
		if d.more {
			d.next = held.rest(cur, len(part.head), total, tokens)
		}
		return p.final(dst, &d)
	}
	whole := part{head: held.head, kept: held.chars}
	for _, d.bare = range []bool{false, true} {
		if !over {
			if text := render(nil, whole); g.over(text) == noUnit {
				return p.emitFinal(text)
			}
		}
		if best, ok := (cut{Head: -1, Tail: 0, Quoted: !p.RawOutput, Render: render}).fit(g, held); ok && best.kept > 0 {
			text := render(nil, best)
			if err := p.tellText(cur, &d, g, best.stop); err != nil {
				return err
			}
			return p.emitFinal(text)
		}
	}
	p.Errorf(fmt.Errorf("--cursor: %s has no room for any of the text: %w", g.Budget, ErrBudget))
	render(nil, part{omitted: held.chars})
	// The same cursor again would lead nowhere.
	d.items, d.next, d.bare = nil, "", false
	_, text := p.degrade(d)
	return p.emitFinal(text)
}

// tellText says where it was asked for that a page of a string is not its end.
func (p *pager) tellText(cur cursor, d *pageDoc, g *gauge, stop Unit) error {
	p.leave(d.next)
	p.cut = true
	if stop == noUnit {
		stop = g.unit()
	}
	if p.Check {
		return p.Find(Place{File: p.r.Name(), Line: cur.line},
			fmt.Sprintf("%d of %d chars are on the page, stopped by %s", d.returned, d.total, g.name(stop)))
	}
	return p.note(change{
		File: p.r.Name(), Line: cur.line, Offset: cur.offset, Rule: "page", Unit: Chars.String(),
		Before: d.total, After: d.returned, Limit: g.name(stop),
	})
}

// nothing answers for a value that holds no array.
func (p *pager) nothing(what string) error {
	if p.MissHint != "" {
		return p.miss()
	}
	e := Usagef("%s: %s", p.r.Name(), what)
	e.Hint = "--at names an array, --lines pages the values themselves"
	return e
}

// miss writes the graceful miss of the response envelope.
func (p *pager) miss() error {
	o := newObject(nil)
	o.bool("found", false)
	o.str("hint", p.MissHint)
	return p.emit(o.end())
}

// errorShape writes the error of the response envelope, to standard output
// wherever the data go.
func (p *pager) errorShape(s *Session, err error) {
	if errors.Is(err, ErrFound) || p.Check {
		return
	}
	if p.job != nil && p.file == nil {
		// A failure here has come up before or comes up again.
		_ = p.w.Flush()
	}
	o := newObject(nil)
	o.bool("error", true)
	o.str("message", message(err))
	w := stream.NewWriter(s.Stdout, p.layout())
	p.message(w, p.layout().Append(nil, o.end()))
	_ = w.Flush()
}

// emit writes a document in the layout and the wrapping that were asked for.
func (p *pager) emit(doc []byte) error { return p.emitFinal(p.layout().Append(nil, doc)) }

// emitFinal writes a document that is laid out. Where there are no items, no
// line is written for them.
func (p *pager) emitFinal(doc []byte) error {
	p.emitted = true
	if p.Check || p.As == "items" && len(doc) == 0 && p.Wrap == "" {
		return nil
	}
	return p.message(p.w, doc)
}

// message writes a document in the wrapping that was asked for.
func (p *pager) message(w *stream.Writer, doc []byte) error {
	before, after := p.wrapping()
	if p.Wrap != "" {
		doc = stream.AppendEscaped(nil, doc)
	}
	w.Begin()
	w.Write(before)
	w.Write(doc)
	w.Write(after)
	return p.endLine(w)
}

// emitFrom is emit of a document of any size, in the layout given.
func (p *pager) emitFrom(doc io.Reader, l stream.Layout) error {
	p.emitted = true
	if p.Check {
		return nil
	}
	before, after := p.wrapping()
	p.w.Begin()
	p.w.Write(before)
	out, esc := io.Writer(p.w), &escapeWriter{w: p.w}
	if p.Wrap != "" {
		out = esc
	}
	if p.copied == nil {
		p.copied = make([]byte, 32<<10)
	}
	if _, err := io.CopyBuffer(l.Writer(out), struct{ io.Reader }{doc}, p.copied); err != nil {
		return err
	}
	esc.end()
	p.w.Write(after)
	return p.endLine(p.w)
}

// endLine ends what has been written with a line feed.
func (p *pager) endLine(w *stream.Writer) error {
	w.End()
	if !p.layout().Framed() {
		w.Write([]byte{'\n'})
	}
	return w.Err()
}

// wrapping is what stands before and behind the document in the message that
// carries it as a string.
func (p *pager) wrapping() (before, after []byte) {
	o := newObject(nil)
	switch p.Wrap {
	case "mcp":
		text := newObject(nil)
		text.str("type", "text")
		text.raw("text", []byte{'"'})
		o.raw("content", append([]byte{'['}, text.b...))
		return o.b, []byte(`"}]}`)
	case "tool-result":
		o.str("type", "tool_result")
		o.str("group_id", p.GroupID)
		o.str("id", p.ID)
		o.raw("text", []byte{'"'})
		return o.b, []byte(`"}`)
	}
	return nil, nil
}

// An escapeWriter escapes text for a JSON string.
type escapeWriter struct {
	w    io.Writer
	buf  []byte
	held []byte // the beginning of a character
}

func (e *escapeWriter) Write(p []byte) (int, error) {
	text := append(e.held, p...)
	n := len(text)
	for i := n - 1; i >= 0 && n-i < utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				n = i
			}
			break
		}
	}
	e.buf = stream.AppendEscaped(e.buf[:0], text[:n])
	e.held = append(e.held[:0], text[n:]...)
	if _, err := e.w.Write(e.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// end writes what was held back. An error comes up again at the next write.
func (e *escapeWriter) end() {
	_, _ = e.w.Write(stream.AppendEscaped(e.buf[:0], e.held))
}

// leave keeps the cursor of the next page for the file that was asked for, or
// tells it on standard error where the page itself has no room for it.
func (p *pager) leave(cursor string) {
	switch {
	case cursor == "" || p.Check:
	case p.CursorFile != "":
		p.cursors = append(p.cursors, cursor)
	case p.As == "items":
		p.say("cursor: " + cursor)
	}
}

// writeCursors writes the cursors of the next pages to the file that was asked
// for.
func (p *pager) writeCursors() error {
	if p.CursorFile == "" || p.Check {
		return nil
	}
	// Who finds a cursor may rely on the page before it.
	if err := p.w.Flush(); err != nil {
		return err
	}
	text := ""
	for _, c := range p.cursors {
		text += c + "\n"
	}
	if err := os.WriteFile(p.CursorFile, []byte(text), 0o666); err != nil {
		return fmt.Errorf("--cursor-file: %w", err)
	}
	return nil
}
