package ops

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"jlop/stream"
	"jlop/tokenize"
)

// A pageResult is what a run of page gives.
type pageResult struct {
	Out, Err string
	Status   int
}

// runPage runs page on input, from a pipe, or from the files named.
func runPage(input string, set func(p *pageRun), files ...string) pageResult {
	var stdout, stderr bytes.Buffer
	s := &Session{Args: files, Stdin: strings.NewReader(input), Stdout: &stdout, Stderr: &stderr}
	p := Page.New().(*pageRun)
	if set != nil {
		set(p)
	}
	s.Errorf(p.Run(context.Background(), s))
	s.Close()
	return pageResult{stdout.String(), stderr.String(), s.Status()}
}

// A parsedPage is a page as a client sees it.
type parsedPage struct {
	Paginated     bool
	TotalItems    *int64
	FirstItem     int64
	ReturnedItems int64
	Page          int64
	HasMore       bool
	Items         []json.RawMessage
	Cut           []struct {
		Index, Bytes int64
		Cursor       string
	}
	NextCursor, Note string
}

func parsePage(text string) (parsedPage, error) {
	var p parsedPage
	err := json.Unmarshal([]byte(text), &p)
	if err == nil && (!p.Paginated || p.FirstItem > 0 && int64(len(p.Items)) != p.ReturnedItems && !strings.Contains(p.Note, "hars")) {
		err = fmt.Errorf("%d items on a page of %d", len(p.Items), p.ReturnedItems)
	}
	return p, err
}

// A shownItem is an item as a page shows it, and what its cursor goes into.
type shownItem struct{ text, value string }

// itemsOf are the elements of an array or the members of an object, each as an
// object of its own, as found.
func itemsOf(t failer, doc string) (all []shownItem) {
	t.Helper()
	s := stream.NewScanner(strings.NewReader(doc), stream.Options{})
	open, err := s.Next()
	for err == nil {
		var more bool
		if more, err = s.More(); err != nil || !more {
			break
		}
		name, shut := "", ""
		if open == stream.ObjectBegin {
			from := s.InputOffset()
			_, err = s.Next()
			_, _, _ = s.Chunk()
			name, shut = "{"+doc[from:s.InputOffset()]+":", "}"
		}
		var value strings.Builder
		if err == nil {
			err = s.CopyValue(&value)
		}
		all = append(all, shownItem{name + value.String() + shut, value.String()})
	}
	if err != nil {
		t.Fatalf("%.200q: %v", doc, err)
	}
	return all
}

// stringText is the text of a JSON string.
func stringText(raw string) string { return string(stream.AppendText(nil, []byte(raw[1:len(raw)-1]))) }

// overBudget says which limit the text is over.
func overBudget(b Budget, text string) error {
	e := b.Encoding
	if e == nil {
		e = tokenize.Default()
	}
	switch n := int64(tokenize.NewCounter(e).Count([]byte(text))); {
	case b.Tokens > 0 && n > b.Tokens:
		return fmt.Errorf("%d tokens in a budget of %d", n, b.Tokens)
	case b.Bytes > 0 && int64(len(text)) > b.Bytes:
		return fmt.Errorf("%d bytes in a budget of %d", len(text), b.Bytes)
	case b.Chars > 0 && int64(utf8.RuneCountInString(text)) > b.Chars:
		return fmt.Errorf("%d chars in a budget of %d", utf8.RuneCountInString(text), b.Chars)
	}
	return nil
}

// A pageReader reads a document page after page, as a client does.
type pageReader struct {
	t      failer
	input  string
	file   string // the same bytes; empty: only the pipe
	budget Budget
	set    func(p *pageRun)
	pages  int
}

