package ops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"jlop/stream"
)

// Page shows one page of an array or of a stream of values.
var Page = Op{
	Name:  "page",
	Doc:   "one page of an array or of a stream of values, with a cursor to go on",
	Args:  "[FILE...]",
	Scope: ScopeStream,
	New: func() Run {
		p := &pageRun{}
		p.Common.init()
		return p
	},
}

// pageRun holds the options of page.
type pageRun struct {
	Common
	Page, PageSize     int64
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
	p.As, p.Oversize = "page", "shrink"
	own := []Flag{
		{Name: "page", Arg: "N", Doc: "the page, from 1", Value: SizeValue(&p.Page), Group: groupPage},
		{Name: "page-size", Short: "n", Arg: "M", Doc: "at most M items on a page (50)", Value: SizeValue(&p.PageSize), Group: groupPage},
		{Name: "cursor", Arg: "CURSOR", Doc: "go on where the page before ended", Value: StringValue(&p.Cursor), Group: groupPage},
		{Name: "cursor-file", Arg: "FILE", Doc: "write the cursor of the next page to FILE; empty at the end", Value: StringValue(&p.CursorFile), Group: groupPage},
		{Name: "field", Arg: "NAME,...", Doc: "the arrays that may be paged, of an object", Value: ListValue(&p.Field), Group: groupPage},
		{Name: "lines", Short: "l", Doc: "the values of the input are the items", Value: BoolValue(&p.Lines), Group: groupPage},
		{Name: "no-total", Doc: "stop reading after the page", Value: BoolValue(&p.NoTotal), Group: groupPage},
		{Name: "drain", Doc: "with --no-total: read the rest and discard it", Value: BoolValue(&p.Drain), Group: groupPage},
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
	return slices.Concat(own, p.inputFlags(), budget, p.outputFlags(), p.runFlags())
}

// pager is one run of page.
type pager struct {
	*pageRun
	*job
	bounded bool // a budget was asked for
	cursor  string
}

func (p *pageRun) Run(_ context.Context, s *Session) (err error) {
	b, err := p.budget()
	if err != nil {
		return err
	}
	if err := p.validate(&b); err != nil {
		return err
	}
	j, err := p.open(s, newGauge(b))
	if err != nil {
		return err
	}
	g := &pager{pageRun: p, job: j, bounded: b.Bounded()}
	err = g.pages()
	if err == nil {
		err = g.leaveCursor()
	}
	if err != nil && p.As == "meta" && !errors.Is(err, ErrFound) {
		g.errorShape(err)
	}
	return j.close(err)
}

func (p *pageRun) validate(b *Budget) error {
	switch {
	case p.RawInput:
		return Usagef("page takes JSON; jlop truncate -R cuts text")
	case p.Cursor != "" && p.Page > 0:
		return Usagef("--cursor and --page exclude each other")
	case p.Wrap == "tool-result" && (p.GroupID == "" || p.ID == ""):
		return Usagef("--wrap tool-result needs --group-id and --id")
	case p.Wrap != "tool-result" && (p.GroupID != "" || p.ID != ""):
		return Usagef("--group-id and --id go with --wrap tool-result")
	case p.As == "meta" && (p.Lines || p.Page > 0):
		return Usagef("--as meta cuts one array by the budget: it takes neither --lines nor --page")
	case p.As != "meta" && (len(p.Hints) > 0 || p.Workspace != ""):
		return Usagef("--hint and --workspace go with --as meta")
	case p.Lines && (p.At != "" || len(p.Field) > 0):
		return Usagef("--lines takes the values of the input: neither --at nor --field")
	case p.Drain && !p.NoTotal:
		return Usagef("--drain goes with --no-total")
	}
	for _, h := range p.Hints {
		if field, text, ok := strings.Cut(h, "="); !ok || field == "" || text == "" {
			return Usagef("--hint is FIELD=TEXT, not %q", h)
		}
	}
	if p.As == "meta" && !b.Bounded() {
		b.Bytes = defaultMeta
	}
	if p.As == "page" && b.Bounded() {
		least := p.least()
		g := newGauge(*b)
		if u := g.over(least); u != noUnit {
			return Usagef("--max-%s %d is less than an empty page takes, %d", u, b.limit(u), g.size(u, least))
		}
	}
	return nil
}

// least is the smallest page there is.
func (p *pageRun) least() []byte {
	return pageDoc{more: true, total: -1, byBudget: true, bare: true}.append(nil)
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
		if p.As == "meta" {
			err = p.meta()
		} else {
			err = p.value()
		}
		if err != nil {
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
	c := p.collector()
	if err := c.collect(&valueItems{r: p.r}, 0); err != nil {
		return err
	}
	c.inputEnd(p.r)
	return p.write(c)
}

// value pages the array in the next value of the input.
func (p *pager) value() error {
	s := p.r.Scanner()
	depth := s.Depth()
	if ok, err := stream.Descend(s, p.path); err != nil {
		return err
	} else if !ok {
		return p.nothing("there is nothing at " + p.path.String())
	}
	k, err := s.Peek()
	if err != nil {
		return err
	}
	base := p.r.Offset() - s.InputOffset()
	var best *collector
	switch k {
	case stream.ArrayBegin:
		best = p.collector()
		best.path = p.path
		if _, err := s.Next(); err != nil {
			return err
		}
		if err := best.collect(&arrayItems{s: s, base: base}, 0); err != nil {
			return err
		}
	case stream.ObjectBegin:
		if best, err = p.largest(s, base); err != nil {
			return err
		}
	case stream.Null:
		if p.MissHint != "" {
			if err := s.Skip(); err != nil {
				return err
			}
			return p.miss()
		}
	}
	if best != nil && best.stopped {
		return p.write(best)
	}
	if best == nil && k != stream.ObjectBegin {
		if err := s.Skip(); err != nil {
			return err
		}
	}
	if err := s.SkipTo(depth); err != nil {
		return err
	}
	if best == nil {
		return p.nothing("there is no array to page")
	}
	best.inputEnd(p.r)
	return p.write(best)
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
			return nil, err
		}
		if !ok {
			_, err := s.Next()
			return best, err
		}
		name, k, err := memberName(s)
		if err != nil {
			return nil, err
		}
		if k != stream.ArrayBegin || !p.candidate(name) {
			if err := s.Skip(); err != nil {
				return nil, err
			}
			continue
		}
		if _, err := s.Next(); err != nil {
			return nil, err
		}
		c := p.collector()
		c.path = p.path.Member(name)
		if err := c.collect(&arrayItems{s: s, base: base}, 0); err != nil {
			return nil, err
		}
		if c.stopped {
			return c, nil
		}
		if best == nil || c.total > best.total {
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
	c := p.collector()
	c.digest = cur.path
	if size, ok := p.r.Size(); ok && size == cur.size {
		c.known = cur.total
	}
	it, text, err := p.resumed(&cur)
	if err != nil {
		return err
	}
	if text != nil {
		return p.text(text, cur)
	}
	if err := c.collect(it, cur.index); err != nil {
		return err
	}
	if c.total >= 0 && c.known < 0 {
		if err := p.r.Drain(); err != nil {
			return err
		}
		c.inputEnd(p.r)
	} else {
		c.size = cur.size
	}
	return p.write(c)
}

// resumed gives the items from a cursor's place on, or the text it is in.
func (p *pager) resumed(cur *cursor) (itemSource, textSource, error) {
	if cur.kind == cursorValues {
		return &valueItems{r: p.r}, nil, nil
	}
	k := map[cursorKind]stream.Kind{cursorItems: stream.ArrayBegin, cursorMembers: stream.ObjectBegin, cursorRest: stream.String}[cur.kind]
	s, err := p.r.Inside(k, cur.offset, cur.line)
	if err == nil && (k == stream.End || k == stream.String) {
		k, err = s.Next()
	}
	if err != nil {
		return nil, nil, err
	}
	switch k {
	case stream.ArrayBegin:
		return &arrayItems{s: s}, nil, nil
	case stream.ObjectBegin:
		return &memberItems{s: s}, nil, nil
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
	held, over, err := holdText(g, src, nil, false, true, left)
	if err != nil {
		return err
	}
	total := cur.index + held.chars
	tokens := cur.tokens
	if cur.total < 0 {
		tokens = held.tokens
	}
	var doc []byte
	next := ""
	render := func(dst []byte, part part) []byte {
		item := stream.AppendQuoted(nil, part.head)
		next = ""
		if part.omitted > 0 {
			next = held.rest(cur, len(part.head), total, tokens)
		}
		if p.As == "items" {
			doc = item
			return append(dst, item...)
		}
		d := pageDoc{
			items: item, what: "Chars", first: cur.index, returned: part.kept, total: total,
			byBudget: true, more: part.omitted > 0, next: next,
		}
		doc = d.append(nil)
		return p.final(dst, doc)
	}
	if !over {
		if g.over(render(nil, part{head: held.head, kept: held.chars})) == noUnit {
			return p.emit(doc)
		}
	}
	best, ok := cut{Head: -1, Tail: 0, Quoted: true, Render: render}.fit(g, held)
	if !ok || best.kept == 0 {
		return fmt.Errorf("--cursor: %s has no room for any of the text: %w", g.Budget, ErrBudget)
	}
	render(nil, best)
	p.cursor = next
	return p.emit(doc)
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

// errorShape writes the error of the response envelope.
func (p *pager) errorShape(err error) {
	o := newObject(nil)
	o.bool("error", true)
	o.str("message", err.Error())
	p.emit(o.end())
}

// emit writes a document in the layout and the wrapping that were asked for.
func (p *pager) emit(doc []byte) error { return p.emitFinal(p.final(nil, doc)) }

// final appends doc as the model reads it.
func (p *pager) final(dst, doc []byte) []byte {
	if p.As == "items" {
		return append(dst, doc...)
	}
	return p.c.layout().Append(dst, doc)
}

// emitFinal writes a document that is laid out.
func (p *pager) emitFinal(doc []byte) error {
	before, after := p.wrapping()
	p.w.Begin()
	p.w.Write(before)
	if p.Wrap != "" {
		doc = stream.AppendEscaped(nil, doc)
	}
	p.w.Write(doc)
	p.w.Write(after)
	return p.endLine()
}

// emitFrom is emit of a document of any size.
func (p *pager) emitFrom(doc io.Reader) error {
	before, after := p.wrapping()
	var out io.Writer = p.w
	if p.Wrap != "" {
		out = &escapeWriter{w: p.w}
	}
	p.w.Begin()
	p.w.Write(before)
	if _, err := io.Copy(p.c.layout().Writer(out), doc); err != nil {
		return err
	}
	p.w.Write(after)
	return p.endLine()
}

// endLine ends what has been written with a line feed.
func (p *pager) endLine() error {
	p.w.End()
	if !p.c.layout().Framed() {
		p.w.Write([]byte{'\n'})
	}
	return p.w.Err()
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

// An escapeWriter escapes JSON for a string. JSON that is valid UTF-8 has only
// quotes and backslashes to escape, and line breaks in its layout.
type escapeWriter struct {
	w   io.Writer
	buf []byte
}

func (e *escapeWriter) Write(p []byte) (int, error) {
	e.buf = e.buf[:0]
	for _, c := range p {
		switch c {
		case '"', '\\':
			e.buf = append(e.buf, '\\', c)
		case '\n':
			e.buf = append(e.buf, `\n`...)
		case '\r':
			e.buf = append(e.buf, `\r`...)
		case '\t':
			e.buf = append(e.buf, `\t`...)
		default:
			e.buf = append(e.buf, c)
		}
	}
	if _, err := e.w.Write(e.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// leaveCursor writes the cursor of the next page to the file that was asked
// for, or, where the page itself has no room for it, to standard error.
func (p *pager) leaveCursor() error {
	if p.CursorFile != "" {
		text := p.cursor
		if text != "" {
			text += "\n"
		}
		if err := os.WriteFile(p.CursorFile, []byte(text), 0o666); err != nil {
			return fmt.Errorf("--cursor-file: %w", err)
		}
		return nil
	}
	if p.As == "items" && p.cursor != "" {
		fmt.Fprintf(p.Stderr, "jlop: cursor: %s\n", p.cursor)
	}
	return nil
}
