package ops

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/goccy/go-json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"jlop/stream"
)

// A tree is a JSON value as the tests see it.
type tree struct {
	kind  byte     // { [ " or 0 for other scalars
	raw   string   // of scalars
	names []string // raw
	kids  []*tree
}

// parseTree parses valid JSON without white space.
func parseTree(s string) *tree {
	t, rest := parseTreePart(s)
	if rest != "" {
		panic("more behind the value: " + rest)
	}
	return t
}

func parseTreePart(s string) (*tree, string) {
	switch s[0] {
	case '"':
		i := 1
		for ; s[i] != '"'; i++ {
			if s[i] == '\\' {
				i++
			}
		}
		return &tree{kind: '"', raw: s[:i+1]}, s[i+1:]
	case '{', '[':
		t := &tree{kind: s[0]}
		for s = s[1:]; s[0] != '}' && s[0] != ']'; {
			if s[0] == ',' {
				s = s[1:]
			}
			if t.kind == '{' {
				var name *tree
				name, s = parseTreePart(s)
				t.names = append(t.names, name.raw)
				s = s[1:]
			}
			var kid *tree
			kid, s = parseTreePart(s)
			t.kids = append(t.kids, kid)
		}
		return t, s[1:]
	}
	i := strings.IndexAny(s, ",]}")
	if i < 0 {
		i = len(s)
	}
	return &tree{raw: s[:i]}, s[i:]
}

// compareTrees checks that got is what a cut with notices may leave of want,
// and adds up what is missing.
func compareTrees(path string, want, got *tree, sums *totals, bare bool) error {
	if want.kind != got.kind {
		return fmt.Errorf("%s: the type changed", path)
	}
	switch want.kind {
	case '{':
		return compareObjects(path, want, got, sums, bare)
	case '[':
		return compareArrays(path, want, got, sums, bare)
	case '"':
		return compareStrings(path, want.raw, got.raw, sums)
	}
	if want.raw != got.raw {
		return fmt.Errorf("%s: %s became %s", path, want.raw, got.raw)
	}
	return nil
}

func compareObjects(path string, want, got *tree, sums *totals, bare bool) error {
	names, kids := got.names, got.kids
	said := int64(0)
	if n := len(names); n > 0 && !bare {
		switch {
		case path == "" && names[n-1] == `"_truncated"`:
			names, kids = names[:n-1], kids[:n-1]
			said = int64(len(want.names) - len(names))
		case names[n-1] == `"_truncatedKeys"`:
			said, _ = strconv.ParseInt(kids[n-1].raw, 10, 64)
			names, kids = names[:n-1], kids[:n-1]
		}
	}
	i := 0
	for j, name := range names {
		err := fmt.Errorf("%s: the name %s is not there, or elsewhere", path, name)
		for ; i < len(want.names) && err != nil; i++ {
			if want.names[i] == name { // which may stand there more than once
				sub := *sums
				if err = compareTrees(path+"/"+name, want.kids[i], kids[j], &sub, bare); err == nil {
					*sums = sub
				}
			}
		}
		if err != nil {
			return err
		}
	}
	missing := int64(len(want.names) - len(names))
	sums.keys += missing
	if missing != said && !bare {
		return fmt.Errorf("%s: %d keys are missing, not %d", path, missing, said)
	}
	return nil
}

func compareArrays(path string, want, got *tree, sums *totals, bare bool) error {
	at, said, kept := -1, int64(0), int64(0)
	for i, kid := range got.kids {
		switch {
		case bare:
		case path == "" && kid.kind == '{' && len(kid.names) == 1 && kid.names[0] == `"_truncated"`:
			at = i
		case path != "" && strings.HasPrefix(kid.raw, `"[TRUNCATED `):
			at = i
			if _, err := fmt.Sscanf(kid.raw, `"[TRUNCATED %d items omitted, %d kept]"`, &said, &kept); err != nil {
				return fmt.Errorf("%s: %s: %v", path, kid.raw, err)
			}
		}
	}
	items := got.kids
	if at >= 0 {
		items = append(append([]*tree(nil), items[:at]...), items[at+1:]...)
		if len(items) > at+1 {
			return fmt.Errorf("%s: %d items behind the notice", path, len(items)-at)
		}
	}
	missing := int64(len(want.kids) - len(items))
	if at >= 0 && path != "" && (said != missing || kept != int64(len(items))) || at < 0 && missing != 0 && !bare {
		return fmt.Errorf("%s: %d items are missing, not %d; %d are kept, not %d", path, missing, said, len(items), kept)
	}
	sums.items += missing
	for i, kid := range items {
		w := i
		if i > 0 && i == len(items)-1 && missing > 0 {
			// the last one, or the first ones alone
			if err := compareTrees(path+"/-", want.kids[len(want.kids)-1], kid, new(totals), bare); err == nil && (at < 0 || i >= at) {
				w = len(want.kids) - 1
			}
		} else if i >= at && at >= 0 {
			w = len(want.kids) - 1
		}
		if err := compareTrees(path+"/"+strconv.Itoa(w), want.kids[w], kid, sums, bare); err != nil {
			return err
		}
	}
	return nil
}

