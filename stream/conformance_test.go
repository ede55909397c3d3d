package stream

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// accepted are inputs of one value each, by what they are about.
var accepted = []struct {
	name   string
	inputs []string
}{
	{"literals", []string{`null`, `true`, `false`, `[null]`, `[true,false,null]`, `{"":null}`, "\ttrue\r\n", ` false `, "null\n"}},
	{"numbers", []string{
		`0`, `-0`, `1`, `-1`, `9`, `10`, `123456789012345678901234567890`, `0.0`, `-0.0`, `0.1`, `1.0`, `-12.34`, `1e1`, `1E1`, `1e+1`, `1e-1`,
		`1.5e10`, `1.5E-10`, `0e0`, `0E+00`, `-0e-0`, `1e000`, `1e400`, `1e-400`, `[0]`, `[-0]`, `[1.5e3,2]`, `[ 0 , 1 ]`, `{"a":-1.5E+3}`,
		`1234567`, `12345678`, `123456789`, `0.12345678`, `1.123456789e12345678`, `[1,22,333,4444,55555,666666,7777777,88888888,999999999]`,
		strings.Repeat("7", 300), "-0." + strings.Repeat("0", 300) + "1", "1e" + strings.Repeat("0", 300), "[" + strings.Repeat("8", 4200) + "]",
	}},
	{"strings", []string{
		`""`, `"a"`, `" "`, `"abc"`, `"1234567"`, `"12345678"`, `"123456789"`, `"1234567890123456"`, `"/"`, `"'"`, `"\u007f"`, "\"\x7f\"",
		`"` + strings.Repeat("a", 47) + `"`, `"` + strings.Repeat("b", 48) + `"`, `"` + strings.Repeat("c", 63) + `"`, `"` + strings.Repeat("d", 64) + `"`,
		`"` + strings.Repeat("e", 111) + `"`, `"` + strings.Repeat("f", 112) + `"`, `"` + strings.Repeat("g", 5000) + `"`, `["","a",""]`,
		`"[{]},:"`, `"null"`, `"// /* */"`, "\"\u2028\u2029\"", `"&<>"`,
	}},
	{"escapes", []string{
		`"\""`, `"\\"`, `"\/"`, `"\b\f\n\r\t"`, `"\u0000"`, `"\u0022"`, `"\u005c"`, `"\u00e9"`, `"\uFFFF"`, `"\uABCD\uabcd"`, `"\\u0000"`, `"\\\""`, `"\\\\"`,
		`"\\n"`, `"a\nb"`, `"\u0061\u0062"`, `["\"","\\"]`, `{"\n":"\t"}`, `{"\"":1}`, `{"\u0000":1}`,
		`"` + strings.Repeat(`\\`, 40) + `"`, `"` + strings.Repeat(`\"`, 40) + `"`, `"a` + strings.Repeat(`\\`, 40) + `"`, `"a` + strings.Repeat(`\"`, 40) + `"`,
		`"` + strings.Repeat("x", 62) + strings.Repeat(`\\`, 70) + `"`, `"` + strings.Repeat("x", 63) + strings.Repeat(`\\`, 70) + `"`,
		`"` + strings.Repeat("x", 63) + strings.Repeat(`\\\"`, 70) + `"`, `"` + strings.Repeat(`\u1234`, 900) + `"`,
	}},
	{"surrogate escapes", []string{
		`"\ud83d\ude00"`, `"\uD83D\uDE00"`, `"\ud800"`, `"\udfff"`, `"\udc00\ud800"`, `"\ud800\ud800"`, `"\ud800\ud800\udc00"`, `"\ud800a"`, `"\ud800\n"`,
		`"\ud800\u0041"`, `"\ud800\\udc00"`, `"\ud83d\ude00\ud83d\ude00"`, `"\udbff\udfff"`, `{"\ud800":"\udc00"}`, `"\ud7ff\ue000"`,
		`"` + strings.Repeat("y", 60) + `\ud83d\ude00"`, `"` + strings.Repeat(`\ud83d\ude00`, 500) + `"`, `"` + strings.Repeat(`\ud83d`, 500) + `"`,
	}},
	{"UTF-8", []string{
		`"é"`, `"€"`, `"😀"`, "\"\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff\"", `"日本語"`, `{"é":"é"}`, "\"\ufeff\"", "\"\ufffd\ufffe\"",
		`"` + strings.Repeat("é", 100) + `"`, `"` + strings.Repeat("日", 100) + `"`, `"` + strings.Repeat("😀", 100) + `"`,
		`"a` + strings.Repeat("é", 100) + `"`, `"a` + strings.Repeat("日", 100) + `"`, `"aa` + strings.Repeat("日", 2000) + `"`, `"a` + strings.Repeat("😀", 100) + `"`,
		`"aa` + strings.Repeat("😀", 100) + `"`, `"aaa` + strings.Repeat("😀", 2000) + `"`, `"` + strings.Repeat("aé日😀\\n", 100) + `"`,
		`"` + strings.Repeat("z", 61) + "日" + strings.Repeat("z", 61) + "😀" + strings.Repeat("z", 70) + `"`,
	}},
	{"arrays", []string{`[]`, `[ ]`, "[\n]", `[[]]`, `[[],[]]`, `[[[[[[]]]]]]`, `[1,[2,[3,[4]]]]`, `[{}]`, `[{},{}]`, `["a",1,null,{},[]]`, "[1\n,\t2\r\n]", ` [] `}},
	{"objects", []string{
		`{}`, `{ }`, "{\r\n}", `{"a":1}`, `{"a":1,"b":2}`, `{"a":1,"a":2}`, `{"":""}`, `{"":{"":{}}}`, `{"a":[]}`, `{"a":[{"b":[{}]}]}`, "{\n \"a\" : 1 ,\n \"b\" : [ ]\n}",
		`{"a":{},"b":{"c":{"d":1}},"e":[[]]}`, `{"` + strings.Repeat("n", 300) + `":{"` + strings.Repeat("é", 300) + `":0}}`, `{"1234567":1,"12345678":2,"123456789":3}`,
	}},
	{"nesting", []string{
		strings.Repeat("[", 63) + strings.Repeat("]", 63), strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 65) + strings.Repeat("]", 65),
		strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64), strings.Repeat(`{"a":[`, 100) + strings.Repeat("]}", 100),
	}},
	{"byte order mark", []string{"\xEF\xBB\xBF1", "\xEF\xBB\xBF \r\n{}", "\xEF\xBB\xBF\"\xEF\xBB\xBF\""}},
	{"white space", []string{"\n\n\n1\n\n\n", strings.Repeat(" ", 300) + "[" + strings.Repeat(" \t\r\n", 100) + "]" + strings.Repeat("\n", 300), "1\t\t\r\n", "{\"a\"" + strings.Repeat(" ", 70) + ":" + strings.Repeat("\n", 70) + "1}"}},
}

