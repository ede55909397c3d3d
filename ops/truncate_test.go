package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"jlop/stream"
	"jlop/tokenize"
)

// ran runs a command over input with options given as name, value, name, value
// ...; a switch has the value "true".
func ran(t failer, run Run, input string, options ...string) (out, errs string, status int) {
	t.Helper()
	flags := map[string]Flag{}
	for _, f := range run.Flags() {
		flags[f.Name] = f
	}
	for i := 0; i < len(options); i += 2 {
		if err := flags[options[i]].Value.Set(options[i+1]); err != nil {
			t.Fatalf("--%s %s: %v", options[i], options[i+1], err)
		}
	}
	var stdout, stderr bytes.Buffer
	s := &Session{Stdin: strings.NewReader(input), Stdout: &stdout, Stderr: &stderr}
	s.Errorf(run.Run(context.Background(), s))
	return stdout.String(), stderr.String(), s.Status()
}

// truncated runs truncate as ran does.
func truncated(t failer, input string, options ...string) (out, errs string, status int) {
	t.Helper()
	return ran(t, Truncate.New(), input, options...)
}

// drawText draws a text with lines, escapes, wide characters and clusters.
func drawText(t *rapid.T, most int) string {
	part := rapid.SampledFrom([]string{
		"a", "word ", "longer words here ", "\n", "line of a log: ok\n", "é", "日本語", "👩‍👩‍👧", "e\u0301", "\"", "\\", "\t", "\u0007", "0123456789", "\r\n", "   ",
	})
	n := rapid.IntRange(0, most).Draw(t, "parts")
	var b strings.Builder
	for range n {
		b.WriteString(part.Draw(t, "part"))
	}
	return b.String()
}

// drawBudget draws limits and returns them as options too.
func drawBudget(t *rapid.T, least, most int) (Budget, []string) {
	var b Budget
	var options []string
	for b == (Budget{}) {
		options = nil
		for _, u := range units {
			if rapid.IntRange(0, 2).Draw(t, "given") > 0 {
				continue
			}
			n := rapid.IntRange(least, most).Draw(t, u.String())
			if u != Tokens {
				n *= 4
			}
			options = append(options, "max-"+u.String(), strconv.Itoa(n))
			switch u {
			case Tokens:
				b.Tokens = int64(n)
			case Bytes:
				b.Bytes = int64(n)
			case Chars:
				b.Chars = int64(n)
			}
		}
	}
	return b, options
}

// exceeds says which limit of b text exceeds, counted apart from the code under
// test.
func exceeds(b Budget, text string) string {
	switch {
	case b.Bytes > 0 && int64(len(text)) > b.Bytes:
		return fmt.Sprintf("%d bytes of %d", len(text), b.Bytes)
	case b.Chars > 0 && int64(utf8.RuneCountInString(text)) > b.Chars:
		return fmt.Sprintf("%d chars of %d", utf8.RuneCountInString(text), b.Chars)
	case b.Tokens > 0:
		if n := tokenize.NewCounter(tokenize.Default()).Count([]byte(text)); int64(n) > b.Tokens {
			return fmt.Sprintf("%d tokens of %d", n, b.Tokens)
		}
	}
	return ""
}

var markerPattern = regexp.MustCompile(`(?m)^ \[TRUNCATED (\d+) chars omitted, (\d+) kept\] $`)

