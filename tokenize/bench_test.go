package tokenize

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var corporaDir = flag.String("corpora", "", "write the texts of the benchmarks to this `directory`, for scripts/bench-tokenize")

const corpusSize = 1 << 20

// corpora are texts of 1 MiB: from Go's own tree where it has such, else random.
var corpora = sync.OnceValue(func() []sample {
	r := rand.New(rand.NewPCG(13, 14))
	repeat := func(s string) string { return strings.Repeat(s, corpusSize/len(s)) }
	random := func(alphabet string) string {
		a := []rune(alphabet)
		var b strings.Builder
		for b.Len() < corpusSize {
			b.WriteRune(a[r.IntN(len(a))])
		}
		return b.String()
	}
	source := func(dir, glob string) string {
		var b bytes.Buffer
		for _, part := range goSources(discard{}, dir, glob, corpusSize) {
			b.Write(part)
		}
		return string(b.Next(corpusSize))
	}
	code := source("net/http", "*.go")
	var results strings.Builder // of a search tool
	for i, line := range strings.Split(code, "\n") {
		text, _ := json.Marshal(line)
		results.WriteString(`{"path":"net/http/server.go","line":`)
		results.WriteString(strings.Repeat("1", 1+i%4))
		results.WriteString(`,"score":0.`)
		results.WriteString(strings.Trim(strings.Repeat("73951", 1+i%2), "5"))
		results.WriteString(`,"text":` + string(text) + "}\n")
	}
	var clauses strings.Builder // Han characters, the first ones more often, and punctuation
	for clauses.Len() < corpusSize {
		for range 3 + r.IntN(12) {
			clauses.WriteRune(0x4E00 + rune(min(r.ExpFloat64()*1500, 20000)))
		}
		clauses.WriteString([]string{"，", "。", "、", "！"}[r.IntN(4)])
	}
	cut := func(s string) string { return s[:min(len(s), corpusSize)] }
	return []sample{
		{"prose", source("testdata", "*Opticks.txt")},
		{"code", code},
		{"json", cut(results.String())},
		{"cjk", cut(clauses.String())},
		{"base64", random("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")},
		{"run-a", repeat("a")},
		{"run-space", repeat(" ")},
		{"run-newline", repeat("\n")},
		{"run-dash", repeat("-")},
		{"run-invalid", repeat("\xff")},
		{"one-word", random("abcdefghijklmnopqrstuvwxyz")},
		{"one-word-han", random("的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指几九区强放决西被干做必战先回则任取据处队南给色光门即保治北造百规热领七海口东导器压志世金增争济阶油思术极交受联什认六共权收证改清己美再采转更单风切打白教速花带安场身车例真务具万每目至达走积示议声报斗完类八离华名确才科张信马节话米整空元况今集温传土许步群广石记需段研界拉林律叫且究观越织装影算低持音众书布复容儿须际商非验连断深难近矿千周委素技备半办青省列习响约支般史感劳便团往酸历市克何除消构府称太准精值号率族维划选标写存候毛亲快效斯院查江型眼王按格养易置派层片始却专状育厂京识适属圆包火住调满县局照参红细引听该铁价严")},
	}
})

// discard lets goSources be used outside a test.
type discard struct{ testing.TB }

func (discard) Helper()             {}
func (discard) Logf(string, ...any) {}

func TestWriteCorpora(t *testing.T) {
	if *corporaDir == "" {
		t.Skip("skipped: no -corpora")
	}
	for _, s := range corpora() {
		if err := os.WriteFile(filepath.Join(*corporaDir, s.name), []byte(s.text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func benchmark(b *testing.B, size int, count func(e *Encoding) func(text []byte)) {
	for _, e := range []*Encoding{&o200kBase, &cl100kBase, &r50kBase, &charsBy4} {
		for _, s := range corpora() {
			text := []byte(s.text)
			text = text[:min(len(text), size)]
			b.Run(e.Name()+"/"+s.name, func(b *testing.B) {
				if len(text) == 0 {
					b.Skip("skipped: Go's tree is not here")
				}
				f := count(e)
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					f(text)
				}
			})
		}
	}
}

func BenchmarkCount(b *testing.B) {
	benchmark(b, corpusSize, func(e *Encoding) func([]byte) {
		c := NewCounter(e)
		return func(text []byte) { c.Count(text) }
	})
}

// BenchmarkNewCounter counts 10 kB with cold caches, as a process does that has one text.
func BenchmarkNewCounter(b *testing.B) {
	benchmark(b, 10_000, func(e *Encoding) func([]byte) {
		return func(text []byte) { NewCounter(e).Count(text) }
	})
}

func BenchmarkMeter(b *testing.B) {
	benchmark(b, corpusSize, func(e *Encoding) func([]byte) {
		m := NewMeter(e)
		return func(text []byte) {
			m.Reset()
			for len(text) > 0 {
				k := min(len(text), 32<<10)
				m.Write(text[:k])
				text = text[k:]
			}
			m.Count()
		}
	})
}

// BenchmarkMeterLines writes line by line and asks after each.
func BenchmarkMeterLines(b *testing.B) {
	benchmark(b, corpusSize, func(e *Encoding) func([]byte) {
		m := NewMeter(e)
		suffix := []byte(`"}]}`)
		return func(text []byte) {
			m.Reset()
			for len(text) > 0 {
				k := bytes.IndexByte(text[:min(len(text), 500)], '\n') + 1
				if k == 0 {
					k = min(len(text), 500)
				}
				m.Write(text[:k])
				m.CountWith(suffix)
				text = text[k:]
			}
		}
	})
}

// BenchmarkPrefix cuts to 4000 tokens.
func BenchmarkPrefix(b *testing.B) {
	benchmark(b, corpusSize, func(e *Encoding) func([]byte) {
		c := NewCounter(e)
		suffix := []byte(`"}],"truncated":{"totalChars":140000},"next":"abcdef"}`)
		return func(text []byte) { c.Prefix(text, 4000, suffix) }
	})
}
