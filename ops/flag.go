package ops

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// boolValue is a switch.
type boolValue bool

// BoolValue returns a switch kept in p. It accepts true and false, and takes no
// value of its own on a command line.
func BoolValue(p *bool) flag.Value { return (*boolValue)(p) }

func (b *boolValue) String() string   { return strconv.FormatBool(bool(*b)) }
func (b *boolValue) IsBoolFlag() bool { return true }
func (b *boolValue) Set(s string) error {
	switch s {
	case "true":
		*b = true
	case "false":
		*b = false
	default:
		return fmt.Errorf("%q is neither true nor false", s)
	}
	return nil
}

// stringValue is any text.
type stringValue string

// StringValue returns an option kept in p that accepts any text.
func StringValue(p *string) flag.Value { return (*stringValue)(p) }

func (v *stringValue) String() string     { return string(*v) }
func (v *stringValue) Set(s string) error { *v = stringValue(s); return nil }

// stringsValue is a list of texts.
type stringsValue struct {
	p   *[]string
	sep string // between the texts of one value; empty: a value is one text
}

// StringsValue returns an option kept in p that may be given many times. Each
// value is one text, whatever it contains, and is appended.
func StringsValue(p *[]string) flag.Value { return stringsValue{p: p} }

// ListValue is like [StringsValue], but a value holds one or more texts between
// commas, none of them empty.
func ListValue(p *[]string) flag.Value { return stringsValue{p: p, sep: ","} }

func (v stringsValue) String() string { return strings.Join(*v.p, ",") }
func (v stringsValue) Set(s string) error {
	if v.sep == "" {
		*v.p = append(*v.p, s)
		return nil
	}
	words := strings.Split(s, v.sep)
	if slices.Contains(words, "") {
		return fmt.Errorf("%q has an empty part", s)
	}
	*v.p = append(*v.p, words...)
	return nil
}

// intValue is a whole number.
type intValue int64

// IntValue returns an option kept in p that accepts a decimal number, 0 or
// more. A negative default means that the option has not been given.
func IntValue(p *int64) flag.Value { return (*intValue)(p) }

func (v *intValue) String() string { return strconv.FormatInt(int64(*v), 10) }
func (v *intValue) Set(s string) error {
	n, err := parseInt(s, s)
	if err == nil {
		*v = intValue(n)
	}
	return err
}

// sizeValue is a number with a suffix.
type sizeValue int64

// SizeValue returns an option kept in p that accepts a decimal number, 0 or
// more, with an optional suffix in any case: k, M and G (also kB, MB, GB) are
// powers of 1000, KiB, MiB and GiB powers of 1024.
func SizeValue(p *int64) flag.Value { return (*sizeValue)(p) }

var suffixes = []struct {
	text   string
	factor int64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9},
	{"k", 1e3}, {"m", 1e6}, {"g", 1e9},
}

func (v *sizeValue) String() string { return strconv.FormatInt(int64(*v), 10) }
func (v *sizeValue) Set(s string) error {
	digits, factor := s, int64(1)
	for _, x := range suffixes {
		if rest, ok := strings.CutSuffix(strings.ToLower(s), x.text); ok {
			digits, factor = rest, x.factor
			break
		}
	}
	n, err := parseInt(digits, s)
	if err != nil {
		return err
	}
	if n > math.MaxInt64/factor {
		return fmt.Errorf("%q is too large", s)
	}
	*v = sizeValue(n * factor)
	return nil
}

// budgetValue is a size that is not 0.
type budgetValue int64

// BudgetValue returns an option kept in p that accepts what SizeValue does, but
// not 0: nothing fits into that, and no limit is given by leaving it away.
func BudgetValue(p *int64) flag.Value { return (*budgetValue)(p) }

func (v *budgetValue) String() string { return (*sizeValue)(v).String() }
func (v *budgetValue) Set(s string) error {
	var n sizeValue
	if err := n.Set(s); err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("%q is no budget, it must be 1 or more", s)
	}
	*v = budgetValue(n)
	return nil
}

