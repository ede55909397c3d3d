package ops

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"jlop/stream"
)

// shrinkInputs are documents of about 16 MB of several shapes.
var shrinkInputs = []struct {
	name string
	make func() []byte
}{
	{"small objects", func() []byte {
		return repeated(func(b []byte, i int) []byte {
			return fmt.Appendf(b, `{"id":%d,"user":"user-%d","event":"login","ok":true,"ms":%d.5,"tags":["a","b%d"],"note":"a short note on event %d"}`, i, i%97, i%1000, i%7, i)
		})
	}},
	{"numbers", func() []byte {
		return repeated(func(b []byte, i int) []byte { return fmt.Appendf(b, "%d", i) })
	}},
	{"strings", func() []byte {
		return repeated(func(b []byte, i int) []byte { return fmt.Appendf(b, `"line %d of the log: nothing to report"`, i) })
	}},
	{"empty arrays", func() []byte { return repeated(func(b []byte, _ int) []byte { return append(b, "[]"...) }) }},
	{"rows", func() []byte {
		return repeated(func(b []byte, i int) []byte { return fmt.Appendf(b, `[%d,"name %d",%d.25,null,false]`, i, i, i) })
	}},
	{"large items", func() []byte {
		text := strings.Repeat("some lines of output\\n", 4000)
		return repeated(func(b []byte, i int) []byte { return fmt.Appendf(b, `{"id":%d,"output":"%s"}`, i, text) })
	}},
	{"wide object", func() []byte {
		b := repeated(func(b []byte, i int) []byte { return fmt.Appendf(b, `"key-%d":{"a":%d,"b":[1,2,3]}`, i, i) })
		b[0], b[len(b)-1] = '{', '}'
		return b
	}},
	{"one string", func() []byte {
		return append(append([]byte(`{"text":"`), strings.Repeat("a line of text that goes on for a while\\n", 400000)...), `"}`...)
	}},
}

// repeated is an array of about 16 MB.
func repeated(item func([]byte, int) []byte) []byte {
	b := []byte{'['}
	for i := 0; len(b) < 16<<20; i++ {
		if i > 0 {
			b = append(b, ',')
		}
		b = item(b, i)
	}
	return append(b, ']')
}

func BenchmarkShrink(b *testing.B) {
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
		for _, tokens := range []int64{2000, 100000} {
			b.Run(fmt.Sprintf("%s/%d", in.name, tokens), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				g := newGauge(Budget{Tokens: tokens})
				for b.Loop() {
					if _, err := g.shrink(stream.NewScanner(bytes.NewReader(data), stream.Options{}), shrinkOptions{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
