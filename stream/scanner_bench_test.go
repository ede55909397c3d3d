package stream

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// The inputs of the benchmarks, made once, always the same.
var benchInputs = []struct {
	name string
	make func() []byte
}{
	{"tool.ndjson", sync.OnceValue(func() []byte { // tool results, source text with escapes about every 25 bytes
		r := rand.New(rand.NewPCG(1, 1))
		var b []byte
		for i := 0; len(b) < 8<<20; i++ {
			b = fmt.Appendf(b, `{"type":"tool_result","tool_use_id":"toolu_%06d","is_error":false,"content":"`, i)
			b = benchText(b, r, 4000)
			b = append(b, "\"}\n"...)
		}
		return b
	})},
	{"array.json", sync.OnceValue(func() []byte { // small objects, compact
		r := rand.New(rand.NewPCG(2, 2))
		b := []byte{'['}
		for i := 0; len(b) < 8<<20; i++ {
			if i > 0 {
				b = append(b, ',')
			}
			b = fmt.Appendf(b, `{"id":%d,"name":"user %d","email":"user%d@example.com","active":%v,"score":%.2f,"tags":["a%d","b","c%d"],"address":{"city":"City %d","zip":"%05d"},"parent":null,"visits":%d}`,
				i, i, i, i%3 == 0, r.Float64()*1000, r.IntN(100), r.IntN(10), r.IntN(1000), r.IntN(100000), r.IntN(1e6))
		}
		return append(b, ']')
	})},
	{"pretty.json", sync.OnceValue(func() []byte { // the same, indented
		var b bytes.Buffer
		b.WriteString("[\n")
		r := rand.New(rand.NewPCG(3, 3))
		for i := 0; b.Len() < 8<<20; i++ {
			if i > 0 {
				b.WriteString(",\n")
			}
			fmt.Fprintf(&b, "    {\n        \"id\": %d,\n        \"name\": \"user %d\",\n        \"active\": %v,\n        \"address\": {\n            \"city\": \"City %d\",\n            \"location\": [\n                %.6f,\n                %.6f\n            ]\n        }\n    }",
				i, i, i%3 == 0, r.IntN(1000), r.Float64()*180, r.Float64()*90)
		}
		b.WriteString("\n]\n")
		return b.Bytes()
	})},
	{"source string", sync.OnceValue(func() []byte {
		return append(benchText([]byte{'"'}, rand.New(rand.NewPCG(4, 4)), 8<<20), '"')
	})},
	{"plain string", sync.OnceValue(func() []byte {
		return []byte(`"` + strings.Repeat("QmFzZTY0IGlzIG5vdCBlbmNyeXB0aW9u", 1<<18) + `"`)
	})},
	{"CJK string", sync.OnceValue(func() []byte {
		r := rand.New(rand.NewPCG(5, 5))
		b := []byte{'"'}
		for len(b) < 8<<20 {
			switch r.IntN(10) {
			case 0:
				b = append(b, "😀"...)
			case 1, 2:
				b = append(b, "word é "...)
			default:
				for range 8 {
					b = append(b, string(rune(0x4E00+r.IntN(0x5000)))...)
				}
			}
		}
		return append(b, '"')
	})},
	{"unicode escapes", sync.OnceValue(func() []byte {
		r := rand.New(rand.NewPCG(6, 6))
		b := []byte{'"'}
		for len(b) < 8<<20 {
			b = fmt.Appendf(b, `\u%04xabc `, 0x4E00+r.IntN(0x5000))
		}
		return append(b, '"')
	})},
}

// benchText appends about n bytes of escaped source text.
func benchText(b []byte, r *rand.Rand, n int) []byte {
	words := []string{"func", "return", "err", "nil", "(ctx", "s.buf[p:q]", ":=", "if", "for", "range", "{", "}", "int64", "string", `\"name\"`, "==", "append(b,", "//", "the", "value"}
	for end := len(b) + n; len(b) < end; {
		b = append(b, `\n`...)
		for range r.IntN(4) {
			b = append(b, `\t`...)
		}
		for range 2 + r.IntN(7) {
			b = append(append(b, words[r.IntN(len(words))]...), ' ')
		}
	}
	return b
}

func benchInput(b *testing.B, run func(s *Scanner) error) {
	for _, in := range benchInputs {
		b.Run(in.name, func(b *testing.B) {
			data := in.make()
			r := bytes.NewReader(data)
			s := NewScanner(r, Options{})
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				r.Reset(data)
				s.Reset(r, Options{})
				if err := run(s); err != nil && err != io.EOF {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSkip(b *testing.B) {
	benchInput(b, func(s *Scanner) error {
		for {
			if err := s.Skip(); err != nil {
				return err
			}
		}
	})
}

func BenchmarkNext(b *testing.B) {
	benchInput(b, func(s *Scanner) error {
		for {
			k, err := s.Next()
			if err != nil || k == End {
				return err
			}
		}
	})
}

// BenchmarkItems skips the elements of arrays at top level one by one.
func BenchmarkItems(b *testing.B) {
	benchInput(b, func(s *Scanner) error {
		for {
			k, err := s.Peek()
			if err != nil || k == End {
				return err
			}
			if k == ArrayBegin {
				if _, err := s.Next(); err != nil {
					return err
				}
				for {
					more, err := s.More()
					if err != nil {
						return err
					}
					if !more {
						break
					}
					if err := s.Skip(); err != nil {
						return err
					}
				}
				_, err = s.Next()
			} else {
				err = s.Skip()
			}
			if err != nil {
				return err
			}
		}
	})
}

func BenchmarkCopy(b *testing.B) {
	benchInput(b, func(s *Scanner) error {
		for {
			if err := s.CopyValue(io.Discard); err != nil {
				return err
			}
		}
	})
}

func BenchmarkText(b *testing.B) {
	benchInput(b, func(s *Scanner) error {
		for {
			k, err := s.Next()
			if err != nil || k == End {
				return err
			}
			for done := k != String; !done; {
				if _, done, err = s.Text(); err != nil {
					return err
				}
			}
		}
	})
}

func BenchmarkAppendQuoted(b *testing.B) {
	text := AppendText(nil, benchText(nil, rand.New(rand.NewPCG(7, 7)), 1<<20))
	var dst []byte
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		dst = AppendQuoted(dst[:0], text)
	}
}

func BenchmarkCountChars(b *testing.B) {
	raw := benchText(nil, rand.New(rand.NewPCG(8, 8)), 1<<20)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		CountChars(raw)
	}
}