// page gets one page, alternately from the pipe and from the file.
func (r *pageReader) page(cursor string) parsedPage {
	r.t.Helper()
	set := func(p *pageRun) {
		r.set(p)
		p.MaxTokens, p.MaxBytes, p.MaxChars = r.budget.Tokens, r.budget.Bytes, r.budget.Chars
		p.Cursor = cursor
		if cursor != "" {
			p.Page = -1
		}
	}
	var files []string
	if r.pages++; r.file != "" && r.pages%2 == 0 {
		files = []string{r.file}
	}
	if r.pages > 3000 {
		r.t.Fatalf("no end of pages")
	}
	got := runPage(r.input, set, files...)
	if again := runPage(r.input, set, files...); again != got {
		r.t.Fatalf("not the same twice:\n%s", cmp.Diff(got, again))
	}
	if got.Status != 0 {
		r.t.Fatalf("budget %v, cursor %q, input %.2000q: status %d: %s%s", r.budget, cursor, r.input, got.Status, got.Err, got.Out)
	}
	text := strings.TrimSuffix(got.Out, "\n")
	if err := overBudget(r.budget, text); err != nil {
		r.t.Fatalf("%v: %s", err, text)
	}
	p, err := parsePage(text)
	if err != nil {
		r.t.Fatalf("budget %v: %v: %s", r.budget, err, text)
	}
	for _, c := range append([]string{p.NextCursor}, func() (all []string) {
		for _, c := range p.Cut {
			all = append(all, c.Cursor)
		}
		return all
	}()...) {
		if len(c) > 120 || strings.Trim(c, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			r.t.Fatalf("cursor %q", c)
		}
	}
	if p.HasMore != (p.NextCursor != "") {
		r.t.Fatalf("hasMore %t with the cursor %q", p.HasMore, p.NextCursor)
	}
	return p
}

// collect reads all pages from cursor on, which must be those of want.
func (r *pageReader) collect(cursor string, want []shownItem) {
	r.t.Helper()
	n := int64(0)
	for first := true; first || cursor != ""; first = false {
		p := r.page(cursor)
		if len(p.Items) == 0 && len(p.Cut) == 0 && (p.HasMore || len(want) > 0) {
			r.t.Fatalf("budget %v: a page with nothing: %+v", r.budget, p)
		}
		if p.TotalItems != nil && *p.TotalItems != int64(len(want)) {
			r.t.Fatalf("%d items, %d said", len(want), *p.TotalItems)
		}
		if len(p.Items) > 0 && p.FirstItem > 0 && p.FirstItem != n+1 {
			r.t.Fatalf("item %d comes first, %d said", n+1, p.FirstItem)
		}
		cut := map[int64]string{}
		for _, c := range p.Cut {
			cut[c.Index] = c.Cursor
		}
		for _, item := range p.Items {
			if n == int64(len(want)) {
				r.t.Fatalf("more items than there are: %s", item)
			}
			c, ok := cut[n]
			switch {
			case ok:
				r.recover(c, want[n].value)
			case string(item) != want[n].text:
				r.t.Fatalf("item %d (-want +got):\n%s", n, cmp.Diff(want[n].text, string(item)))
			}
			n++
		}
		cursor = p.NextCursor
	}
	if n != int64(len(want)) {
		r.t.Fatalf("budget %v: %d items of %d in %d pages of %.300q", r.budget, n, len(want), r.pages, r.input)
	}
}

// recover reads the item want, which was cut, by its own cursor.
func (r *pageReader) recover(cursor, want string) {
	r.t.Helper()
	switch want[0] {
	case '[', '{':
		r.collect(cursor, itemsOf(r.t, want))
	case '"':
		text := ""
		for cursor != "" {
			p := r.page(cursor)
			if len(p.Items) != 1 || p.FirstItem != countChars([]byte(text))+1 {
				r.t.Fatalf("a text with %d items from %d on", len(p.Items), p.FirstItem)
			}
			piece := stringText(string(p.Items[0]))
			if n := countChars([]byte(piece)); n != p.ReturnedItems || n == 0 {
				r.t.Fatalf("%d chars, %d said", n, p.ReturnedItems)
			}
			text += piece
			cursor = p.NextCursor
		}
		if diff := cmp.Diff(stringText(want), text); diff != "" {
			r.t.Fatalf("text (-want +got):\n%s", diff)
		}
	default:
		r.t.Fatalf("cut: %.100s", want)
	}
}

