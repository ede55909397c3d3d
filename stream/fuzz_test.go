package stream

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// jsonDoc draws a document, of tokens with all kinds of white space.
func jsonDoc(t *rapid.T) []byte {
	var b []byte
	space := func() {
		b = append(b, rapid.SampledFrom([]string{"", "", "", " ", "\n", "\r\n  ", "\t", "          "}).Draw(t, "space")...)
	}
	str := func() {
		b = append(b, '"')
		for _, p := range rapid.SliceOfN(rapid.SampledFrom(bodyPieces), 0, 6).Draw(t, "string") {
			b = append(b, p...)
		}
		b = append(b, '"')
	}
	var value func(depth int)
	value = func(depth int) {
		space()
		k := rapid.IntRange(0, 7).Draw(t, "kind")
		if depth == 0 {
			k %= 4
		}
		switch {
		case k == 0:
			b = append(b, rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "literal")...)
		case k == 1:
			b = append(b, rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "number")...)
		case k <= 3:
			str()
		default:
			begin, end := byte('['), byte(']')
			if k >= 6 {
				begin, end = '{', '}'
			}
			b = append(b, begin)
			for i := range rapid.IntRange(0, 4).Draw(t, "members") {
				if i > 0 {
					space()
					b = append(b, ',')
				}
				if begin == '{' {
					space()
					str()
					space()
					b = append(b, ':')
				}
				value(depth - 1)
			}
			space()
			b = append(b, end)
		}
		space()
	}
	value(5)
	return b
}

// validOne is the oracle: in is one valid value.
func validOne(in []byte) bool { return json.Valid(in) && utf8.Valid(in) }

// Random documents are read alike in every way and found valid, and broken
// where encoding/json finds them broken.
func TestRandomDocuments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := jsonDoc(t)
		for range rapid.IntRange(0, 2).Draw(t, "mutations") {
			at := rapid.IntRange(0, len(in)-1).Draw(t, "at")
			switch rapid.IntRange(0, 3).Draw(t, "mutation") {
			case 0:
				in = append(in[:at:at], in[at+1:]...)
			case 1:
				c := rapid.SampledFrom([]byte("\"\\{}[],:0-1.eEtn \n\x00\x1f\x80\xc3\xe2\xf0u")).Draw(t, "byte")
				in = append(append(in[:at:at], c), in[at:]...)
			case 2:
				in = in[:at]
			case 3:
				in = append(in[:at:at], in[rapid.IntRange(0, len(in)-1).Draw(t, "from"):]...)
			}
			if len(in) == 0 {
				return
			}
		}
		o := someWays(t, in)
		if valid := o.Msg == "" && len(o.Values) == 1; valid != validOne(in) {
			t.Fatalf("%q: %+v, encoding/json says %v", in, o, !valid)
		}
	})
}

// someWays is everyWay for what fails with t, over fewer ways.
func someWays(t interface{ Fatalf(string, ...any) }, in []byte) outcome {
	s := NewScanner(bytes.NewReader(in), Options{Window: 4096})
	want := walks[0].walk(s, in)
	for i, w := range walks {
		for j, window := range windows {
			r := readers[(i+j)%len(readers)]
			s.Reset(r.make(in), Options{Window: window})
			if diff := cmp.Diff(want, w.walk(s, in)); diff != "" {
				t.Fatalf("%q: %s, window %d, %s: (-walk in one window +got):\n%s", in, w.name, window, r.name, diff)
			}
		}
	}
	return want
}

func FuzzScanner(f *testing.F) {
	for _, tt := range accepted {
		for _, in := range tt.inputs {
			f.Add([]byte(in), uint16(20), uint16(len(in)/2))
		}
	}
	for _, tt := range refused {
		for _, in := range tt.inputs {
			in, off := unspot(f, in)
			f.Add([]byte(in), uint16(16), uint16(off))
		}
	}
	f.Add([]byte(stateful), uint16(30), uint16(40))
	f.Fuzz(func(t *testing.T, in []byte, window, at uint16) {
		if len(in) > 2000 {
			return
		}
		want := walks[0].walk(NewScanner(bytes.NewReader(in), Options{}), in)
		valid := want.Msg == "" && len(want.Values) == 1
		text := bytes.TrimPrefix(in, []byte("\xEF\xBB\xBF"))
		if valid != validOne(text) && !(validOne(text) && want.Msg != "" && strings.HasPrefix(want.Msg, "nested deeper")) {
			t.Fatalf("%q: %+v, encoding/json says %v", in, want, !valid)
		}
		for _, w := range walks {
			for _, r := range []io.Reader{bytes.NewReader(in), cutReader(in, int(at)%(len(in)+1))} {
				got := w.walk(NewScanner(r, Options{Window: int(window)%300 + 16}), in)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%q: %s, window %d, cut at %d (-walk in one window +got):\n%s", in, w.name, window%300+16, at, diff)
				}
			}
		}
	})
}
