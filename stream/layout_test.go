package stream

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// layoutRows are texts with what jq makes of them with -c, --indent 2 and
// --tab.
var layoutRows = []struct{ name, in, compact, two, tab string }{
	{"scalar", ` 1.50e+3 `, `1.50e+3`, `1.50e+3`, `1.50e+3`},
	{"string with escapes", ` "a\"b\\" `, `"a\"b\\"`, `"a\"b\\"`, `"a\"b\\"`},
	{"empty containers", `[ [ ] , { } ]`, `[[],{}]`, "[\n  [],\n  {}\n]", "[\n\t[],\n\t{}\n]"},
	{"object", `{"a":1 , "b":[true,null]}`, `{"a":1,"b":[true,null]}`,
		"{\n  \"a\": 1,\n  \"b\": [\n    true,\n    null\n  ]\n}",
		"{\n\t\"a\": 1,\n\t\"b\": [\n\t\ttrue,\n\t\tnull\n\t]\n}"},
	{"white space and brackets in strings", "{\" { a : b, } \" :\r\n\t\"[ , ]\"}", `{" { a : b, } ":"[ , ]"}`,
		"{\n  \" { a : b, } \": \"[ , ]\"\n}", "{\n\t\" { a : b, } \": \"[ , ]\"\n}"},
	{"pretty to begin with", "[\n  1,\n  2\n]\n", `[1,2]`, "[\n  1,\n  2\n]", "[\n\t1,\n\t2\n]"},
	{"duplicate keys stay", `{"a":1,"a":2}`, `{"a":1,"a":2}`, "{\n  \"a\": 1,\n  \"a\": 2\n}", "{\n\t\"a\": 1,\n\t\"a\": 2\n}"},
}

func TestLayoutAppend(t *testing.T) {
	for _, row := range layoutRows {
		for _, l := range []struct {
			name   string
			layout Layout
			want   string
		}{
			{"as found", Layout{}, row.in},
			{"as found in a sequence", Layout{Seq: true}, row.in},
			{"compact", Layout{Compact: true}, row.compact},
			{"indent 2", Layout{Indent: 2}, row.two},
			{"tab", Layout{Tab: true}, row.tab},
		} {
			t.Run(row.name+"/"+l.name, func(t *testing.T) {
				got := l.layout.Append([]byte("before "), []byte(row.in))
				if diff := cmp.Diff("before "+l.want, string(got)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// jsonText draws a JSON text: any value with white space of any kind between
// its tokens.
func jsonText(t *rapid.T) string {
	var b strings.Builder
	space := func() {
		b.WriteString(rapid.SampledFrom([]string{"", "", "", " ", "\n", "\r\n", "\t", "  \n\t "}).Draw(t, "space"))
	}
	str := func() {
		b.WriteString(rapid.SampledFrom([]string{
			`""`, `"a"`, `"b"`, `"\""`, `"\\"`, `"\\\""`, `"a\\\\"`, `"é\u00e9😀\ud83d\ude00"`, `"{[,:]}"`, `" \n "`,
			`"some longer text, with \"quotes\" and a \\ backslash"`,
		}).Draw(t, "string"))
	}
	var value func(depth int)
	value = func(depth int) {
		space()
		kinds := 6
		if depth > 4 {
			kinds = 4
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0, 1:
			str()
		case 2:
			b.WriteString(rapid.SampledFrom([]string{"0", "-1", "1.50", "1e5", "-0.0E-12", "123456789012345678901234567890"}).Draw(t, "number"))
		case 3:
			b.WriteString(rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "word"))
		case 4:
			b.WriteByte('[')
			n := rapid.IntRange(0, 4).Draw(t, "elements")
			for i := range n {
				if i > 0 {
					b.WriteByte(',')
				}
				value(depth + 1)
			}
			space()
			b.WriteByte(']')
		case 5:
			b.WriteByte('{')
			n := rapid.IntRange(0, 4).Draw(t, "members")
			for i := range n {
				if i > 0 {
					b.WriteByte(',')
				}
				space()
				str()
				space()
				b.WriteByte(':')
				value(depth + 1)
			}
			space()
			b.WriteByte('}')
		}
		space()
	}
	value(0)
	return b.String()
}

// pieces cuts a text at random places.
func pieces(t *rapid.T, text string) []string {
	var out []string
	for text != "" {
		n := rapid.IntRange(1, min(len(text), 40)).Draw(t, "piece")
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

// TestLayoutLaw holds the layouts to encoding/json, however the text is cut.
func TestLayoutLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := jsonText(t)
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(text)); err != nil {
			t.Fatal(err)
		}
		indent := rapid.IntRange(1, MaxIndent).Draw(t, "indent")
		// Not json.Indent of the text itself, which keeps space inside what is
		// empty.
		var indented bytes.Buffer
		if err := json.Indent(&indented, compact.Bytes(), "", strings.Repeat(" ", indent)); err != nil {
			t.Fatal(err)
		}
		for _, l := range []struct {
			layout Layout
			want   string
		}{
			{Layout{}, text},
			{Layout{Compact: true}, compact.String()},
			{Layout{Indent: indent}, indented.String()},
		} {
			whole := string(l.layout.Append(nil, []byte(text)))
			if diff := cmp.Diff(l.want, whole); diff != "" {
				t.Fatalf("%+v: %s", l.layout, diff)
			}
			if again := string(l.layout.Append(nil, []byte(whole))); again != whole {
				t.Fatalf("%+v: twice is not once: %s", l.layout, cmp.Diff(whole, again))
			}
			if l.layout.AsFound() {
				continue
			}
			var got bytes.Buffer
			lw := layoutWriter{w: &got}
			lw.reset(l.layout)
			for _, p := range pieces(t, text) {
				if _, err := lw.Write([]byte(p)); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(whole, got.String()); diff != "" {
				t.Fatalf("%+v in pieces: %s", l.layout, diff)
			}
		}
	})
}

// TestLayoutAsJq holds the rows to jq itself where there is one. Numbers and
// escapes, which jq rewrites, are left out of the comparison.
func TestLayoutAsJq(t *testing.T) {
	jq, err := exec.LookPath("jq")
	if err != nil {
		t.Skip(err)
	}
	for _, row := range layoutRows {
		if row.name == "scalar" || row.name == "duplicate keys stay" {
			continue
		}
		for flag, want := range map[string]string{"-c": row.compact, "--indent=2": row.two, "--tab": row.tab} {
			cmd := exec.Command(jq, append(strings.Split(flag, "="), ".")...)
			cmd.Stdin = strings.NewReader(row.in)
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want+"\n", string(out)); diff != "" {
				t.Errorf("%s, jq %s: %s", row.name, flag, diff)
			}
		}
	}
}

// maxWriter notes the largest write.
type maxWriter struct{ n, max int }

func (w *maxWriter) Write(p []byte) (int, error) {
	w.n += len(p)
	w.max = max(w.max, len(p))
	return len(p), nil
}

// TestLayoutDeep lays out a text that grows ten thousandfold.
func TestLayoutDeep(t *testing.T) {
	text := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	var got maxWriter
	lw := layoutWriter{w: &got}
	lw.reset(Layout{Indent: MaxIndent})
	if _, err := lw.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if want := len(Layout{Indent: MaxIndent}.Append(nil, []byte(text))); got.n != want {
		t.Errorf("wrote %d bytes, want %d", got.n, want)
	}
	if got.max > layoutPiece+2000*MaxIndent+2 {
		t.Errorf("held %d bytes at a time", got.max)
	}
}