// A cut string keeps its shape, tells the truth, and is within every limit.
func TestTruncateStringLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t, 400)
		b, options := drawBudget(t, 20, 1000)
		quoted := string(stream.AppendQuoted(nil, []byte(text)))
		raw := rapid.Bool().Draw(t, "raw")
		switch rapid.IntRange(0, 3).Draw(t, "division") {
		case 0:
			options = append(options, "tail", "0")
		case 1:
			options = append(options, "head", "30", "tail", "10")
		}
		if raw {
			options = append(options, "raw-output", "true")
		}
		out, errs, status := truncated(t, quoted, options...)
		body, whole := strings.TrimSuffix(out, "\n"), quoted
		if raw {
			whole = text
		}
		if exceeds(b, whole) == "" {
			if body != whole && out != whole {
				t.Fatalf("a text that fits came out as %q", out)
			}
			return
		}
		if over := exceeds(b, body); over != "" && status != 4 && !(raw && exceeds(b, out) == "") {
			t.Fatalf("%s: %q", over, body)
		}
		if status == 4 {
			if errs == "" {
				t.Fatal("status 4 without a message")
			}
			return
		}
		preview := out // which ends as the text does, or in a line feed of its own
		if !raw {
			var doc struct {
				Truncated  bool
				TotalChars *int
				Preview    *string
			}
			if err := json.Unmarshal([]byte(body), &doc); err != nil {
				t.Fatalf("%v: %q", err, body)
			}
			if doc.TotalChars != nil && *doc.TotalChars != utf8.RuneCountInString(text) {
				t.Fatalf("totalChars %d of %d", *doc.TotalChars, utf8.RuneCountInString(text))
			}
			if doc.Preview == nil {
				return
			}
			preview = *doc.Preview
		}
		checkMarked(t, text, preview)
	})
}

// checkMarked checks that preview is a head and a tail of text around a marker
// whose numbers are true.
func checkMarked(t *rapid.T, text, preview string) {
	at := markerPattern.FindStringSubmatchIndex(preview)
	if at == nil {
		t.Fatalf("no marker in %q", preview)
	}
	number := func(i int) int { n, _ := strconv.Atoi(preview[at[i]:at[i+1]]); return n }
	omitted, kept := number(2), number(4)
	total := utf8.RuneCountInString(text)
	if omitted+kept != total || omitted == 0 {
		t.Fatalf("%d omitted and %d kept of %d", omitted, kept, total)
	}
	head, tail := preview[:at[0]], preview[at[1]:]
	// The line breaks around the marker may be those of the text or not.
	for _, h := range []string{head, strings.TrimSuffix(head, "\n")} {
		for _, l := range []string{tail, strings.TrimPrefix(tail, "\n"), strings.Trim(tail, "\n"), strings.TrimSuffix(tail, "\n")} {
			if strings.HasPrefix(text, h) && strings.HasSuffix(text, l) && utf8.RuneCountInString(h+l) == kept {
				return
			}
		}
	}
	t.Fatalf("head %q and tail %q are not those of %q", head, tail, text)
}

// A cut text is filled as promised.
func TestTruncateFilled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.IntRange(1, 3000).Draw(t, "line")
		text := strings.Repeat(strings.Repeat("some words ", line/11+1)+"\n", 40000/line+2)
		n := rapid.IntRange(500, 4000).Draw(t, "tokens")
		out, _, status := truncated(t, string(stream.AppendQuoted(nil, []byte(text))), "max-tokens", strconv.Itoa(n))
		if used := tokenize.NewCounter(tokenize.Default()).Count([]byte(strings.TrimSuffix(out, "\n"))); status != 0 || used > n || used*100 < n*95 {
			t.Fatalf("%d of %d tokens used, status %d", used, n, status)
		}
	})
}