// parseInt reads decimal digits and nothing else; a leading 0 means nothing.
// Errors name the value as it was given.
func parseInt(digits, given string) (int64, error) {
	rest, negative := strings.CutPrefix(digits, "-")
	if rest == "" || strings.Trim(rest, "0123456789") != "" {
		return 0, fmt.Errorf("%q is not a whole number", given)
	}
	if negative {
		return 0, fmt.Errorf("%q is negative", given)
	}
	n, err := strconv.ParseInt(rest, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is too large", given)
	}
	return n, nil
}

// floatValue is a decimal number.
type floatValue float64

// FloatValue returns an option kept in p that accepts a decimal number.
func FloatValue(p *float64) flag.Value { return (*floatValue)(p) }

func (v *floatValue) String() string { return strconv.FormatFloat(float64(*v), 'g', -1, 64) }
func (v *floatValue) Set(s string) error {
	f, err := strconv.ParseFloat(s, 64)
	if errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%q is too large", s)
	}
	if err != nil || strings.Trim(s, "0123456789.eE+-") != "" {
		return fmt.Errorf("%q is not a number", s)
	}
	*v = floatValue(f)
	return nil
}

// enumValue is one of some words.
type enumValue struct {
	p     *string
	words []string
}

// EnumValue returns an option kept in p that accepts one of words.
func EnumValue(p *string, words ...string) flag.Value { return enumValue{p, words} }

func (v enumValue) String() string { return *v.p }
func (v enumValue) Set(s string) error {
	if slices.Contains(v.words, s) {
		*v.p = s
		return nil
	}
	if near := Near(s, v.words); len(near) > 0 {
		return fmt.Errorf("%q is unknown, did you mean %s?", s, orList(near))
	}
	return fmt.Errorf("%q is not %s", s, orList(v.words))
}

// durationValue is a span of time.
type durationValue time.Duration

// DurationValue returns an option kept in p that accepts a span of time, 0 or
// more, as [time.ParseDuration] does, and days before it: 90s, 12h, 7d, 1d12h.
func DurationValue(p *time.Duration) flag.Value { return (*durationValue)(p) }

const day = 24 * time.Hour

func (v *durationValue) String() string {
	d := time.Duration(*v)
	if d == 0 {
		return "0"
	}
	s := ""
	if d >= day {
		s = strconv.FormatInt(int64(d/day), 10) + "d"
		d %= day
	}
	if d == 0 {
		return s
	}
	rest := d.String()
	// Go writes 1h0m0s where people write 1h.
	if t, ok := strings.CutSuffix(rest, "m0s"); ok {
		rest = t + "m"
		if t, ok := strings.CutSuffix(rest, "h0m"); ok {
			rest = t + "h"
		}
	}
	return s + rest
}

func (v *durationValue) Set(s string) error {
	var total time.Duration
	rest := s
	if days, after, ok := strings.Cut(s, "d"); ok {
		n, err := parseInt(days, s)
		if err != nil {
			return fmt.Errorf("%q is not a duration such as 90s, 12h or 7d", s)
		}
		if n > int64(math.MaxInt64/day) {
			return fmt.Errorf("%q is too large", s)
		}
		total, rest = time.Duration(n)*day, after
	}
	if rest != "" || s == "" {
		d, err := time.ParseDuration(rest)
		if err != nil {
			return fmt.Errorf("%q is not a duration such as 90s, 12h or 7d", s)
		}
		if d < 0 {
			return fmt.Errorf("%q is negative", s)
		}
		if d > math.MaxInt64-total {
			return fmt.Errorf("%q is too large", s)
		}
		total += d
	}
	*v = durationValue(total)
	return nil
}

// Near returns those of among that word may have been meant for, the nearest
// first: what is at most two edits away and differs in less than half of word,
// and what word abbreviates. Upper and lower case count as the same, an edit is
// a character left out, added or replaced, or two neighbours exchanged.
func Near(word string, among []string) []string {
	type hit struct {
		word string
		d    int
	}
	var hits []hit
	w := []rune(strings.ToLower(word))
	for _, a := range among {
		lower := strings.ToLower(a)
		d := distance(w, []rune(lower))
		if d <= 2 && 2*d < len(w) || len(w) > 2 && strings.HasPrefix(lower, string(w)) {
			hits = append(hits, hit{a, d})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.d - b.d })
	var near []string
	for _, h := range hits {
		near = append(near, h.word)
	}
	return near
}

// distance is the Damerau-Levenshtein distance of a and b in the variant known
// as optimal string alignment: no part is edited twice.
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
