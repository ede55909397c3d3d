package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"jlop/stream"
)

// summarized runs summarize as ran does.
func summarized(t failer, input string, options ...string) (out, errs string, status int) {
	t.Helper()
	return ran(t, Summarize.New(), input, options...)
}

// A pair is a member of an object.
type pair struct {
	name  string
	value json.RawMessage
}

// pairsOf returns the members of a JSON object, in order, duplicates too.
func pairsOf(t failer, doc string) []pair {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(doc))
	if _, err := d.Token(); err != nil {
		t.Fatalf("%v: %s", err, doc)
	}
	var all []pair
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatalf("%v: %s", err, doc)
		}
		p := pair{name: name.(string)}
		if err := d.Decode(&p.value); err != nil {
			t.Fatalf("%v: %s", err, doc)
		}
		all = append(all, p)
	}
	return all
}

// Values of every shape: hard, valid, verbatim when they fit, the same again,
// and a summary that fits passes.
func TestSummarizeLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var input strings.Builder
		var values []string
		for range rapid.IntRange(1, 4).Draw(t, "values") {
			v := drawValue(t, 4)
			values = append(values, v)
			input.WriteString(v + "\n")
		}
		b, options := drawBudget(t, 10, 300)
		options = append(options, "depth", strconv.Itoa(rapid.IntRange(1, 4).Draw(t, "depth")))
		shape := rapid.IntRange(0, 3).Draw(t, "shape") == 0
		if shape {
			options = append(options, "shape", "true")
		}
		out, errs, status := summarized(t, input.String(), options...)
		if status != 0 && status != 4 {
			t.Fatalf("status %d: %s", status, errs)
		}
		checkRecords(t, b, out, status, values, func(int, string) bool { return !shape })
		if again, _, _ := summarized(t, input.String(), options...); again != out {
			t.Fatal(cmp.Diff(out, again))
		}
		if twice, _, _ := summarized(t, out, options...); twice != out && !shape && status == 0 {
			t.Fatal(cmp.Diff(out, twice))
		}
	})
}

// The members of a summarized object stand in the order of the input, the
// previews are true, and so are the counts.
func TestSummarizeObjectLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var doc strings.Builder
		names := rapid.SampledFrom([]string{"id", "name", "error", "exit_code", "_keys", "_totalKeys", "cursor", "_truncatedKeys", "data", "é", `a"b`, "id"})
		n := rapid.IntRange(1, 60).Draw(t, "keys")
		doc.WriteByte('{')
		for i := range n {
			if i > 0 {
				doc.WriteByte(',')
			}
			doc.Write(stream.AppendQuoted(nil, []byte(names.Draw(t, "name"))))
			doc.WriteString(":" + drawValue(t, 2))
		}
		doc.WriteByte('}')
		b, options := drawBudget(t, 40, 400)
		out, _, status := summarized(t, doc.String(), options...)
		if status != 0 || exceeds(b, doc.String()) == "" {
			return
		}
		in := pairsOf(t, doc.String())
		got := pairsOf(t, out)
		if got[0].name != "_summarized" {
			t.Fatalf("no summary: %s", out)
		}
		if len(got) == 1 {
			return
		}
		if want := strconv.Itoa(n); string(got[1].value) != want || got[1].name != "_totalKeys" {
			t.Fatalf("%s keys, not %s", got[1].value, want)
		}
		got = got[2:]
		if len(got) > 0 && got[0].name == "_estimatedTokens" {
			got = got[1:]
		}
		missing := 0
		if last := len(got) - 1; last >= 0 && got[last].name == "_truncatedKeys" {
			missing, _ = strconv.Atoi(string(got[last].value))
			got = got[:last]
		}
		if last := len(got) - 1; last >= 0 && got[last].name == "cursor" {
			got = got[:last]
		}
		var own []pair
		if last := len(got) - 1; last >= 0 && got[last].name == "_keys" {
			own = pairsOf(t, string(got[last].value))
			got = got[:last]
		}
		if len(got)+len(own)+missing != n {
			t.Fatalf("%d keys, %d under _keys and %d left out of %d: %s", len(got), len(own), missing, n, out)
		}
		for _, shown := range [][]pair{got, own} {
			rest := in
			for _, p := range shown {
				i := slices.IndexFunc(rest, func(q pair) bool { return q.name == p.name && isPreview(t, q.value, p.value) })
				if i < 0 {
					t.Fatalf("%q: %s is not of %s", p.name, p.value, doc.String())
				}
				rest = rest[i+1:]
			}
		}
		for _, p := range got {
			if p.name == "_totalKeys" || p.name == "_keys" || p.name == "cursor" {
				t.Fatalf("two members called %s: %s", p.name, out)
			}
		}
	})
}