func compareStrings(path, want, got string, sums *totals) error {
	if want == got {
		return nil
	}
	head, rest, ok := strings.Cut(got, " [TRUNCATED ")
	if !ok {
		return fmt.Errorf("%s: %s became %s", path, want, got)
	}
	var omitted, kept int64
	numbers, tail, ok := strings.Cut(rest, " kept] ")
	if _, err := fmt.Sscanf(numbers, "%d chars omitted, %d", &omitted, &kept); err != nil || !ok {
		return fmt.Errorf("%s: %s: %v", path, got, err)
	}
	if !strings.HasPrefix(want, head) {
		if head, ok = strings.CutSuffix(head, `\n`); !ok || !strings.HasPrefix(want, head) {
			return fmt.Errorf("%s: the head of %s is not that of %s", path, got, want)
		}
	}
	if !strings.HasSuffix(want, tail) {
		if tail, ok = strings.CutPrefix(tail, `\n`); !ok || !strings.HasSuffix(want, tail) {
			return fmt.Errorf("%s: the tail of %s is not that of %s", path, got, want)
		}
	}
	chars := func(s string) int64 { return stream.CountChars([]byte(s)) }
	if chars(want)-2 != omitted+kept {
		return fmt.Errorf("%s: %d chars are not %d and %d", path, chars(want)-2, omitted, kept)
	}
	sums.chars += omitted
	return nil
}

// genTree draws a JSON text without white space and without notices, at most so
// deep, and with so many children in one place.
func genTree(t *rapid.T, dst []byte, depth, most int) []byte {
	kind := rapid.IntRange(0, 9).Draw(t, "kind")
	if depth == 0 {
		kind = rapid.IntRange(0, 5).Draw(t, "scalar")
	}
	switch kind {
	case 0:
		return append(dst, rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "literal")...)
	case 1:
		return append(dst, rapid.SampledFrom([]string{"0", "-1", "3.14", "1e999", "12345678901234567890", strings.Repeat("7", 300)}).Draw(t, "number")...)
	case 2, 3, 4, 5:
		return genString(t, dst)
	case 6, 7:
		n := min(most, rapid.SampledFrom([]int{0, 1, 2, 3, 5, 8, 40, 200, 3000}).Draw(t, "items"))
		if n > 8 {
			depth, most = min(depth, 2), 8
		}
		same := rapid.Bool().Draw(t, "same")
		dst = append(dst, '[')
		item := []byte(nil)
		for i := range n {
			if i > 0 {
				dst = append(dst, ',')
			}
			if item == nil || !same && i%8 == 0 {
				item = genTree(t, nil, depth-1, most)
			}
			dst = append(dst, item...)
		}
		return append(dst, ']')
	}
	n := min(most, rapid.SampledFrom([]int{0, 1, 2, 4, 8, 30, 150, 2000}).Draw(t, "keys"))
	if n > 8 {
		depth, most = min(depth, 2), 8
	}
	dst = append(dst, '{')
	var value []byte
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		name := rapid.SampledFrom([]string{"id", "name", "message", "error", "stderr", "log", "ключ", `a\"b`, "status", strings.Repeat("long", 30)}).Draw(t, "name")
		dst = append(dst, '"')
		dst = append(dst, name...)
		if i > 0 {
			dst = append(dst, fmt.Sprint(i)...)
		}
		dst = append(dst, '"', ':')
		if value == nil || i < 8 {
			value = genTree(t, nil, depth-1, most)
		}
		dst = append(dst, value...)
	}
	return append(dst, '}')
}

