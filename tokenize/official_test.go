package tokenize

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var (
	officialFile = flag.String("official", filepath.Join("testdata", "official.jsonl"),
		"`file` of texts with the ids OpenAI's encoder gives them, as scripts/check-tiktoken writes it")
	textsFile = flag.String("texts", "", "write texts for scripts/check-tiktoken to this `file`")
	textsSize = flag.Int("texts-size", 12_000, "bytes of random text among them, and a hundred times that of Go's sources if it is above the default")
)

// official is a text and its ids by OpenAI's encoder, recorded with npm's tiktoken.
type official struct {
	Text string              `json:"text"`
	IDs  map[string][]uint32 `json:"ids"`
}

// TestWriteTexts writes the texts that official.jsonl is made of, valid UTF-8 all of them, as that encoder takes nothing else.
func TestWriteTexts(t *testing.T) {
	if *textsFile == "" {
		t.Skip("skipped: no -texts")
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	write := func(b []byte) {
		if err := enc.Encode(official{Text: string(bytes.ToValidUTF8(b, []byte("\ufffd")))}); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range samples {
		write([]byte(s.text))
	}
	r := rand.New(rand.NewPCG(11, 12))
	for n := 0; n < *textsSize; {
		b := randomText(r, 1<<r.IntN(9))
		n += len(b)
		write(b)
	}
	if *textsSize > 12_000 {
		n := 0
		for _, dir := range []string{"testdata", "net/http", "cmd/compile/internal/ssa", "runtime", "go/types", "unicode"} {
			for _, b := range goSources(t, dir, "*.[gst]*", 8000) {
				if n += len(b); n < *textsSize*100 {
					write(b)
				}
			}
		}
	}
	if err := os.WriteFile(*textsFile, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestOfficial compares ids and counts with OpenAI's encoder.
func TestOfficial(t *testing.T) {
	f, err := os.Open(*officialFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	counters, plain := map[string]*Counter{}, map[string]*plainCounter{}
	for _, e := range referenceEncodings {
		counters[e.Name()], plain[e.Name()] = NewCounter(e), newPlain(e)
	}
	texts, tokens := 0, 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var o official
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			t.Fatal(err)
		}
		texts++
		if len(o.IDs) != len(counters) {
			t.Fatalf("ids of %d encodings, want %d", len(o.IDs), len(counters))
		}
		for name, want := range o.IDs {
			tokens += len(want)
			if got := plain[name].encode([]byte(o.Text)); !slices.Equal(got, want) {
				t.Errorf("%s: ids of %q are %v, want %v", name, o.Text, got, want)
			}
			if got := counters[name].Count([]byte(o.Text)); got != len(want) {
				t.Errorf("%s: Count(%q) = %d, want %d", name, o.Text, got, len(want))
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d texts, %d tokens", texts, tokens)
}
