package tokenize

import "unicode/utf8"

// pattern is how text is cut into pieces. Each is an exact hand-written matcher of the regular expression
// published with the encoding (openai/tiktoken, tiktoken_ext/openai_public.py).
type pattern uint8

const (
	// charsPattern cuts nothing.
	charsPattern pattern = iota

	// o200kPattern is
	//
	//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
	//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
	//	\p{N}{1,3}
	//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
	//	\s*[\r\n]+
	//	\s+(?!\S)
	//	\s+
	o200kPattern

	// cl100kPattern is
	//
	//	(?i:'s|'t|'re|'ve|'m|'ll|'d)
	//	[^\r\n\p{L}\p{N}]?\p{L}+
	//	\p{N}{1,3}
	//	 ?[^\s\p{L}\p{N}]+[\r\n]*
	//	\s*[\r\n]+
	//	\s+(?!\S)
	//	\s+
	cl100kPattern

	// gpt2Pattern is
	//
	//	's|'t|'re|'ve|'m|'ll|'d
	//	 ?\p{L}+
	//	 ?\p{N}+
	//	 ?[^\s\p{L}\p{N}]+
	//	\s+(?!\S)
	//	\s+
	gpt2Pattern
)

// next returns the end of the piece that starts at b[i]. more reports that it looked for what comes after
// b: with more text the end could be another.
func (p pattern) next(b []byte, i int) (end int, more bool) {
	switch p {
	case o200kPattern:
		return nextO200k(b, i)
	case cl100kPattern:
		return nextCl100k(b, i)
	}
	return nextGPT2(b, i)
}

func nextO200k(b []byte, i int) (end int, more bool) {
	c, n := class(b, i)
	word := i
	switch c {
	case number:
		return digits3(b, i+n)
	case other, blank:
		if i+n == len(b) {
			return i + n, true
		}
		switch c1, n1 := class(b, i+n); {
		case isLetter(c1) || c1 == mark:
			word = i + n
		case c == other:
			return punct(b, i+n, o200kPattern)
		case c1 == other && b[i] == ' ':
			return punct(b, i+n+n1, o200kPattern)
		default:
			return space(b, i)
		}
	case newline:
		return space(b, i)
	}
	// A mark that starts a word could also be its prefix, with the same end.
	e, m1 := word200k(b, word)
	e, m2 := contraction(b, e, true)
	return e, m1 || m2
}

// word200k matches [upper letter mark]*[lower letter mark]+, or else [upper letter mark]+, at i, where one of
// them does match. The first part takes what it can, so the second may be left with the last letter or mark in it.
func word200k(b []byte, i int) (end int, more bool) {
	last := -1
	for {
		if i == len(b) {
			more = true
			break
		}
		c, n := class(b, i)
		if c == lower {
			return wordEnd(b, i+n)
		}
		if c != upper && c != letter && c != mark {
			break
		}
		i += n
		if c != upper {
			last = i
		}
	}
	if last >= 0 {
		return last, more
	}
	return i, more
}

// wordEnd matches [lower letter mark]*.
func wordEnd(b []byte, i int) (end int, more bool) {
	for i < len(b) {
		c, n := class(b, i)
		if c != lower && c != letter && c != mark {
			return i, false
		}
		i += n
	}
	return i, true
}

func nextCl100k(b []byte, i int) (end int, more bool) {
	c, n := class(b, i)
	if b[i] == '\'' {
		if end, more = contraction(b, i, true); end > i {
			return end, more
		}
	}
	switch {
	case isLetter(c):
		return letters(b, i+n)
	case c == number:
		return digits3(b, i+n)
	case c == newline:
		return space(b, i)
	case i+n == len(b):
		return i + n, true
	}
	c1, n1 := class(b, i+n)
	var m bool
	switch {
	case isLetter(c1):
		end, m = letters(b, i+n+n1)
	case c != blank:
		end, m = punct(b, i+n, cl100kPattern)
	case b[i] == ' ' && (c1 == other || c1 == mark):
		end, m = punct(b, i+n+n1, cl100kPattern)
	default:
		end, m = space(b, i)
	}
	return end, m || more
}