// Following the cursors of a cut string recovers all of it.
func TestTruncateReadOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t, 600)
		b, options := drawBudget(t, 150, 600)
		plain := rapid.Bool().Draw(t, "plain")
		// A cursor has to be bound to more than the value it is in.
		input := `{"id":1}` + "\n" + string(stream.AppendQuoted(nil, []byte(text))) + "\n"
		if plain {
			input = text
			options = append(options, "raw-input", "true")
		}
		out, _, status := truncated(t, input, options...)
		if status != 0 {
			return
		}
		lines := strings.SplitN(out, "\n", 2)
		doc := lines[0]
		if !plain {
			doc = lines[1]
		}
		type shape struct {
			Preview, Cursor string
		}
		var first shape
		if json.Unmarshal([]byte(doc), &first) != nil || first.Cursor == "" {
			return
		}
		at := markerPattern.FindStringIndex(first.Preview)
		rest := ""
		for cursor, n := first.Cursor, 0; cursor != ""; n++ {
			out, errs, status := truncated(t, input, append([]string{"cursor", cursor}, options...)...)
			if status != 0 {
				t.Fatalf("status %d: %s", status, errs)
			}
			if over := exceeds(b, strings.TrimSuffix(out, "\n")); over != "" {
				t.Fatalf("%s: %q", over, out)
			}
			if n > 5000 {
				t.Fatal("no end")
			}
			var next shape
			if out[0] == '"' {
				if err := json.Unmarshal([]byte(out), &next.Preview); err != nil {
					t.Fatal(err)
				}
			} else if err := json.Unmarshal([]byte(out), &next); err != nil {
				t.Fatal(err)
			}
			rest += next.Preview
			cursor = next.Cursor
		}
		head := first.Preview[:at[0]]
		if head+rest != text && strings.TrimSuffix(head, "\n")+rest != text {
			t.Fatalf("%q and %q are not %q", head, rest, text)
		}
	})
}

// Values of every shape: hard, valid, verbatim when they fit, the same twice.
func TestTruncateLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var input strings.Builder
		var values []string
		for range rapid.IntRange(1, 4).Draw(t, "values") {
			v := drawValue(t, 4)
			values = append(values, v)
			input.WriteString(v + "\n")
		}
		b, options := drawBudget(t, 20, 500)
		out, errs, status := truncated(t, input.String(), options...)
		if status != 0 && status != 4 {
			t.Fatalf("status %d: %s", status, errs)
		}
		checkRecords(t, b, out, status, values, func(int, string) bool { return true })
		if again, _, _ := truncated(t, input.String(), options...); again != out {
			t.Fatal(cmp.Diff(out, again))
		}
		if twice, _, _ := truncated(t, out, options...); twice != out {
			t.Fatal(cmp.Diff(out, twice))
		}
	})
}

// checkRecords checks that out has a valid value for each of values, within the
// budget unless the status says otherwise. Those that fit are as they were, unless
// passes, which is asked about each value and what became of it, says no.
func checkRecords(t *rapid.T, b Budget, out string, status int, values []string, passes func(i int, got string) bool) {
	d := json.NewDecoder(strings.NewReader(out))
	for i, v := range values {
		var got json.RawMessage
		if err := d.Decode(&got); err != nil {
			t.Fatalf("value %d: %v in %q", i, err, out)
		}
		if over := exceeds(b, string(got)); over != "" && status != 4 {
			t.Fatalf("%s: %s", over, got)
		}
		if pass := passes(i, string(got)); pass && exceeds(b, v) == "" && string(got) != v {
			t.Fatalf("%s came out as %s", v, got)
		}
	}
}

// drawValue draws a JSON value with white space in it.
func drawValue(t *rapid.T, depth int) string {
	space := rapid.SampledFrom([]string{"", "", "", " ", "\n  "})
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0:
		return strconv.Itoa(rapid.Int().Draw(t, "number"))
	case 1:
		return rapid.SampledFrom([]string{"null", "true", "false", "1.50", "-0", "1e400", "12345678901234567890"}).Draw(t, "scalar")
	case 2, 3:
		return string(stream.AppendQuoted(nil, []byte(drawText(t, 60))))
	}
	var b strings.Builder
	n := rapid.IntRange(0, 12).Draw(t, "size")
	if kind == 4 {
		b.WriteByte('[')
	} else {
		b.WriteByte('{')
	}
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(space.Draw(t, "space"))
		if kind != 4 {
			name := rapid.SampledFrom([]string{"id", "name", "error", "data", "Ünï", "a\"b", ""}).Draw(t, "name")
			b.Write(stream.AppendQuoted(nil, []byte(name)))
			b.WriteString(":" + space.Draw(t, "space"))
		}
		b.WriteString(drawValue(t, depth-1))
	}
	b.WriteString(space.Draw(t, "space"))
	if kind == 4 {
		b.WriteByte(']')
	} else {
		b.WriteByte('}')
	}
	return b.String()
}