// isPreview reports whether got is the preview of a value at depth 1.
func isPreview(t failer, value, got json.RawMessage) bool {
	switch value[0] {
	case '{':
		var names []string
		for i, p := range pairsOf(t, string(value)) {
			if i == 5 {
				names = append(names, "...")
				break
			}
			names = append(names, p.name)
		}
		if len(names) == 0 {
			return string(got) == "{}"
		}
		return stringOf(got) == "{Object: "+strings.Join(names, ", ")+"}"
	case '[':
		var items []json.RawMessage
		if json.Unmarshal(value, &items) != nil {
			return false
		}
		if len(items) == 0 {
			return string(got) == "[]"
		}
		return stringOf(got) == fmt.Sprintf("[Array(%d)]", len(items))
	case '"':
		text := stringOf(value)
		if utf8.RuneCountInString(text) <= 100 {
			return bytes.Equal(value, got)
		}
		head, cut := strings.CutSuffix(stringOf(got), "…")
		return cut && strings.HasPrefix(text, head) && utf8.RuneCountInString(head) <= 100 && utf8.RuneCountInString(head) > 80
	}
	return bytes.Equal(value, got)
}

func stringOf(value json.RawMessage) (s string) {
	if json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}

// The items of a summarized array are its first ones, byte for byte, and its
// shape tells of all.
func TestSummarizeArrayLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 80).Draw(t, "items")
		var items []string
		for range n {
			items = append(items, drawValue(t, 2))
		}
		doc := "[" + strings.Join(items, ", ") + "]"
		b, options := drawBudget(t, 40, 400)
		out, _, status := summarized(t, doc, options...)
		if status != 0 || exceeds(b, doc) == "" {
			return
		}
		var got struct {
			Summarized bool              `json:"_summarized"`
			TotalItems *int              `json:"_totalItems"`
			Shape      string            `json:"_shape"`
			Items      []json.RawMessage `json:"items"`
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || !got.Summarized {
			t.Fatalf("%v: %s", err, out)
		}
		if got.TotalItems == nil {
			return
		}
		if *got.TotalItems != n || !strings.HasPrefix(got.Shape, fmt.Sprintf("%d × ", n)) {
			t.Fatalf("%d items: %s", n, out)
		}
		for i, item := range got.Items {
			if len(got.Items) > 1 && string(item) != strings.TrimSpace(items[i]) {
				t.Fatalf("item %d is %s, not %s", i, item, items[i])
			}
		}
	})
}

// A summary of many small members fills the budget.
func TestSummarizeFilled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var doc strings.Builder
		doc.WriteString(`{"first":0`)
		for i := range 6000 {
			fmt.Fprintf(&doc, `,"key_%d":"value %d"`, i, i)
		}
		doc.WriteString(`,"error":"late"}`)
		n := rapid.IntRange(500, 4000).Draw(t, "tokens")
		out, _, status := summarized(t, doc.String(), "max-tokens", strconv.Itoa(n))
		g := newGauge(Budget{Tokens: int64(n)})
		if used := g.count([]byte(strings.TrimSuffix(out, "\n"))); status != 0 || used > int64(n) || used*100 < int64(n)*95 {
			t.Fatalf("%d of %d tokens used, status %d", used, n, status)
		}
		if !strings.Contains(out, `"error":"late"`) {
			t.Fatal("the error is lost")
		}
	})
}

// A summary of a summary says what the first one said of the whole, and keeps its
// cursor.
func TestSummarizeAgain(t *testing.T) {
	var doc strings.Builder
	doc.WriteString(`{"first":0`)
	for i := range 500 {
		fmt.Fprintf(&doc, `,"key_%d":"value %d"`, i, i)
	}
	doc.WriteString("}")
	type said struct {
		TotalKeys       int    `json:"_totalKeys"`
		EstimatedTokens int    `json:"_estimatedTokens"`
		Cursor          string `json:"cursor"`
	}
	var first, second said
	once, _, _ := summarized(t, doc.String(), "max-tokens", "1000")
	twice, _, _ := summarized(t, once, "max-tokens", "200")
	if json.Unmarshal([]byte(once), &first) != nil || json.Unmarshal([]byte(twice), &second) != nil || first.Cursor == "" {
		t.Fatalf("%s\n%s", once, twice)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Error(diff)
	}
	shown, missing := 0, 0
	for _, p := range pairsOf(t, twice) {
		switch {
		case strings.HasPrefix(p.name, "key_"), p.name == "first":
			shown++
		case p.name == "_truncatedKeys":
			missing, _ = strconv.Atoi(string(p.value))
		}
	}
	if shown == 0 || shown+missing != 501 {
		t.Errorf("%d shown, %d left out of 501: %s", shown, missing, twice)
	}
}