// drawFound draws a JSON value as found somewhere, with white space.
func drawFound(t *rapid.T, depth, most int) string {
	ws := func() string { return rapid.SampledFrom([]string{"", "", "", " ", "\n\t", "\r\n  "}).Draw(t, "space") }
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 {
		kind = min(kind, 4)
	}
	switch kind {
	case 0:
		return rapid.SampledFrom([]string{"null", "true", "false", "0", "-1.50e+3", "17"}).Draw(t, "scalar")
	case 1, 2:
		return `"` + strings.Repeat(rapid.StringMatching(`[a-z ]{0,9}`).Draw(t, "word"), rapid.IntRange(0, most).Draw(t, "words")) + `"`
	case 3, 4:
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "é", "日本", "🙂", `\n`, `\"`, `\\`, `\u00e9`, `\ud83d\ude00`, `\ud800`, "e\u0301", "\r\n"[:0], `\/`}), 0, most).Draw(t, "parts")
		return `"` + strings.Join(parts, "") + `"`
	}
	var b strings.Builder
	n := rapid.IntRange(0, 6).Draw(t, "n")
	open, shut := "[", "]"
	if kind == 6 {
		open, shut = "{", "}"
	}
	b.WriteString(open)
	for i := range n {
		if i > 0 {
			b.WriteString(ws() + "," + ws())
		}
		if kind == 6 {
			fmt.Fprintf(&b, `"%s"%s:%s`, rapid.SampledFrom([]string{"a", "b", "a", "name", `\u00e9`, ""}).Draw(t, "name"), ws(), ws())
		}
		b.WriteString(drawFound(t, depth-1, most))
	}
	b.WriteString(ws() + shut)
	return b.String()
}

func drawPageBudget(t *rapid.T) Budget {
	var b Budget
	for b == (Budget{}) {
		if rapid.IntRange(0, 2).Draw(t, "bytes?") == 0 {
			b.Bytes = rapid.Int64Range(480, 2500).Draw(t, "bytes")
		}
		if rapid.IntRange(0, 2).Draw(t, "chars?") == 0 {
			b.Chars = rapid.Int64Range(480, 2500).Draw(t, "chars")
		}
		if rapid.IntRange(0, 2).Draw(t, "tokens?") == 0 {
			b.Tokens = rapid.Int64Range(320, 1500).Draw(t, "tokens")
		}
	}
	return b
}

// All pages together are the items, byte for byte; what is larger than the
// budget is got by its own cursor.
func TestPagesAreTheItems(t *testing.T) {
	file := filepath.Join(t.TempDir(), "input")
	rapid.Check(t, func(t *rapid.T) {
		values := make([]string, rapid.IntRange(0, 12).Draw(t, "items"))
		for i := range values {
			values[i] = drawFound(t, 3, rapid.SampledFrom([]int{3, 20, 200}).Draw(t, "most"))
		}
		r := &pageReader{t: t, file: file, budget: drawPageBudget(t), set: func(p *pageRun) {}}
		size := rapid.SampledFrom([]int64{-1, -1, 1, 3}).Draw(t, "page size")
		array := "[" + strings.Join(values, ",\n ") + "]"
		switch rapid.IntRange(0, 3).Draw(t, "where") {
		case 0:
			r.input = array
			r.set = func(p *pageRun) { p.PageSize = size }
		case 1:
			r.input = `{"a":[ ],"b":{"items": ` + array + `},"c":1} [3]`
			r.input = strings.TrimSuffix(r.input, " [3]")
			r.set = func(p *pageRun) { p.PageSize, p.At = size, "/b/items" }
		case 2:
			r.input = "\uFEFF" + strings.Join(values, "\r\n")
			r.set = func(p *pageRun) { p.PageSize, p.Lines = size, true }
			for _, v := range values {
				if strings.ContainsAny(v[:1], "nt0-1f") {
					t.Skip("values that need a space between them are another matter")
				}
			}
		case 3:
			r.input = `{"x":"` + strings.Repeat("x", 70) + `","items":` + array + ` } `
			r.set = func(p *pageRun) { p.PageSize, p.Field = size, []string{"items"} }
		}
		if err := os.WriteFile(file, []byte(r.input), 0o666); err != nil {
			t.Fatal(err)
		}
		r.collect("", itemsOf(t, array))
	})
}