// refused are inputs with a spot before the byte at which the error is.
const spot = "¦"

var refused = []struct {
	name   string
	inputs []string
}{
	{"no value", []string{`¦,`, `¦:`, `¦]`, `¦}`, `¦x`, `¦'a'`, `¦+1`, `¦.5`, `¦Infinity`, `¦NaN`, `¦#`, `¦/`, `¦\`, "¦\x00", "¦\x01", "¦\x0b", "¦\x0c", "¦\x1e1", "¦\x80", "¦é", "¦\u00a0", "¦\u2028", "1 ¦,", "{} ¦}", "[]¦]", "1¦:"}},
	{"literals", []string{
		`t¦`, `tr¦`, `tru¦`, `f¦`, `fals¦`, `n¦`, `nul¦`, `t¦RUE`, `¦True`, `¦NULL`, `nul¦x`, `n¦ill`, `fal¦`, `fals¦y`, `[tru¦]`, `[n¦,1]`, `{"a":tru¦}`, `true¦false`, `null¦null`, `true¦1`,
		`true¦x`, "null¦\x00", "false¦\x01", `[true ¦false]`, `[true¦false]`, `[null¦s`, `true¦-1`, "nul¦\x00",
	}},
	{"numbers", []string{
		`-¦`, `-¦a`, `-¦-1`, `-¦ 1`, `1.¦`, `1.¦ `, `1.¦e1`, `1e¦`, `1e+¦`, `1E-¦`, `1e+¦-1`, `1e¦.5`, `0¦1`, `0¦0`, `-0¦1`, `0¦0`, `1¦a`, `1¦true`, `1¦-1`, `1.5¦.5e`, `0¦x10`, `1.5¦.5`, `1e5¦.5`,
		`[0¦1]`, `[-¦]`, `[1.¦]`, `[1e¦]`, `[1.5¦.5]`, `[1¦_000]`, `[1¦a]`, `{"a":0¦1}`, `{"a":-¦}`, "1¦\x00", `-¦.5`, `-¦Infinity`, `[1e+¦]`, `[0.¦`, `[-¦`, `[1e1¦e1]`, `1e1¦e1`, `1¦é`,
	}},
	{"unterminated strings", []string{
		`"¦`, `"a¦`, `"abcdefgh¦`, `"` + strings.Repeat("a", 100) + spot, `"\¦`, `"\u¦`, `"\u1¦`, `"\u12¦`, `"\u123¦`, `"\u1234¦`, `"\ud83d¦`, `"\ud83d\¦`, `"\ud83d\u¦`, `"\ud83d\ude0¦`, `"\ud83d\ude00¦`,
		`"\"¦`, `"\\\"¦`, `["a¦`, `{"a¦`, `{"a":"b¦`, `"é¦`, `"😀¦`, `"` + strings.Repeat("é", 100) + spot,
	}},
	{"control characters in strings", []string{
		"\"¦\n\"", "\"a¦\x00\"", "\"¦\x1f\"", "\"abc¦\t\"", "\"" + strings.Repeat("a", 60) + "¦\n\"", "\"" + strings.Repeat("a", 100) + "¦\x00" + strings.Repeat("a", 100) + "\"",
		"[\"¦\r\"]", "{\"¦\x01\":1}", "\"\\¦\n\"", "\"\\u12¦\n\"", "\"\\n¦\n\"", "\"é¦\n\"", "\"\\ud83d¦\n\"", "\"¦\x1e\"",
	}},
	{"escapes", []string{
		`"\¦a"`, `"\¦x41"`, `"\¦'"`, `"\¦0"`, `"\¦ "`, `"\¦N"`, `"\¦U0041"`, `"\u¦"`, `"\u1¦"`, `"\u12¦"`, `"\u123¦"`, `"\u¦g000"`, `"\u0¦g00"`, `"\u00¦g0"`, `"\u000¦g"`, `"\u¦{1}"`, `"\u¦+123"`, `"\u¦-123"`, `"\u¦ 123"`, `"\ud83d\¦x"`, `"\ud83d\u¦"`,
		`"\ud83d\ud¦x"`, `"\ud83d\ude0¦"`, `["\\\¦q"]`, `{"\¦a":1}`, `"\¦é"`, `"\u¦é"`, `"\¦` + "\xff" + `"`, `"` + strings.Repeat("a", 70) + `\¦z` + strings.Repeat("a", 70) + `"`, `"` + strings.Repeat("a", 63) + `\¦z` + strings.Repeat("a", 70) + `"`,
		`"` + strings.Repeat("a", 62) + `\\\¦z` + strings.Repeat("a", 70) + `"`, `"` + strings.Repeat("a", 70) + `\u00¦z"`,
	}},
	{"UTF-8", []string{
		"\"¦\x80\"", "\"¦\xbf\"", "\"¦\xff\"", "\"¦\xfe\"", "\"¦\xc0\x80\"", "\"¦\xc1\xbf\"", "\"¦\xc2\"", "\"¦\xc2a\"", "\"¦\xe0\x80\x80\"", "\"¦\xe0\x9f\xbf\"", "\"¦\xe2\x82\"", "\"¦\xe2\x82a\"", "\"¦\xed\xa0\x80\"", "\"¦\xed\xbf\xbf\"",
		"\"¦\xf0\x80\x80\x80\"", "\"¦\xf0\x8f\xbf\xbf\"", "\"¦\xf0\x9f\x98\"", "\"¦\xf0\x9f\x98a\"", "\"¦\xf4\x90\x80\x80\"", "\"¦\xf5\x80\x80\x80\"", "\"¦\xf8\x88\x80\x80\x80\"", "\"é¦\x80\"", "\"日¦\x80\"", "\"😀¦\x80\"",
		"\"¦\xc2", "\"¦\xe2\x82", "\"¦\xf0\x9f\x98", "\"a¦\xe2", "[\"¦\xe9\"]", "{\"¦\xe9\":1}", "\"" + strings.Repeat("a", 70) + "¦\xe9" + strings.Repeat("a", 70) + "\"", "\"" + strings.Repeat("日", 50) + "¦\x80" + strings.Repeat("日", 50) + "\"",
		"\"" + strings.Repeat("a", 111) + "¦\xe2\x82" + strings.Repeat("a", 80) + "\"", "\"" + strings.Repeat("日", 50) + "¦\xed\xa0\x80" + strings.Repeat("日", 50) + "\"", "\"\\ud83d¦\x80\"",
	}},
	{"arrays", []string{`[¦`, `[1¦`, `[1,¦`, `[¦,`, `[¦,1]`, `[1,¦]`, `[1,¦,2]`, `[1 ¦2]`, `[1¦}`, `[¦}`, `[1¦:2]`, `["a"¦"b"]`, `["a"¦:1]`, `[[]¦[]]`, `[{}¦{}]`, `[[¦`, `[[]¦`, `[ ¦`, "[\n¦", `[1, ¦`, `[¦:`, `[¦;`, `[1¦;`, `[¦a`, `[1¦/**/]`, `[[1],[2¦`, `[¦(`}},
	{"objects", []string{
		`{¦`, `{¦1:2}`, `{¦a:1}`, `{¦'a':1}`, `{"a"¦`, `{"a"¦}`, `{"a"¦,`, `{"a":¦`, `{"a":¦}`, `{"a":¦,`, `{"a":1¦`, `{"a":1,¦`, `{"a":1,¦}`, `{"a":1 ¦"b":2}`, `{"a":1,¦b:2}`, `{"a":1,¦1:2}`, `{¦,}`, `{¦]`, `{"a":1¦]`, `{"a" ¦1}`, `{"a"¦=1}`, `{"a":¦:1}`,
		`{"a":1,¦,"b":2}`, `{¦null:1}`, `{¦[]:1}`, `{¦{}:1}`, `{"a":{}¦{}}`, `{"a":{¦`, `{ ¦`, `{"a" ¦`, `{"a": ¦`, `{"a":1 ¦`, `{"a":1, ¦`, `{"a":1¦;`, `{"a"¦"b"}`, `{"a":1}¦}`, `{"a":[1¦}`, `{¦//`,
	}},
	{"byte order marks", []string{"¦\xFE\xFF\x00[\x00]", "¦\xFF\xFE[\x00]\x00", "¦\xFF\xFE\x00\x00[\x00\x00\x00", "¦\x00\x00\xFE\xFF\x00\x00\x00[", "¦\xEF\xBB", "¦\xEF\xBB1", "¦\xEF", "¦\xFF", "¦\xFE", "\xEF\xBB\xBF¦\xEF\xBB\xBF1", "1 ¦\xEF\xBB\xBF1", " ¦\xEF\xBB\xBF1", "\xEF\xBB\xBF¦,"}},
	{"after values", []string{"{}\n¦}", "1\n2\n¦x", "[1]\n[2\n¦", "{}{}¦,{}", "\"a\"¦x", "{\"a\":1}\n{\"a\":¦}\n", "1 2 3¦x"}},
}

// unspot takes the spot out of in and returns where it was.
func unspot(t testing.TB, in string) (string, int64) {
	t.Helper()
	before, after, ok := strings.Cut(in, spot)
	if !ok {
		t.Fatalf("%q has no ¦", in)
	}
	return before + after, int64(len(before))
}

func TestAccepted(t *testing.T) {
	for _, tt := range accepted {
		t.Run(tt.name, func(t *testing.T) {
			for _, in := range tt.inputs {
				text := strings.TrimPrefix(in, "\xEF\xBB\xBF")
				if !json.Valid([]byte(text)) || !utf8.ValidString(text) {
					t.Errorf("%q is not JSON", in)
				}
				want := outcome{Values: []string{strings.Trim(text, " \t\r\n")}, Offset: -1}
				if diff := cmp.Diff(want, everyWay(t, []byte(in), Options{})); diff != "" {
					t.Errorf("%.100q (-want +got):\n%s", in, diff)
				}
			}
		})
	}
}

func TestRefused(t *testing.T) {
	for _, tt := range refused {
		t.Run(tt.name, func(t *testing.T) {
			for _, in := range tt.inputs {
				in, want := unspot(t, in)
				if json.Valid([]byte(in)) && utf8.ValidString(in) {
					t.Errorf("%q is JSON", in)
				}
				if got := everyWay(t, []byte(in), Options{}).Offset; got != want {
					t.Errorf("%.100q: error at %d, want %d", in, got, want)
				}
			}
		})
	}
}