func genString(t *rapid.T, dst []byte) []byte {
	piece := rapid.SampledFrom([]string{
		"", "x", "word ", "two words\\n", "line of text that is longer\\nand another\\n", "\\u00e9", "\\ud83d\\ude00", "\\ud83d", "é", "日本", "👨‍👩‍👧", "e\u0301", "\\\"quoted\\\"", "\\\\", "\\t", "2026-11-21T10:00:00Z ERROR ",
		"                ", "the quick brown fox ", "0123456789abcdef",
	}).Draw(t, "piece")
	n := rapid.SampledFrom([]int{1, 1, 2, 3, 10, 60, 400}).Draw(t, "times")
	dst = append(dst, '"')
	for range n {
		dst = append(dst, piece...)
	}
	return append(dst, '"')
}

func genBudget(t *rapid.T) Budget {
	size := int64(rapid.IntRange(20, 400).Draw(t, "size"))
	if rapid.Bool().Draw(t, "large") {
		size = int64(rapid.IntRange(400, 5000).Draw(t, "large size"))
	}
	switch rapid.IntRange(0, 3).Draw(t, "unit") {
	case 0:
		return Budget{Bytes: size}
	case 1:
		return Budget{Chars: size}
	case 2:
		return Budget{Tokens: size, Bytes: 3 * size}
	}
	return Budget{Tokens: size}
}

func TestShrinkLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(genTree(t, nil, 4, 3000))
		b := genBudget(t)
		o := shrinkOptions{Bare: rapid.IntRange(0, 4).Draw(t, "bare") == 0}
		if rapid.Bool().Draw(t, "cursor") {
			o.Cursor = func(n int64) string { return "c" + strconv.FormatInt(n, 10) }
		}
		if rapid.Bool().Draw(t, "render") {
			o.Render = func(dst, value []byte) []byte {
				return append(stream.AppendQuoted(append(dst, `{"content":`...), value), '}')
			}
		}
		checkShrink(t, b, text, o)
	})
}

// A failer is a testing.T or a rapid.T.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func shrinkText(t failer, b Budget, text string, o shrinkOptions) *shrunk {
	t.Helper()
	s := stream.NewScanner(strings.NewReader(text), stream.Options{Window: 4096})
	out, err := newGauge(b).shrink(s, o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if n := s.InputOffset(); n != int64(len(text)) {
		t.Fatalf("stopped at %d of %d", n, len(text))
	}
	return out
}

// checkShrink holds what becomes of text against what is promised.
func checkShrink(t failer, b Budget, text string, o shrinkOptions) {
	t.Helper()
	out := shrinkText(t, b, text, o)
	g := newGauge(b)
	final := out.Text
	if o.Render != nil {
		final = o.Render(nil, out.Text)
	}
	switch {
	case !json.Valid(out.Text) || !utf8.Valid(out.Text):
		t.Fatalf("not valid: %s", out.Text)
	case out.Text[0] != text[0] && !(out.Stub && out.Text[0] == '0'):
		t.Fatalf("%.40s became %.40s", text, out.Text)
	}
	if again := shrinkText(t, b, text, o); !bytes.Equal(again.Text, out.Text) {
		t.Fatalf("not deterministic: %s\nand %s", out.Text, again.Text)
	}
	if out.Stub {
		return
	}
	if u := g.over(final); u != noUnit {
		t.Fatalf("over its %s: %d in %s", u, g.size(u, final), final)
	}
	whole := []byte(text)
	if o.Render != nil {
		whole = o.Render(nil, whole)
	}
	if g.over(whole) == noUnit {
		if string(out.Text) != text || out.Items+out.Keys+out.Chars != 0 {
			t.Fatalf("fits, but became %s", out.Text)
		}
		return
	}
	var sums totals
	if err := compareTrees("", parseTree(text), parseTree(string(out.Text)), &sums, o.Bare); err != nil {
		t.Fatalf("%v\n%s\nbecame %s", err, text, out.Text)
	}
	said := totals{out.Keys, out.Items, out.Chars}
	// Without notices an empty object may be one of the original or what is left
	// of another: what was left out cannot be told exactly then.
	unclear := o.Bare && sums.keys <= said.keys && sums.items <= said.items && sums.chars <= said.chars
	if said != sums && !unclear {
		t.Fatalf("left out %+v, not %+v:\n%s\nbecame %s", sums, said, text, out.Text)
	}
	if sums.any() && g.limit(g.unit()) >= 500 {
		if share, _ := g.use(final); share < 0.95 && !atomic(text, g, share) {
			t.Fatalf("filled to %.3f of %s:\n%.2000s\nbecame %s", share, b, text, out.Text)
		}
	}
}