// A page that says there is more because of the budget has no room for the next
// item, and none is over the budget, in any layout and wrapping.
func TestPageIsFilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "input")
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteString("[")
		for i := range 400 {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(drawFound(t, 1, 3))
			if b.Len() > 6000 {
				break
			}
		}
		b.WriteString("]")
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		budget := Budget{}
		switch rapid.IntRange(0, 2).Draw(t, "unit") {
		case 0:
			budget.Bytes = rapid.Int64Range(700, 3000).Draw(t, "bytes")
		case 1:
			budget.Chars = rapid.Int64Range(700, 3000).Draw(t, "chars")
		case 2:
			budget.Tokens = rapid.Int64Range(400, 1500).Draw(t, "tokens")
		}
		layout := rapid.IntRange(0, 3).Draw(t, "layout")
		wrapped := rapid.Bool().Draw(t, "wrapped")
		page := func(cursor string, b Budget, size int64) (string, parsedPage) {
			got := runPage("", func(p *pageRun) {
				p.MaxTokens, p.MaxBytes, p.MaxChars = b.Tokens, b.Bytes, b.Chars
				p.Cursor, p.PageSize = cursor, size
				p.Compact, p.Tab = layout == 1, layout == 2
				if layout == 3 {
					p.Indent = 3
				}
				if wrapped {
					p.Wrap = "mcp"
				}
			}, file)
			text := got.Out
			if wrapped {
				var mcp struct{ Content []struct{ Type, Text string } }
				if err := json.Unmarshal([]byte(text), &mcp); err != nil || len(mcp.Content) != 1 || mcp.Content[0].Type != "text" {
					t.Fatalf("%v: %s", err, text)
				}
				text = mcp.Content[0].Text
			}
			text = strings.TrimSuffix(text, "\n")
			p, err := parsePage(text)
			if err != nil || got.Status != 0 {
				t.Fatalf("budget %v: status %d: %v: %s%s", b, got.Status, err, got.Err, got.Out)
			}
			return text, p
		}
		cursor := ""
		for range 4 {
			text, p := page(cursor, budget, -1)
			if err := overBudget(budget, text); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			if cursor != "" && p.HasMore && len(p.Cut) == 0 {
				more, q := page(cursor, Budget{}, p.ReturnedItems+1)
				if q.ReturnedItems != p.ReturnedItems+1 {
					t.Fatalf("%d items, not %d", q.ReturnedItems, p.ReturnedItems+1)
				}
				if overBudget(budget, more) == nil {
					t.Fatalf("budget %v: there was room for one more:\n%s\n%s", budget, text, more)
				}
			}
			if cursor = p.NextCursor; cursor == "" {
				break
			}
		}
	})
}

// Any document, valid or not, gives pages within the budget that parse, or an
// error.
func FuzzPage(f *testing.F) {
	for _, doc := range []string{
		`[1,2,3]`, `{"a":[1,{"b":"` + strings.Repeat("x", 600) + `"}]}`, "[1,\n\n 2] {\"a\":[]} null", `[[[[[`, `["\ud800",`,
		"{\"a\":1}\r\n{\"b\":2}\n", "\uFEFF[\"é\"]", `[1 2]`, `{"a":[1],"a":[1,2]}`, "\x1f\x8b\x08", `[` + strings.Repeat("9", 700) + `]`,
	} {
		for mode := range uint8(12) {
			for _, size := range []uint16{1, 45, 100, 300} {
				f.Add([]byte(doc), size, mode)
			}
		}
	}
	f.Fuzz(func(t *testing.T, doc []byte, size uint16, mode uint8) {
		b := Budget{}
		*[]*int64{&b.Tokens, &b.Bytes, &b.Chars}[mode%3] = max(1, int64(size))
		set := func(p *pageRun) {
			p.MaxTokens, p.MaxBytes, p.MaxChars = b.Tokens, b.Bytes, b.Chars
			p.As = []string{"page", "meta", "items", "page"}[mode/3%4]
			p.Lines = mode/12%2 == 1 && p.As != "meta"
			p.Oversize = []string{"shrink", "skip", "fail"}[mode/24%3]
			p.Invalid = []string{"fail", "skip"}[mode/72%2]
			p.Compact = mode/144%2 == 1
		}
		for range 20 {
			got := runPage(string(doc), set)
			if got.Status == 1 || got.Status > 5 || strings.Contains(got.Err, "stale") || strings.Contains(got.Err, "another input") {
				t.Fatalf("status %d: %s", got.Status, got.Err)
			}
			dec := json.NewDecoder(strings.NewReader(got.Out))
			next := ""
			if as := new(pageRun); got.Status == 0 {
				if set(as); as.As == "items" && as.Lines {
					if err := overBudget(b, strings.TrimSuffix(got.Out, "\n")); err != nil {
						t.Fatalf("%v: %s", err, got.Out)
					}
				}
			}
			for dec.More() {
				var out json.RawMessage
				if err := dec.Decode(&out); err != nil {
					t.Fatalf("%v: %s", err, got.Out)
				}
				var m struct {
					Meta *struct{ TotalItems int64 } `json:"_meta"`
				}
				if json.Unmarshal(out, &m) == nil && m.Meta != nil && m.Meta.TotalItems > 0 && strings.Contains(got.Out, `"truncated":`) && got.Status == 0 {
					if err := overBudget(b, string(out)); err != nil && !bytes.Contains(doc, []byte("_meta")) {
						t.Fatalf("%v: %s", err, out)
					}
				}
				var p parsedPage
				if json.Unmarshal(out, &p) == nil && p.Paginated && !bytes.Contains(doc, []byte("paginated")) {
					if err := overBudget(b, string(out)); err != nil {
						t.Fatalf("%v: %s", err, out)
					}
					next = p.NextCursor
					for _, c := range p.Cut {
						next = c.Cursor
					}
				}
			}
			if next == "" {
				break
			}
			before := set
			set = func(p *pageRun) { before(p); p.Cursor = next }
		}
	})
}