func TestShape(t *testing.T) {
	wide := "{"
	for i := range 100 {
		wide += fmt.Sprintf(`"k%d":1,`, i)
	}
	wide += `"last":1}`
	for _, row := range []struct {
		name, items, want string
		deep              int
	}{
		{"objects", `[{"id":1,"name":"a"},{"id":2,"name":"b"}]`, "2 × {id: int, name: string}", 1},
		{"optional", `[{"id":1},{"id":2,"name":"b"}]`, "2 × {id: int, name?: string}", 1},
		{"a name twice in one object", `[{"id":1,"id":2},{"id":3}]`, "2 × {id: int}", 1},
		{"a name twice is not in all", `[{"id":1,"id":2},{}]`, "2 × {id?: int}", 1},
		{"types", `[{"a":1},{"a":1.5},{"a":1e3},{"a":"x"},{"a":true},{"a":[]},{"a":{}},{"a":null}]`, "8 × {a: int|float|string|bool|array|object|null}", 1},
		{"scalars", `[1,2,3]`, "3 × int", 1},
		{"mixed", `[1,"a",{"b":null}]`, "3 × int|string|{b: null}", 1},
		{"rows", `[[1,"a"],[2,"b"]]`, "2 × [int|string]", 1},
		{"empty rows", `[[],[]]`, "2 × []", 1},
		{"empty objects", `[{},{}]`, "2 × {}", 1},
		{"not deep", `[{"a":{"b":1},"c":[1]}]`, "1 × {a: object, c: array}", 1},
		{"deep", `[{"a":{"b":1},"c":[{"d":null}]}]`, "1 × {a: {b: int}, c: [object]}", 2},
		{"deeper", `[{"a":{"b":1},"c":[{"d":null}]}]`, "1 × {a: {b: int}, c: [{d: null}]}", 3},
		{"names that are no identifiers", `[{"a b":1,"":2,"é-1":3,"x\"y":4}]`, `1 × {"a b": int, "": int, é-1: int, "x\"y": int}`, 1},
		{"order of the first", `[{"b":1,"a":2},{"a":1,"b":2,"c":3}]`, "2 × {b: int, a: int, c?: int}", 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			var sh shape
			var n int64
			f := inferrer{s: stream.NewScanner(strings.NewReader(row.items), stream.Options{})}
			if _, err := f.s.Next(); err != nil {
				t.Fatal(err)
			}
			if err := f.counted(&sh, &n, row.deep); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, string(sh.appendCounted(nil, n, maxShapeKeys))); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("wide", func(t *testing.T) {
		var sh shape
		f := inferrer{s: stream.NewScanner(strings.NewReader(wide), stream.Options{})}
		k, err := f.s.Next()
		if err == nil {
			err = f.value(k, &sh, 1)
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff("{k0: int, k1: int, ...}", string(sh.append(nil, 2))); diff != "" {
			t.Error(diff)
		}
		if got := string(sh.append(nil, maxShapeKeys)); !strings.HasSuffix(got, "k63: int, ...}") {
			t.Error(got)
		}
	})
}

// Strings and nesting of any size are no trouble.
func TestSummarizeHostile(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, row := range []struct{ name, input, want string }{
		{"long string", `{"a":"` + long + `","b":1}`, `"a":"` + long[:100] + `…","b":1`},
		{"long name", `{"` + long + `":1,"b":1}`, `"b":1`},
		{"long number", `{"a":1` + strings.Repeat("0", 1<<20) + `,"b":1}`, `"b":1`},
		{"long name inside", `{"a":{"` + long + `":1},"b":1}`, `"a":"{Object: …}","b":1`},
		{"deep", `{"a":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `,"b":1}`, `"a":"[Array(1)]","b":1`},
		{"many items", `{"a":[` + strings.Repeat("1,", 1<<20) + `1],"b":1}`, `"a":"[Array(1048577)]","b":1`},
		{"clusters", `{"a":"` + strings.Repeat("👩‍👩‍👧", 5000) + `","b":1}`, `"a":"` + strings.Repeat("👩‍👩‍👧", 20) + `…","b":1`},
		{"lone surrogates", `{"a":"` + strings.Repeat(`\ud800`, 5000) + `","b":1}`, `"b":1`},
	} {
		t.Run(row.name, func(t *testing.T) {
			out, errs, status := summarized(t, row.input, "max-bytes", "1000")
			if status != 0 || !strings.Contains(out, row.want) || !json.Valid([]byte(out)) || len(out) > 1001 {
				t.Errorf("status %d, %s%.2000s", status, errs, out)
			}
		})
	}
}

func BenchmarkSummarize(b *testing.B) {
	for _, in := range shrinkInputs {
		data := in.make()
		b.Run(in.name+"/skip", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if err := stream.NewScanner(bytes.NewReader(data), stream.Options{}).Skip(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(in.name+"/summarize", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				s := &Session{Stdin: bytes.NewReader(data), Stdout: io.Discard, Stderr: io.Discard}
				if err := Summarize.New().Run(context.Background(), s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