// atomic reports whether what share leaves of the budget may be too little for a
// piece that cannot be cut.
func atomic(text string, g *gauge, share float64) bool {
	return strings.Contains(text, strings.Repeat("7", 300)) || (1-share)*float64(g.room()) < 150
}

// TestShrinkAgain cuts what was cut already: what it says of each array, object
// and string must still be true of the original, and what it says of the whole
// must count no less than is missing.
func TestShrinkAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(genTree(t, nil, 4, 3000))
		size := int64(rapid.IntRange(100, 4000).Draw(t, "size"))
		first := shrinkText(t, Budget{Bytes: size}, text, shrinkOptions{})
		second := shrinkText(t, Budget{Bytes: int64(rapid.IntRange(60, int(size)).Draw(t, "second size"))}, string(first.Text), shrinkOptions{})
		if first.Stub || second.Stub {
			return
		}
		var sums totals
		if err := compareTrees("", parseTree(text), parseTree(string(second.Text)), &sums, false); err != nil {
			t.Fatalf("%v\n%s\nbecame %s\nand then %s", err, text, first.Text, second.Text)
		}
		if bytes.Equal(first.Text, second.Text) || bytes.Contains(first.Text, []byte(`"_truncated":true`)) {
			return
		}
		if second.Keys < sums.keys && second.Items+second.Keys < sums.items+sums.keys {
			t.Fatalf("left out %+v, not %d keys, %d items, %d chars:\n%s\nbecame %s\nand then %s",
				sums, second.Keys, second.Items, second.Chars, text, first.Text, second.Text)
		}
	})
}

var updateShrink = flag.Bool("update-shrink", false, "write testdata/shrink anew")

