package ops

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/goccy/go-json"
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
		for i < len(want.names) && want.names[i] != name {
			i++
		}
		if i == len(want.names) {
			return fmt.Errorf("%s: the name %s is not there, or elsewhere", path, name)
		}
		if err := compareTrees(path+"/"+name, want.kids[i], kids[j], sums, bare); err != nil {
			return err
		}
		i++
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

// genTree draws a JSON text without white space and without notices.
func genTree(t *rapid.T, dst []byte, depth int) []byte {
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
		n := rapid.SampledFrom([]int{0, 1, 2, 3, 5, 8, 40, 200}).Draw(t, "items")
		if n > 8 {
			depth = min(depth, 2)
		}
		same := rapid.Bool().Draw(t, "same")
		dst = append(dst, '[')
		item := []byte(nil)
		for i := range n {
			if i > 0 {
				dst = append(dst, ',')
			}
			if item == nil || !same && i%8 == 0 {
				item = genTree(t, nil, depth-1)
			}
			dst = append(dst, item...)
		}
		return append(dst, ']')
	}
	n := rapid.SampledFrom([]int{0, 1, 2, 4, 8, 30, 150}).Draw(t, "keys")
	if n > 8 {
		depth = min(depth, 2)
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
			value = genTree(t, nil, depth-1)
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

func shrinkText(t testing.TB, b Budget, text string, o shrinkOptions) *shrunk {
	t.Helper()
	s := stream.NewScanner(strings.NewReader(text), stream.Options{Window: 4096})
	out, err := newGauge(b).shrink(s, o)
	if err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
	if n := s.InputOffset(); n != int64(len(text)) {
		t.Fatalf("stopped at %d of %d", n, len(text))
	}
	return out
}

func TestShrinkLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(genTree(t, nil, 4))
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

func checkShrink(t failer, b Budget, text string, o shrinkOptions) {
	t.Helper()
	run := func() *shrunk {
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
	out := run()
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
	if again := run(); !bytes.Equal(again.Text, out.Text) {
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
	if said := (totals{out.Keys, out.Items, out.Chars}); said != sums {
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
