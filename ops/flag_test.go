package ops

import (
	"flag"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestFlagValues(t *testing.T) {
	var (
		b    bool
		text string
		list []string
		n    int64
		f    float64
		d    time.Duration
	)
	sized := func() flag.Value { n = 0; return SizeValue(&n) }
	whole := func() flag.Value { n = -1; return IntValue(&n) }
	number := func() flag.Value { f = 0; return FloatValue(&f) }
	span := func() flag.Value { d = 0; return DurationValue(&d) }
	word := func() flag.Value { text = "fail"; return EnumValue(&text, "fail", "pass", "skip") }
	sw := func() flag.Value { b = false; return BoolValue(&b) }
	many := func() flag.Value { list = nil; return StringsValue(&list) }
	commas := func() flag.Value { list = nil; return ListValue(&list) }

	tests := []struct {
		name string
		make func() flag.Value
		set  []string
		want string // String afterwards
		err  string // of the last Set
	}{
		{"size", sized, []string{"2000"}, "2000", ""},
		{"size, leading zero is decimal", sized, []string{"010"}, "10", ""},
		{"size, k", sized, []string{"10k"}, "10000", ""},
		{"size, K", sized, []string{"10K"}, "10000", ""},
		{"size, kB", sized, []string{"10kB"}, "10000", ""},
		{"size, M", sized, []string{"2M"}, "2000000", ""},
		{"size, G", sized, []string{"1G"}, "1000000000", ""},
		{"size, KiB", sized, []string{"64KiB"}, "65536", ""},
		{"size, MiB", sized, []string{"2MiB"}, "2097152", ""},
		{"size, GiB", sized, []string{"1gib"}, "1073741824", ""},
		{"size, the largest", sized, []string{"9223372036854775807"}, "9223372036854775807", ""},
		{"size, last one wins", sized, []string{"1", "2"}, "2", ""},
		{"size, negative", sized, []string{"-5"}, "0", `"-5" is negative`},
		{"size, negative with suffix", sized, []string{"-5k"}, "0", `"-5k" is negative`},
		{"size, too many digits", sized, []string{"9223372036854775808"}, "0", `"9223372036854775808" is too large`},
		{"size, too large with suffix", sized, []string{"9223372036854775807k"}, "0", `"9223372036854775807k" is too large`},
		{"size, empty", sized, []string{""}, "0", `"" is not a whole number`},
		{"size, suffix alone", sized, []string{"k"}, "0", `"k" is not a whole number`},
		{"size, unknown suffix", sized, []string{"5T"}, "0", `"5T" is not a whole number`},
		{"size, hexadecimal", sized, []string{"0x10"}, "0", `"0x10" is not a whole number`},
		{"size, fraction", sized, []string{"1.5k"}, "0", `"1.5k" is not a whole number`},
		{"size, sign", sized, []string{"+5"}, "0", `"+5" is not a whole number`},
		{"size, space", sized, []string{" 5"}, "0", `" 5" is not a whole number`},

		{"int", whole, []string{"0"}, "0", ""},
		{"int, leading zero is decimal", whole, []string{"08"}, "8", ""},
		{"int, no suffix", whole, []string{"1k"}, "-1", `"1k" is not a whole number`},
		{"int, negative", whole, []string{"-1"}, "-1", `"-1" is negative`},

		{"float", number, []string{"1.25"}, "1.25", ""},
		{"float, exponent", number, []string{"1e3"}, "1000", ""},
		{"float, not a number", number, []string{"NaN"}, "0", `"NaN" is not a number`},
		{"float, infinite", number, []string{"inf"}, "0", `"inf" is not a number`},
		{"float, hexadecimal", number, []string{"0x1p4"}, "0", `"0x1p4" is not a number`},
		{"float, too large", number, []string{"1e999"}, "0", `"1e999" is too large`},

		{"enum", word, []string{"skip"}, "skip", ""},
		{"enum, near", word, []string{"past"}, "fail", `"past" is unknown, did you mean pass?`},
		{"enum, abbreviation", word, []string{"ski"}, "fail", `"ski" is unknown, did you mean skip?`},
		{"enum, far", word, []string{"bogus"}, "fail", `"bogus" is not fail, pass or skip`},

		{"bool", sw, []string{"true"}, "true", ""},
		{"bool, last one wins", sw, []string{"true", "false"}, "false", ""},
		{"bool, other word", sw, []string{"yes"}, "false", `"yes" is neither true nor false`},

		{"strings keep commas and append", many, []string{"a,b", "", "c"}, "a,b,,c", ""},
		{"list splits and appends", commas, []string{"a,b", "c"}, "a,b,c", ""},
		{"list, empty part", commas, []string{"a,,b"}, "", `"a,,b" has an empty part`},

		{"duration", span, []string{"90s"}, "1m30s", ""},
		{"duration, hours", span, []string{"12h"}, "12h", ""},
		{"duration, days", span, []string{"7d"}, "7d", ""},
		{"duration, days and hours", span, []string{"1d12h"}, "1d12h", ""},
		{"duration, many hours are days", span, []string{"48h"}, "2d", ""},
		{"duration, nothing", span, []string{"0"}, "0", ""},
		{"duration, no unit", span, []string{"7"}, "0", `"7" is not a duration such as 90s, 12h or 7d`},
		{"duration, empty", span, []string{""}, "0", `"" is not a duration such as 90s, 12h or 7d`},
		{"duration, negative", span, []string{"-1h"}, "0", `"-1h" is negative`},
		{"duration, days too many", span, []string{"106752d"}, "0", `"106752d" is too large`},
		{"duration, sum too large", span, []string{"106751d48h"}, "0", `"106751d48h" is too large`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := tt.make()
			msg := ""
			for _, s := range tt.set {
				msg = ""
				if err := v.Set(s); err != nil {
					msg = err.Error()
				}
			}
			if diff := cmp.Diff(tt.err, msg); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, v.String()); diff != "" {
				t.Errorf("value (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStringsValueKeepsTexts(t *testing.T) {
	var got []string
	v := StringsValue(&got)
	for _, s := range []string{"a,b", "", "c"} {
		if err := v.Set(s); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"a,b", "", "c"}, got); diff != "" {
		t.Error(diff)
	}
}

// What an option shows as its value it also accepts as one.
func TestDurationRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := time.Duration(rapid.Int64Min(0).Draw(t, "d"))
		var got time.Duration
		if err := DurationValue(&got).Set(DurationValue(&want).String()); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Fatalf("want %v, got %v", want, got)
		}
	})
}