// TestShrinkSamples shows what becomes of results as tools give them. The files
// are there to be read: they are what a model would see.
func TestShrinkSamples(t *testing.T) {
	files, err := filepath.Glob("testdata/shrink/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if strings.Contains(name, ".") {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(bytes.TrimSpace(data))
		for _, tokens := range []int64{200, 1000} {
			t.Run(fmt.Sprintf("%s/%d", name, tokens), func(t *testing.T) {
				b := Budget{Tokens: tokens}
				o := shrinkOptions{Cursor: func(int64) string { return "AQKfPq0xY2Fy" }}
				checkShrink(t, b, text, o)
				got := append(shrinkText(t, b, text, o).Text, '\n')
				golden := fmt.Sprintf("testdata/shrink/%s.%d.json", name, tokens)
				if *updateShrink {
					if err := os.WriteFile(golden, got, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), string(got)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestShrinkShapes(t *testing.T) {
	deep := strings.Repeat("[", 9999) + strings.Repeat("]", 9999)
	many := func(n int, item func(int) string, sep string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = item(i)
		}
		return strings.Join(items, sep)
	}
	for _, tt := range []struct {
		name, text string
		budget     Budget
		want       string // empty: see that it holds what is promised
	}{
		{"deep arrays", deep, Budget{Bytes: 300}, ""},
		{"deep objects", strings.Repeat(`{"a":`, 9999) + "1" + strings.Repeat("}", 9999), Budget{Tokens: 200}, ""},
		{"deep ends", strings.Repeat("[0,", 5000) + "1" + strings.Repeat("]", 5000), Budget{Tokens: 1000}, ""},
		{"wide object", "{" + many(100000, func(i int) string { return fmt.Sprintf(`"key-%d":%d`, i, i) }, ",") + "}", Budget{Tokens: 500}, ""},
		{"empty arrays", "[" + many(300000, func(int) string { return "[]" }, ",") + "]", Budget{Chars: 900}, ""},
		{"long name", `{"` + strings.Repeat("n", 1<<20) + `":1,"b":2}`, Budget{Bytes: 60}, `{"b":2,"_truncated":{"limit":"60 bytes","keys":1}}`},
		{"long number", `{"a":` + strings.Repeat("1", 1<<20) + `,"b":2}`, Budget{Bytes: 60}, `{"b":2,"_truncated":{"limit":"60 bytes","keys":1}}`},
		{"long number in an array", `[1,` + strings.Repeat("1", 1<<20) + `,2,3]`, Budget{Bytes: 64}, `[1,{"_truncated":{"limit":"64 bytes","items":2}},3]`},
		{"only a number", strings.Repeat("1", 1<<20), Budget{Bytes: 60}, "0"},
		{"same name twice", `{"a":1,"a":"` + strings.Repeat("x", 200) + `","a":3}`, Budget{Bytes: 120}, ""},
		{"a string", `"` + strings.Repeat("x", 200) + `"`, Budget{Bytes: 60}, ""},
		{"an empty string", `"` + strings.Repeat("x", 200) + `"`, Budget{Bytes: 20}, `""`},
		{"stub", `{"a":1,"b":2,"c":3,"d":4}`, Budget{Bytes: 18}, "{}"},
		{"least", `{"a":1,"b":2,"c":3,"d":4}`, Budget{Bytes: 19}, `{"_truncated":true}`},
		{"least array", `["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]`, Budget{Bytes: 22}, `[{"_truncated":true}]`},
		{"the last item far away", "[" + many(100000, func(i int) string { return fmt.Sprintf(`{"id":%d}`, i) }, ",") + "]", Budget{Bytes: 82},
			`[{"id":0},{"id":1},{"_truncated":{"limit":"82 bytes","items":99997}},{"id":99999}]`},
		{"nested, the last item far away", `{"a":[` + many(100000, func(i int) string { return fmt.Sprintf(`{"id":%d}`, i) }, ",") + "]}", Budget{Bytes: 130},
			`{"a":[{"id":0},{"id":1},"[TRUNCATED 99997 items omitted, 3 kept]",{"id":99999}],"_truncated":{"limit":"130 bytes","items":99997}}`},
		{"the last item is large", "[" + many(3000, func(i int) string { return strconv.Itoa(i) }, ",") + `,{"a":[` + many(2000, func(i int) string { return strconv.Itoa(i) }, ",") + "]}]", Budget{Bytes: 200}, ""},
		{"items too large to be caught", "[" + many(20, func(i int) string { return fmt.Sprintf(`{"id":%d,"text":"%s"}`, i, strings.Repeat("word ", 80000)) }, ",") + "]", Budget{Bytes: 400}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkShrink(t, tt.budget, tt.text, shrinkOptions{})
			if got := string(shrinkText(t, tt.budget, tt.text, shrinkOptions{}).Text); tt.want != "" && got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestShrinkUrgent sees that what tells of a failure is there before anything
// else, at any place among its siblings.
func TestShrinkUrgent(t *testing.T) {
	text := `{"request":{"url":"https://example.com/a/b/c","headers":{"accept":"application/json"}},"body":"` + strings.Repeat("lorem ipsum ", 500) + `",` +
		strings.Repeat(`"filler`, 1) + `":[1,2,3,4,5,6,7,8,9,10,11,12],"stderr":"` + strings.Repeat("compiling\\n", 300) + `fatal: out of disk","exit_code":137,"error":{"message":"killed"}}`
	got := string(shrinkText(t, Budget{Tokens: 120}, text, shrinkOptions{}).Text)
	for _, want := range []string{`"error":{"message":"killed"}`, `"exit_code":137`, `fatal: out of disk"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}

func FuzzShrink(f *testing.F) {
	for _, s := range []string{`{"a":[1,2,3],"b":"text","error":null}`, `[[],{},"\ud83d\ude00"]`, `"x"`, `[1,"[TRUNCATED 3 items omitted, 1 kept]",2]`, `{"_truncated":true}`} {
		f.Add([]byte(s), uint16(40), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, size uint16, tokens bool) {
		if err := stream.NewScanner(bytes.NewReader(data), stream.Options{}).Skip(); err != nil || !utf8.Valid(data) {
			t.Skip()
		}
		text := stream.Layout{Compact: true}.Append(nil, bytes.TrimSpace(data))
		if !json.Valid(text) {
			t.Skip() // more than one value
		}
		b := Budget{Bytes: int64(size)%3000 + 1}
		if tokens {
			b = Budget{Tokens: b.Bytes}
		}
		out := shrinkText(t, b, string(text), shrinkOptions{})
		if !json.Valid(out.Text) {
			t.Fatalf("not valid: %s", out.Text)
		}
		if u := newGauge(b).over(out.Text); u != noUnit && !out.Stub {
			t.Fatalf("over its %s: %s", u, out.Text)
		}
		if again := shrinkText(t, b, string(text), shrinkOptions{}); !bytes.Equal(again.Text, out.Text) {
			t.Fatalf("%s and %s", out.Text, again.Text)
		}
	})
}