// --max-string caps every string by itself and copies the rest.
func TestMaxStringLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := drawValue(t, 4)
		n := rapid.IntRange(6, 200).Draw(t, "chars") // longer than the names
		out, errs, status := truncated(t, value, "max-string", strconv.Itoa(n))
		if status != 0 {
			t.Fatalf("status %d: %s", status, errs)
		}
		before, after := stringsOf(t, value), stringsOf(t, out)
		if len(before) != len(after) {
			t.Fatalf("%d strings, then %d", len(before), len(after))
		}
		// What stands between the strings is copied.
		if diff := cmp.Diff(between(value), between(strings.TrimSuffix(out, "\n"))); diff != "" {
			t.Fatal(diff)
		}
		for i, s := range before {
			switch {
			case utf8.RuneCountInString(s) <= n:
				if after[i] != s {
					t.Fatalf("%q came out as %q", s, after[i])
				}
			case utf8.RuneCountInString(after[i]) > n:
				t.Fatalf("%d chars of %d: %q", utf8.RuneCountInString(after[i]), n, after[i])
			}
		}
		if twice, _, _ := truncated(t, out, "max-string", strconv.Itoa(n)); twice != out {
			t.Fatal(cmp.Diff(out, twice))
		}
	})
}

// stringsOf lists the string values and names of a value.
func stringsOf(t *rapid.T, value string) (all []string) {
	d := json.NewDecoder(strings.NewReader(value))
	d.UseNumber()
	for {
		tok, err := d.Token()
		if err != nil {
			return all
		}
		if s, ok := tok.(string); ok {
			all = append(all, s)
		}
	}
}

var stringPattern = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

func between(value string) []string { return stringPattern.Split(value, -1) }