// Any text as a cursor gives a page or an error.
func FuzzCursor(f *testing.F) {
	const doc = `{"a":[1,"` + "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" + `",{"b":2}]}`
	f.Add("")
	f.Add("EcWdHIFnK14VZyteFRgCCAoAFBkzeQ")
	for kind := cursorKind(1); kind < cursorKinds; kind++ {
		for off := range int64(len(doc)) {
			c := cursor{
				kind: kind, path: stream.Path{"a"}.Digest(), head: digest([]byte(doc)[:min(off, digestReach)]),
				before: digest([]byte(doc)[max(0, off-digestReach):off]), offset: off, line: 1, total: -1,
			}
			f.Add(c.String())
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := runPage(doc, func(p *pageRun) { p.Cursor, p.MaxBytes = text, 400 })
		if got.Status == 1 || got.Status > 5 {
			t.Fatalf("status %d: %s", got.Status, got.Err)
		}
		c, err := parseCursor(text, "page")
		if err == nil && c.String() != text {
			t.Fatalf("%q is another cursor than %q", text, c.String())
		}
	})
}

// A page goes on only in the input its cursor was made from.
func TestCursorIsBound(t *testing.T) {
	doc := `{"q":"` + strings.Repeat("x", 70) + `","a":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30]}`
	first, err := parsePage(runPage(doc, func(p *pageRun) { p.PageSize = 20 }).Out)
	if err != nil {
		t.Fatal(err)
	}
	cursor := first.NextCursor
	place := strings.Index(doc, "21")
	tests := []struct {
		name, input, cursor string
		set                 func(p *pageRun)
		want                string // message; empty: a page
	}{
		{"the same", doc, cursor, nil, ""},
		{"more behind it", doc + "\n[1]", cursor, nil, ""},
		{"changed behind it", strings.Replace(doc, "29", "92", 1), cursor, nil, ""},
		{"named by --at", doc, cursor, func(p *pageRun) { p.At = ".a" }, ""},
		{"changed before it", strings.Replace(doc, "19", "91", 1), cursor, nil,
			fmt.Sprintf("jlop: --cursor: the cursor is stale: the input has changed around byte %d", place)},
		{"longer before it", strings.Replace(doc, "18", "118", 1), cursor, nil,
			fmt.Sprintf("jlop: --cursor: the cursor is stale: the input has changed around byte %d", place)},
		{"another beginning", strings.Replace(doc, "q", "p", 1), cursor, nil, "jlop: --cursor: the cursor belongs to another input"},
		{"cut off", doc[:40], cursor, nil,
			fmt.Sprintf("jlop: --cursor: the input ends before the cursor's place, byte %d: it is another one or was cut", place)},
		{"empty", "", cursor, nil, fmt.Sprintf("jlop: --cursor: the input ends before the cursor's place, byte %d: it is another one or was cut", place)},
		{"another --at", doc, cursor, func(p *pageRun) { p.At = "/b" }, "jlop: --cursor: the cursor belongs to another place than --at /b"},
		{"not base64", doc, "?" + cursor[1:], nil, "jlop: --cursor: the cursor is damaged"},
		{"too short", doc, cursor[:20], nil, "jlop: --cursor: the cursor is damaged"},
		{"of text", doc, cursorOf(cursorPlain), nil, "jlop: --cursor: the cursor goes on with jlop truncate, not with jlop page"},
	}
	for i := range cursor {
		c := []byte(cursor)
		if c[i]++; c[i] == '[' || c[i] == '{' || c[i] == ':' {
			c[i] = 'A'
		}
		tests = append(tests, struct {
			name, input, cursor string
			set                 func(p *pageRun)
			want                string
		}{fmt.Sprintf("character %d", i), doc, string(c), nil, "jlop: --cursor: the cursor is damaged"})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "input")
			if err := os.WriteFile(file, []byte(tt.input), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, files := range [][]string{nil, {file}} {
				got := runPage(tt.input, func(p *pageRun) {
					p.Cursor = tt.cursor
					if tt.set != nil {
						tt.set(p)
					}
				}, files...)
				status := 2
				if tt.want == "" {
					status = 0
				}
				if got.Status != status {
					t.Errorf("%v: want status %d, got %d: %s", files, status, got.Status, got.Err)
				}
				if diff := cmp.Diff(tt.want, strings.TrimSuffix(got.Err, "\n")); diff != "" {
					t.Errorf("%v: (-want +got):\n%s", files, diff)
				}
				if p, err := parsePage(got.Out); tt.want == "" && (err != nil || len(p.Items) != 10 || string(p.Items[0]) != "21") {
					t.Errorf("%v: %v: %s", files, err, got.Out)
				}
			}
		})
	}
}