func TestNear(t *testing.T) {
	commands := []string{"truncate", "page", "count", "pair", "compact"}
	tests := []struct {
		name, word string
		want       []string
	}{
		{"itself", "page", []string{"page"}},
		{"one left out", "trunate", []string{"truncate"}},
		{"one added", "pagee", []string{"page"}},
		{"one replaced", "coant", []string{"count"}},
		{"neighbours exchanged", "cuont", []string{"count"}},
		{"two edits in a long word", "trnucaet", []string{"truncate"}},
		{"two edits in a short word", "paxx", nil},
		{"case", "PAGE", []string{"page"}},
		{"abbreviation", "trunc", []string{"truncate"}},
		{"short abbreviation", "co", nil},
		{"the nearest first", "pare", []string{"page"}},
		{"several", "paie", []string{"page", "pair"}},
		{"nothing near", "bogus", nil},
		{"empty", "", nil},
		{"not ASCII", "pâge", []string{"page"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Near(tt.word, commands)); diff != "" {
				t.Errorf("Near(%q) (-want +got):\n%s", tt.word, diff)
			}
		})
	}
}

func TestDistanceIsSymmetric(t *testing.T) {
	word := rapid.SliceOfN(rapid.SampledFrom([]rune("abcé")), 0, 8)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := distance(a, b)
		if back := distance(b, a); d != back {
			t.Fatalf("%d one way, %d the other", d, back)
		}
		if (d == 0) != (string(a) == string(b)) {
			t.Fatalf("distance of %q and %q is %d", string(a), string(b), d)
		}
		if d > max(len(a), len(b)) {
			t.Fatalf("distance %d is more than replacing everything", d)
		}
	})
}