func TestTruncateTable(t *testing.T) {
	long := strings.Repeat("line of text\n", 100)
	quoted := string(stream.AppendQuoted(nil, []byte(long)))
	for _, tt := range []struct {
		name, in string
		options  []string
		want     string
		status   int
	}{
		{"fits", `"x"`, nil, "\"x\"\n", 0},
		{"as found", "{ \"a\" : 1.0 }\r\n\r\n[ ]\t\n", nil, "{ \"a\" : 1.0 }\r\n\r\n[ ]\t\n", 0},
		{"glued", `{}{}1 2`, nil, "{}{}1 2\n", 0},
		{"compact", `{ "a" : [ 1 , 2 ] } 3`, []string{"compact", "true"}, "{\"a\":[1,2]}\n3\n", 0},
		{"raw output", `"a\u00e9\n"`, []string{"raw-output", "true"}, "aé\n", 0},
		{"escapes that need not be", `"` + strings.Repeat(`\u0041`, 10) + `"`, []string{"max-bytes", "20"}, "\"AAAAAAAAAA\"\n", 0},
		{"string", quoted, []string{"max-bytes", "330"},
			`{"truncated":true,"totalChars":1300,"estimatedTokens":400,"preview":"line of text\nline of text\nline of text\nline of text\nline of text\n [TRUNCATED 1222 chars omitted, 78 kept] \nline of text\n",` +
				`"cursor":"FcWdHIHi6wLBX8vYfI4BAoIBqBQAoAYiapXj","note":"String truncated to ~330 bytes. Full length: 1300 chars (~400 tokens)."}` + "\n", 0},
		{"no room for the note", quoted, []string{"max-bytes", "60"}, `{"truncated":true,"totalChars":1300}` + "\n", 0},
		{"no room for the count", quoted, []string{"max-bytes", "20"}, `{"truncated":true}` + "\n", 0},
		{"stub", quoted, []string{"max-bytes", "10"}, `""` + "\n", 4},
		{"a number", strings.Repeat("1", 100), []string{"max-bytes", "10"}, "0\n", 4},
		{"at", `{"a": ` + quoted + `, "b":[ 1]}`, []string{"at", ".a", "max-bytes", "20"}, `{"a": {"truncated":true}, "b":[ 1]}` + "\n", 0},
		{"at nothing", `{"b":[ 1]}`, []string{"at", "/a", "max-bytes", "2"}, `{"b":[ 1]}` + "\n", 0},
		{"strings, then the value", `[{"a":"` + strings.Repeat("x", 200) + `"},` + strings.Repeat("1,", 200) + `2]`, []string{"max-string", "60", "max-bytes", "230"},
			`[{"a":"xxxxxxxxxxxxxxxx\n [TRUNCATED 182 chars omitted, 18 kept] \nxx"},` + strings.Repeat("1,", 26) + `{"_truncated":{"limit":"230 bytes","items":174,"chars":182,"cursor":"FMWdHIEAAAAAAAAAAAACAAAAMqfuRg"}},2]` + "\n", 0},
		{"what an earlier cut said stays", `{"items":["[TRUNCATED 34 items omitted, 2 kept]","[TRUNCATED 34 items]"],"_truncated":{"limit":"150 tokens","cursor":"FMWdHIEAAAAANT44egACAAEAR87Shw"},"limit":"150 tokens"}`,
			[]string{"max-string", "5"},
			`{"items":["[TRUNCATED 34 items omitted, 2 kept]","[TRU…"],"_truncated":{"limit":"150 tokens","cursor":"FMWdHIEAAAAANT44egACAAEAR87Shw"},"limit":"150 …"}` + "\n", 0},
		{"neither head nor tail", quoted, []string{"max-bytes", "400", "head", "0", "tail", "0"},
			`{"truncated":true,"totalChars":1300,"estimatedTokens":400,"preview":" [TRUNCATED 1300 chars omitted, 0 kept] ",` +
				`"cursor":"FcWdHIF4rfuTeK37kwICAKgUAKAG-14ZGg","note":"String truncated to ~400 bytes. Full length: 1300 chars (~400 tokens)."}` + "\n", 0},
		{"an estimate", quoted, []string{"max-tokens", "150", "model", "claude-sonnet-4-5", "head", "0", "tail", "0"},
			`{"truncated":true,"totalChars":1300,"estimatedTokens":500,"preview":" [TRUNCATED 1300 chars omitted, 0 kept] ","cursor":"FcWdHIF4rfuTeK37kwICAKgUAOgHRNhxig",` +
				`"note":"String truncated to ~150 tokens. Full length: 1300 chars (~500 tokens). Tokens are estimates."}` + "\n", 0},
		{"head and tail below the budget", quoted, []string{"max-bytes", "400", "head", "14", "tail", "14"},
			`{"truncated":true,"totalChars":1300,"estimatedTokens":400,"preview":"line of text\n [TRUNCATED 1274 chars omitted, 26 kept] \nline of text\n",` +
				`"cursor":"FcWdHIGhjUo2oY1KNh4CGqgUAKAGpiNO6g","note":"String truncated to ~400 bytes. Full length: 1300 chars (~400 tokens)."}` + "\n", 0},
		{"sequence", "\x1e1\n\x1e2\n", []string{"seq", "true"}, "\x1e1\n\x1e2\n", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, errs, status := truncated(t, tt.in, tt.options...)
			if diff := cmp.Diff(tt.want, out); diff != "" || status != tt.status {
				t.Errorf("status %d, %s\n%s", status, errs, diff)
			}
		})
	}
}

// A steps reader gives one piece per call, and asks before each.
type steps struct {
	pieces []string
	before func(i int)
	i      int
}