// cursorOf is a well-formed cursor of the kind.
func cursorOf(kind cursorKind) string { return cursor{kind: kind, line: 1}.String() }

// Records of a text sequence are set apart in one way, whatever they are.
func TestPageSequence(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		set        func(p *pageRun)
	}{
		{"page", "\x1e{\"paginated\":true,\"totalItems\":2,\"page\":1,\"pageSize\":50,\"totalPages\":1,\"hasMore\":false,\"items\":[1,2],\"note\":\"Page 1/1. 2 total items.\"}\n", func(p *pageRun) {}},
		{"items", "\x1e1\n\x1e2\n", func(p *pageRun) { p.As = "items" }},
		{"items by budget", "\x1e1\n\x1e2\n", func(p *pageRun) { p.As, p.MaxBytes = "items", 4 }},
		{"items wrapped", "\x1e{\"content\":[{\"type\":\"text\",\"text\":\"1\\n2\"}]}\n", func(p *pageRun) { p.As, p.Wrap = "items", "mcp" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := runPage("\x1e1\n\x1e2\n", func(p *pageRun) {
				p.Seq, p.Lines = true, true
				tt.set(p)
			})
			if diff := cmp.Diff(pageResult{Out: tt.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What cannot be written or read ends with a message and the right status.
func TestPageFailures(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		name  string
		set   func(p *pageRun)
		files []string
		want  pageResult
	}{
		{"a directory", func(p *pageRun) {}, []string{dir}, pageResult{"", "jlop: " + dir + ": is a directory\n", 2}},
		{"a missing file", func(p *pageRun) { p.As = "meta" }, []string{dir + "/no"}, pageResult{
			`{"error":true,"message":"` + dir + `/no: no such file or directory"}` + "\n", "jlop: " + dir + "/no: no such file or directory\n", 2}},
		{"an unknown place for the output", func(p *pageRun) { p.As, p.Output = "meta", dir+"/no/out" }, nil, pageResult{
			`{"error":true,"message":"` + dir + `/no/out: no such file or directory"}` + "\n", "jlop: " + dir + "/no/out: no such file or directory\n", 2}},
		{"an unknown place for the cursor", func(p *pageRun) { p.As, p.CursorFile = "items", dir+"/no/cursor" }, nil, pageResult{
			"1\n", "jlop: --cursor-file: " + dir + "/no/cursor: no such file or directory\n", 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := runPage("[1]", tt.set, tt.files...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The rest of the input is read if that was asked for, and only then.
func TestPageDrain(t *testing.T) {
	doc := "[1,2]" + strings.Repeat(" ", 1<<20)
	for _, drain := range []bool{false, true} {
		in := strings.NewReader(doc)
		s := &Session{Stdin: in, Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer)}
		p := Page.New().(*pageRun)
		p.PageSize, p.NoTotal, p.Drain = 1, true, drain
		if err := p.Run(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		if left := in.Len(); (left == 0) != drain {
			t.Errorf("drain %t: %d bytes left", drain, left)
		}
	}
}

// A cursor to an item behind the border of two inputs, and in a compressed one.
func TestCursorOfManyInputs(t *testing.T) {
	dir := t.TempDir()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, "5 6 7 8")
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	files := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "c.gz")}
	for i, content := range []string{"1 2", "3\n4\n", packed.String()} {
		if err := os.WriteFile(files[i], []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for size := int64(1); size <= 9; size++ {
		for _, total := range []bool{false, true} {
			var all []string
			cursor := ""
			for range 9 {
				got := runPage("", func(p *pageRun) { p.Lines, p.PageSize, p.Cursor, p.NoTotal = true, size, cursor, !total }, files...)
				p, err := parsePage(got.Out)
				if err != nil || got.Status != 0 {
					t.Fatalf("%v %s%s", err, got.Out, got.Err)
				}
				for _, item := range p.Items {
					all = append(all, string(item))
				}
				if cursor = p.NextCursor; cursor == "" {
					break
				}
			}
			if diff := cmp.Diff("1 2 3 4 5 6 7 8", strings.Join(all, " ")); diff != "" {
				t.Errorf("pages of %d: %s", size, diff)
			}
		}
	}
}

// The items alone are the items too, one on each line, whatever the limits; the
// cursors in the file lead through all of them.
func TestPagesOfLines(t *testing.T) {
	next := filepath.Join(t.TempDir(), "cursor")
	rapid.Check(t, func(t *rapid.T) {
		values := make([]string, rapid.IntRange(0, 20).Draw(t, "items"))
		for i := range values {
			values[i] = drawFound(t, 2, 3)
		}
		doc := "[" + strings.Join(values, ",\n ") + "]"
		budget := Budget{Bytes: rapid.Int64Range(1000, 2000).Draw(t, "bytes")}
		if rapid.Bool().Draw(t, "tokens?") {
			budget = Budget{Tokens: rapid.Int64Range(600, 1000).Draw(t, "tokens")}
		}
		size := rapid.Int64Range(1, 12).Draw(t, "page size")
		var lines []string
		for cursor, first := "", true; first || cursor != ""; first = false {
			got := runPage(doc, func(p *pageRun) {
				p.As, p.CursorFile, p.Cursor, p.PageSize = "items", next, cursor, size
				p.MaxBytes, p.MaxTokens = budget.Bytes, budget.Tokens
			})
			if got.Status != 0 || got.Err != "" {
				t.Fatalf("status %d: %s", got.Status, got.Err)
			}
			text := strings.TrimSuffix(got.Out, "\n")
			if err := overBudget(budget, text); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			if text != "" {
				lines = append(lines, strings.Split(text, "\n")...)
			}
			left, err := os.ReadFile(next)
			if err != nil {
				t.Fatal(err)
			}
			cursor = strings.TrimSuffix(string(left), "\n")
		}
		compact := func(values []string) (all []string) {
			for _, v := range values {
				all = append(all, string(stream.Layout{Compact: true}.Append(nil, []byte(v))))
			}
			return all
		}
		if diff := cmp.Diff(compact(values), compact(lines)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func BenchmarkPage(b *testing.B) {
	var doc strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&doc, `{"id":%d,"name":"item %d","tags":["a","b"],"text":"some words that say what it is"}`+"\n", i, i)
	}
	for _, bb := range []struct {
		name string
		set  func(p *pageRun)
	}{
		{"number", func(p *pageRun) { p.Page = 3 }},
		{"tokens", func(p *pageRun) { p.MaxTokens = 2000 }},
		{"tokens/100k", func(p *pageRun) { p.MaxTokens = 100_000 }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(doc.Len()))
			b.ReportAllocs()
			for b.Loop() {
				runPage(doc.String(), func(p *pageRun) {
					p.Lines = true
					bb.set(p)
				})
			}
		})
	}
}
