// Package tokenize counts the tokens of text as a model's encoding splits it.
//
// # Terminology
//
// An encoding first cuts text into pieces with a regular expression, then merges the bytes of each piece
// into tokens of its vocabulary: byte pair encoding. A token never crosses the end of a piece. Text is any
// bytes: each byte that is not part of valid UTF-8 counts as U+FFFD would to the regular expression, and
// text that looks like a special token ("<|endoftext|>") is ordinary text.
//
// # Exactness
//
// Counts equal the length of what EncodeOrdinary of github.com/pkoukk/tiktoken-go returns, save where that differs from
// OpenAI's own encoder, which is then followed: letters, marks and digits are those of Unicode 16.0, U+017F (ſ) after
// an apostrophe is the s of a contraction where the pattern ignores case, and an invalid byte is
// merged as U+FFFD.
//
// # What can be relied on
//
// The count of a text is not the sum of the counts of its parts, in either direction, and a longer text may have
// fewer tokens. So nothing here adds up estimates: [Counter.Count], [Meter.Count] and the Prefix methods
// look at the very text they answer for.
//
// # Cost
//
// Nothing happens before the first [NewCounter] or [NewMeter]; these read a few hundred bytes. The vocabularies are
// tables in the program file that are used in place. Counting takes time linear in the text, whatever
// the text, and allocates nothing once the scratch memory has its size. A Counter is 820 KB, most of it caches of which
// a short text touches a few pages; a Meter needs 100 KB more at most.
package tokenize

import "unicode/utf8"

//go:generate go run generate.go
//go:generate go run generate_models.go
//go:generate go run generate_unicode.go

// Encoding is one way to split text into tokens. It is immutable and shared.
type Encoding struct {
	name    string
	pattern pattern
	table   *string // vocabulary, in the shape of package layout
}

// All lists the encodings, the default first.
var All = []*Encoding{
	&o200kBase,
	&o200kHarmony,
	&cl100kBase,
	&p50kBase,
	&r50kBase,
	&charsBy4,
}

// Default returns o200k_base.
func Default() *Encoding { return &o200kBase }

// Lookup returns the encoding of that name. The error is an [*UnknownError].
func Lookup(name string) (*Encoding, error) {
	for _, e := range All {
		if e.name == name {
			return e, nil
		}
	}
	var names []string
	for _, e := range All {
		names = append(names, e.name)
	}
	like := near(name, names)
	if len(like) == 0 {
		like = names
	}
	return nil, &UnknownError{Kind: "encoding", Name: name, Near: like}
}

// Name returns the name, such as "o200k_base".
func (e *Encoding) Name() string { return e.name }

// String returns the name.
func (e *Encoding) String() string { return e.name }

// MaxTokenBytes returns the length in bytes of the longest token.
func (e *Encoding) MaxTokenBytes() int {
	if e.pattern == charsPattern {
		return charsPerToken * utf8.UTFMax
	}
	v := openTable(*e.table)
	return v.maxToken
}