func (s *steps) Read(p []byte) (int, error) {
	s.before(s.i)
	if s.i == len(s.pieces) {
		return 0, io.EOF
	}
	n := copy(p, s.pieces[s.i])
	s.pieces[s.i] = s.pieces[s.i][n:]
	if s.pieces[s.i] == "" {
		s.i++
	}
	return n, nil
}

// Every record is written before the next one is waited for.
func TestTruncateLive(t *testing.T) {
	long := strings.Repeat("x", 100)
	var out bytes.Buffer
	lines := []string{"{\"a\":1}\n", "\"b\"\n", "[\"" + long + "\"]\n", "\"" + long + "\"\n", "4\n"}
	in := &steps{pieces: slices.Clone(lines), before: func(i int) {
		if n := strings.Count(out.String(), "\n"); n < i {
			t.Errorf("%d records written when record %d is waited for", n, i)
		}
	}}
	run := Truncate.New()
	for _, f := range run.Flags() {
		if f.Name == "max-bytes" {
			if err := f.Value.Set("60"); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := &Session{Stdin: in, Stdout: &out, Stderr: &out}
	if err := run.Run(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != len(lines) {
		t.Errorf("%d lines: %s", n, out.String())
	}
}

// No limit and no scale makes a run overflow or search for ever.
func TestTruncateExtremes(t *testing.T) {
	text := string(stream.AppendQuoted(nil, []byte(strings.Repeat("line of text\n", 1000))))
	for _, tt := range []struct {
		name    string
		options []string
		message string // "": all of the text comes out
	}{
		{"tokens", []string{"max-tokens", "9223372036854775807"}, ""},
		{"tokens, scaled up", []string{"max-tokens", "9223372036854775807", "scale", "1000"}, ""},
		{"tokens, scaled down", []string{"max-tokens", "9223372036854775807", "scale", "0.001"}, ""},
		{"tokens of a model", []string{"max-tokens", "9223372036854775807", "model", "claude-sonnet-4-5"}, ""},
		{"bytes", []string{"max-bytes", "9223372036854775807"}, ""},
		{"chars", []string{"max-chars", "9223372036854775807"}, ""},
		{"a string", []string{"max-string", "9223372036854775807"}, ""},
		{"the scale", []string{"scale", "1e300"}, "jlop: --scale is 0.001 to 1000, not 1e+300\n"},
		{"a scale near none", []string{"scale", "1e-300"}, "jlop: --scale is 0.001 to 1000, not 1e-300\n"},
		{"no scale", []string{"scale", "0"}, "jlop: --scale is 0.001 to 1000, not 0\n"},
		{"a negative scale", []string{"scale", "-1"}, "jlop: --scale is 0.001 to 1000, not -1\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want, code := text+"\n", 0
			if tt.message != "" {
				want, code = "", 2
			}
			out, errs, status := truncated(t, text, tt.options...)
			if diff := cmp.Diff([]any{want, tt.message, code}, []any{out, errs, status}); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("beside a small limit", func(t *testing.T) {
		for _, options := range [][]string{
			{"max-tokens", "9223372036854775807", "max-bytes", "500"},
			{"max-chars", "9223372036854775807", "max-bytes", "500"},
			{"max-bytes", "9223372036854775807", "max-chars", "500"},
			{"max-bytes", "500", "head", "9223372036854775807", "tail", "9223372036854775807"},
		} {
			out, errs, status := truncated(t, text, options...)
			if len(out) > 501 || len(out) < 400 || status != 0 {
				t.Errorf("%q: status %d, %s%s", options, status, out, errs)
			}
		}
	})
}

// BenchmarkMaxString cuts one short string per record.
func BenchmarkMaxString(b *testing.B) {
	input := strings.Repeat(`{"id":1,"ok":true,"text":"`+strings.Repeat("some words ", 10)+"\"}\n", 1000)
	b.SetBytes(int64(len(input)))
	for b.Loop() {
		if _, errs, status := truncated(b, input, "max-string", "60"); status != 0 {
			b.Fatal(errs)
		}
	}
}