func nextGPT2(b []byte, i int) (end int, more bool) {
	if b[i] == '\'' {
		if end, more = contraction(b, i, false); end > i {
			return end, more
		}
	}
	k := i
	if b[i] == ' ' {
		if k++; k == len(b) {
			return k, true
		}
	}
	var m bool
	switch c, n := class(b, k); {
	case isLetter(c):
		end, m = letters(b, k+n)
	case c == number:
		for end, m = k+n, true; end < len(b); end += n {
			if c, n = class(b, end); c != number {
				m = false
				break
			}
		}
	case c == other || c == mark:
		end, m = punct(b, k+n, gpt2Pattern)
	default:
		end, m = blanks(b, i)
	}
	return end, m || more
}

// contraction matches 's 't 'm 'd 're 've 'll at i, or nothing; with fold in any case.
func contraction(b []byte, i int, fold bool) (end int, more bool) {
	if i == len(b) {
		return i, true
	}
	if b[i] != '\'' {
		return i, false
	}
	if i+1 == len(b) {
		return i, true
	}
	var caseBit byte
	if fold {
		caseBit = 0x20
	}
	switch x := b[i+1] | caseBit; x {
	case 's', 't', 'm', 'd':
		return i + 2, false
	case 'r', 'v', 'l':
		if i+2 == len(b) {
			return i, true
		}
		if y := b[i+2] | caseBit; x == 'l' && y == 'l' || x != 'l' && y == 'e' {
			return i + 3, false
		}
	}
	if fold && b[i+1] == "ſ"[0] { // U+017F is an s in another case
		if i+2 == len(b) {
			return i, true
		}
		if b[i+2] == "ſ"[1] {
			return i + 3, false
		}
	}
	return i, false
}

// letters matches \p{L}*.
func letters(b []byte, i int) (end int, more bool) {
	for i < len(b) {
		c, n := class(b, i)
		if !isLetter(c) {
			return i, false
		}
		i += n
	}
	return i, true
}

// digits3 matches \p{N}{0,2}.
func digits3(b []byte, i int) (end int, more bool) {
	for range 2 {
		if i == len(b) {
			return i, true
		}
		c, n := class(b, i)
		if c != number {
			break
		}
		i += n
	}
	return i, false
}

// punct matches [^\s\p{L}\p{N}]* and the pattern's line ends after it.
func punct(b []byte, i int, p pattern) (end int, more bool) {
	for i < len(b) {
		c, n := class(b, i)
		if c != other && c != mark {
			return lineEnds(b, i, p)
		}
		i += n
	}
	return i, true
}

// lineEnds matches [\r\n/]* in o200k_base, [\r\n]* in cl100k_base and nothing in the older ones.
func lineEnds(b []byte, i int, p pattern) (end int, more bool) {
	if p == gpt2Pattern {
		return i, false
	}
	for i < len(b) {
		if c := b[i]; c != '\n' && c != '\r' && (c != '/' || p != o200kPattern) {
			return i, false
		}
		i++
	}
	return i, true
}

// space matches \s*[\r\n]+ or \s+(?!\S) or \s+ at i, where there is a blank or newline.
func space(b []byte, i int) (end int, more bool) {
	k, line, last := i, -1, i
	for {
		if k == len(b) {
			more = true
			break
		}
		c, n := class(b, k)
		if c != newline && c != blank {
			break
		}
		last = k
		k += n
		if c == newline {
			line = k
		}
	}
	switch {
	case line >= 0:
		return line, more
	case last > i && !more:
		return last, false
	}
	return k, more
}

// blanks matches \s+(?!\S) or \s+ at i, where there is a blank or newline.
func blanks(b []byte, i int) (end int, more bool) {
	k, last := i, i
	for k < len(b) {
		c, n := class(b, k)
		if c != newline && c != blank {
			if last > i {
				return last, false
			}
			return k, false
		}
		last = k
		k += n
	}
	return k, true
}

// boundary reports whether a piece starts at b[i] whatever stands before b[i-1] and after b[i], in every pattern,
// so that the counts of the two sides add up. It knows the commonest cases only, among ASCII.
func boundary(b []byte, i int) bool {
	x, y := b[i-1], b[i]
	if x|y >= utf8.RuneSelf {
		return false
	}
	switch cx, cy := firstClass[x], firstClass[y]; cx {
	case upper, lower:
		return cy == blank || cy == number || cy == other && y != '\''
	case number:
		return cy != number
	case other:
		return cy == blank || cy == number
	}
	return false
}
