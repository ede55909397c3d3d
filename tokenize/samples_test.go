package tokenize

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// sample is a named text. Samples are what the table tests, the fuzz seeds and the benchmarks share.
type sample struct{ name, text string }

var samples = []sample{
	{"empty", ""},
	{"one letter", "a"},
	{"one space", " "},
	{"one newline", "\n"},
	{"NUL", "\x00\x00"},
	{"English", "The quick brown fox doesn't jump over 13 lazy dogs; it'll rest. I'VE SAID SO!"},
	{"case", "camelCase HTTPServer XMLHttpRequest iPhone McDonald's LaTeX ÉTUDE Ǆungla ßtraße"},
	{"contractions", "'s 't 're 've 'm 'll 'd 'S 'LL 'Re he's'll we'd've o'clock 'x ''s it's"},
	{"long s", "it'ſ we'ſay 'ſ IT'ſ"},
	{"new in Unicode 16", "x\u1c89y \ua7cba A\ua7da \U00010d40\U00010d41\U00010d42\U00010d43 \U000105c0b a\U00011390 \U0001ccf01"},
	{"digits", "1 12 123 1234 12345678 3.14159 1e-9 ٣٤٥٦ ½ ² Ⅷ x2y 100%"},
	{"blanks", "a  b   c\td\t\te \t f\n\n\ng  \n  h \r\n\r\n i\u00a0\u00a0j\u3000k\u0085l\u2028m  "},
	{"blanks before the end", "a \n \n   "},
	{"punctuation", "!!! ... --- === /// //\n/\n ?!\n\n</a></b> {\"a\":[{}]} ~~~ 'quoted' \"q\" -> => :: #!/bin/sh\n"},
	{"Go", "func (c *Counter) Count(text []byte) int {\n\tif len(text) == 0 {\n\t\treturn 0 // none\n\t}\n}\n"},
	{"Python", "def f(x):\n    if x is None:\n        return {'a': 1}\n    return [y for y in x]  # list\n"},
	{"JSON", `{"path":"/usr/src/main.go","line":42,"match":"x := \"y\\n\"","ok":true,"n":[1,2.5,-3e10,null]}`},
	{"JSON, indented", "{\n  \"items\": [\n    {\n      \"id\": 1,\n      \"name\": \"widget\"\n    }\n  ]\n}\n"},
	{"Chinese", "这是一个用来测试分词器的句子，包含标点符号。中文和English混排，还有数字123！"},
	{"Japanese", "これはトークナイザーのテストです。カタカナ、ひらがな、漢字、ｶﾅ。"},
	{"Korean", "이것은 토크나이저를 시험하는 문장입니다. 띄어쓰기도 있습니다!"},
	{"Russian", "Съешь же ещё этих мягких французских булок, да выпей чаю. ПРИВЕТ, Мир!"},
	{"Greek", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. ΑΒΓ"},
	{"Arabic", "هذا نص تجريبي لاختبار المُجَزِّئ، مع أرقام ١٢٣ وعلامات؟"},
	{"Hebrew", "שָׁלוֹם עוֹלָם"},
	{"Hindi", "यह टोकनाइज़र के परीक्षण के लिए एक वाक्य है।"},
	{"Thai", "นี่คือประโยคสำหรับทดสอบตัวตัดคำ"},
	{"emoji", "👍🏽 family: 👨‍👩‍👧‍👦 flags 🇩🇪🇫🇷 keycap 1️⃣ ❤️ 🤷‍♀️ text😀😀😀"},
	{"combining", "e\u0301e\u0301 a\u0300\u0316b \u0301x !\u0301 A\u0301B\u0301c"},
	{"titles and modifiers", "ǅ ǈa ʰa Aʰ ʰʰA ªº"},
	{"upper after other letters", "中ABC 中ABCd ÉTUDEé عABC中A"},
	{"mathematics", "∑∫√≠≤≥ 𝒜𝓑𝕔 𝟙𝟚 ①②"},
	{"controls", "a\x00b\x01\x02\x7f\x1b[31mred\x1b[0m\a\b"},
	{"invisible", "a\u200bb\u200dc\ufeffd\u00ade\u202ef\U000e0041"},
	{"private and unassigned", "\ue000\U0010ffff\u0378\U000e0fff"},
	{"special tokens are text", "<|endoftext|><|endofprompt|> <|fim_prefix|><|im_start|>user<|im_end|><|start|>"},
	{"invalid bytes", "\xff a\xffb \xc3 \xe4\xb8 x\xed\xa0\x80y \xf0\x9f\x98 \xc0\xaf\xff\xfe\xfd"},
	{"invalid at the end", "abc \xe4\xb8"},
	{"long word", strings.Repeat("antidisestablishmentarianism", 9)},
	{"base64", "SGVsbG8sIFdvcmxkIQ==aGVsbG8gd29ybGQgdGhpcyBpcyBhIHRlc3Q+/Zm9vYmFy"},
	{"hex", "deadbeef0123456789abcdef 0xDEADBEEF 3b5d5c3712955042212316173ccf37be"},
	{"UUID and URL", "550e8400-e29b-41d4-a716-446655440000 https://example.com/a/b?c=d&e=%20#f"},
	{"runs", strings.Repeat("a", 300) + strings.Repeat(" ", 300) + strings.Repeat("-", 300) + strings.Repeat("\n", 300) + strings.Repeat("😀", 70)},
}

// alphabet is what random texts are made of.
var alphabet = strings.Fields("a b s t the ing er A B S T É é ß ǅ ʰ 中 文 한 ア ع \u0301 1 23 456 ٣ ½ . , / - = _ ' ' 's 'LL \" { } : ; 😀 <|endoftext|> function return \x00 \x7f \xff \xe4 \xb8 \xad \xf0\x9f ∑ \ufffd \u200b")

func init() {
	alphabet = append(alphabet, " ", " ", " ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u3000", "\u0085")
}

// randomText is of about n bytes, with pieces of at most a few hundred bytes.
func randomText(r *rand.Rand, n int) []byte {
	var b []byte
	for len(b) < n {
		switch r.IntN(8) {
		case 0: // any code points
			for range r.IntN(8) {
				b = append(b, string(rune(r.IntN(0x3000)))...)
			}
		case 1: // any bytes
			for range r.IntN(6) {
				b = append(b, byte(r.Uint32()))
			}
		case 2: // a run
			for x, k := alphabet[r.IntN(len(alphabet))], r.IntN(1<<r.IntN(7)); k > 0; k-- {
				b = append(b, x...)
			}
		default:
			for range r.IntN(12) {
				b = append(b, alphabet[r.IntN(len(alphabet))]...)
			}
		}
	}
	return b
}

var goRoot = sync.OnceValue(func() string {
	out, _ := exec.Command("go", "env", "GOROOT").Output()
	return strings.TrimSpace(string(out))
})

// goSources are the files under a directory of Go's own tree, which is there wherever tests run. They are cut to pieces of
// at most size bytes.
func goSources(t testing.TB, dir, glob string, size int) [][]byte {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(goRoot(), "src", dir, glob))
	var out [][]byte
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for len(b) > 0 {
			k := min(len(b), size)
			out = append(out, b[:k])
			b = b[k:]
		}
	}
	if len(out) == 0 {
		t.Logf("skipped: no %s in %s of Go's tree", glob, dir)
	}
	return out
}
