package stream

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestAppendText(t *testing.T) {
	tests := []struct{ name, raw, want string }{
		{"empty", "", ""},
		{"plain", "abc", "abc"},
		{"short escapes", `\"\\\/\b\f\n\r\t`, "\"\\/\b\f\n\r\t"},
		{"ASCII", `\u0041\u0000\u007F`, "A\x00\x7f"},
		{"two and three bytes", `\u00e9\u20AC\uFFFF`, "é€\uffff"},
		{"pair", `\ud83d\ude00`, "😀"},
		{"first and last pair", `\ud800\udc00\uDBFF\uDFFF`, "\U00010000\U0010ffff"},
		{"lone high", `\ud800`, "\xed\xa0\x80"},
		{"lone low", `\udfff`, "\xed\xbf\xbf"},
		{"high, text", `\udbffa`, "\xed\xaf\xbfa"},
		{"wrong order", `\udc00\ud800`, "\xed\xb0\x80\xed\xa0\x80"},
		{"high, pair", `\ud800\ud83d\ude00`, "\xed\xa0\x80😀"},
		{"raw UTF-8", "é日😀\\n", "é日😀\n"},
		{"no escape sequence", `\x\u12\`, `\x\u12\`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := AppendText([]byte("> "), []byte(tt.raw)); string(got) != "> "+tt.want {
				t.Errorf("got %q, want %q", got[2:], tt.want)
			}
		})
	}
}

func TestAppendQuoted(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", `""`},
		{"plain", "abc /<>&'", `"abc /<>&'"`},
		{"short escapes", "\"\\\b\f\n\r\t", `"\"\\\b\f\n\r\t"`},
		{"controls", "\x00\x01\x0b\x1f\x7f", "\"\\u0000\\u0001\\u000b\\u001f\x7f\""},
		{"UTF-8", "é日😀\u2028\ufffd", "\"é日😀\u2028\ufffd\""},
		{"surrogates", "\xed\xa0\x80\xed\xaf\xbf\xed\xb0\x80\xed\xbf\xbf", `"\ud800\udbff\udc00\udfff"`},
		{"invalid", "a\xffb\xc0\x80\xe2\x82", "\"a\ufffdb\ufffd\ufffd\ufffd\ufffd\""},
		{"cut surrogate", "\xed\xa0", "\"\ufffd\ufffd\""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := AppendQuoted([]byte("> "), []byte(tt.text))
			if string(got) != "> "+tt.want {
				t.Errorf("got %s, want %s", got[2:], tt.want)
			}
			if !json.Valid(got[2:]) || !utf8.Valid(got) {
				t.Errorf("%s is not JSON", got[2:])
			}
		})
	}
}

// checkText holds the two directions to each other and to encoding/json.
func checkText(t interface{ Fatalf(string, ...any) }, text []byte) {
	q := AppendQuoted(nil, text)
	if !json.Valid(q) || !utf8.Valid(q) {
		t.Fatalf("%q: %s is not JSON", text, q)
	}
	raw := q[1 : len(q)-1]
	if e := AppendEscaped(nil, text); !bytes.Equal(e, raw) {
		t.Fatalf("%q: escaped %s, quoted %s", text, e, q)
	}
	got := AppendText(nil, raw)
	if utf8.Valid(text) && !bytes.Equal(got, text) {
		t.Fatalf("%q became %q", text, got)
	}
	var std string
	if err := json.Unmarshal(q, &std); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	// encoding/json has one U+FFFD for each surrogate
	mine := string(got)
	for hi := range 0x20 {
		for lo := range 0x40 {
			mine = strings.ReplaceAll(mine, string([]byte{0xED, byte(0xA0 + hi), byte(0x80 + lo)}), "\uFFFD")
		}
		if !strings.Contains(mine, "\xED") {
			break
		}
	}
	if mine != std {
		t.Fatalf("%s is %q, encoding/json has %q", q, got, std)
	}
	if n := CountChars(raw); n != int64(utf8.RuneCountInString(std)) {
		t.Fatalf("%s: %d characters, want %d", q, n, utf8.RuneCountInString(std))
	}
	// what AppendText makes is kept, pairs and single surrogates alike
	q = AppendQuoted(q[:0], got)
	if again := AppendText(nil, q[1:len(q)-1]); !bytes.Equal(again, got) {
		t.Fatalf("%q became %q", got, again)
	}
}

func TestTextLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := append([]string{"\xed\xa0\x80", "\xed\xb0\x80", "\xff", "\xe2\x82", "\x01", "\n", "\"", "\\", "\u2028"}, bodyPieces...)
		checkText(t, []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 20).Draw(t, "parts"), "")))
	})
}

func FuzzText(f *testing.F) {
	for _, p := range bodyPieces {
		f.Add([]byte(p + "\xed\xa0\x80\xff" + p))
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkText(t, text) })
}

// Text gives what AppendText makes of the whole body, and Chars counts it, for
// long and short strings.
func TestScannerText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(bodyPieces), 0, 50).Draw(t, "pieces"), "")
		text = strings.Repeat(text, rapid.SampledFrom([]int{1, 1, 20, 300}).Draw(t, "times"))
		window := rapid.SampledFrom([]int{16, 100, 4096, 0}).Draw(t, "window")
		s := NewScanner(iotest.HalfReader(strings.NewReader(`["`+text+`",17]`)), Options{Window: window})
		for range 2 {
			if _, err := s.Next(); err != nil {
				t.Fatal(err)
			}
		}
		var got []byte
		for {
			piece, done, err := s.Text()
			if err != nil {
				t.Fatal(err)
			}
			if len(piece) > 0 && !utf8.RuneStart(piece[0]) {
				t.Fatalf("piece begins in a character: %q", piece[:min(len(piece), 10)])
			}
			got = append(got, piece...)
			if done {
				break
			}
		}
		if want := AppendText(nil, []byte(text)); !bytes.Equal(got, want) {
			t.Fatalf("window %d: got %q, want %q", window, got, want)
		}
		if want := CountChars([]byte(text)); s.Chars() != want {
			t.Fatalf("window %d: %d characters, want %d", window, s.Chars(), want)
		}
		if _, err := s.Next(); err != nil {
			t.Fatal(err)
		}
		if piece, done, err := s.Text(); string(piece) != "17" || !done || err != nil {
			t.Fatalf("number: %q, %v, %v", piece, done, err)
		}
	})
}

// Text is not read to its end, then comes another token.
func TestTextLeft(t *testing.T) {
	s := NewScanner(strings.NewReader(`["`+strings.Repeat(`\n`, 50000)+`","b"]`), Options{})
	for range 2 {
		if _, err := s.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if _, done, err := s.Text(); done || err != nil {
		t.Fatal("not a long text:", done, err)
	}
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	if piece, done, err := s.Text(); string(piece) != "b" || !done || err != nil {
		t.Errorf("%q, %v, %v", piece, done, err)
	}
}
