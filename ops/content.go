package ops

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"jlop/stream"
)

// What a text is, is decided by its first and last few KiB. Forms with a
// grammar of their own (JSON, a diff, a log of commits) are recognised by it;
// source code by votes: each line that only one language writes that way counts
// for that language, and the language with the most votes wins if they are many
// enough for the length of the text. Words in prose never vote, only lines of
// the right form do: "package" is not Go, "package main" on a line of its own
// is.

const (
	// contentHead and contentTail are how much of a text is looked at.
	contentHead = 4 << 10
	contentTail = 1 << 10

	// plainContent is what a text is that is nothing else.
	plainContent = "text"
)

// textStats is what is said of a text that is not shown.
type textStats struct {
	Lines, Chars int64
	Type         string // as detectContent names it
}

// String returns "450 lines, 28K chars, Go source".
func (t textStats) String() string {
	return fmt.Sprintf("%s, %s, %s", plural(t.Lines, "line"), plural(t.Chars, "char"), t.Type)
}

// oneLine returns "[Text: 450 lines, 28K chars, Go source]" where what is "Text:".
func (t textStats) oneLine(what string) string { return "[" + what + " " + t.String() + "]" }

// plural returns "1 line", "450 lines", "28K chars".
func plural(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return shortCount(n) + " " + what
}

// shortCount returns n in thousands (28K) from 1,000 on and in millions (3M)
// from 1,000,000 on, rounded.
func shortCount(n int64) string {
	const thousand, million = 1000, 1_000_000
	switch {
	case n < thousand:
		return fmt.Sprint(n)
	case n < million-thousand/2:
		return fmt.Sprintf("%dK", (n+thousand/2)/thousand)
	}
	return fmt.Sprintf("%dM", (n+million/2)/million)
}

// A textDescriber takes a text in pieces and keeps what its stats are made from.
type textDescriber struct {
	lines, chars int64
	head, tail   []byte
	last         byte
}

// Write takes the next piece of the text, decoded. It cannot fail.
func (d *textDescriber) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	d.lines += int64(bytes.Count(p, []byte{'\n'}))
	d.chars += countChars(p)
	d.last = p[len(p)-1]
	rest := p
	if n := min(len(p), contentHead-len(d.head)); n > 0 {
		d.head = append(d.head, p[:n]...)
		rest = p[n:]
	}
	rest = rest[max(0, len(rest)-contentTail):]
	if len(d.tail)+len(rest) > 2*contentTail {
		keep := max(0, contentTail-len(rest))
		d.tail = d.tail[:copy(d.tail, d.tail[len(d.tail)-keep:])]
	}
	d.tail = append(d.tail, rest...)
	return len(p), nil
}

// stats describes the text that was written. What follows the last line break
// is a line if there is anything.
func (d *textDescriber) stats() textStats {
	t := textStats{Lines: d.lines, Chars: d.chars}
	if d.last != '\n' && d.chars > 0 {
		t.Lines++
	}
	tail := d.tail[max(0, len(d.tail)-contentTail):]
	t.Type = detectContent(d.head, tail, d.chars == countChars(d.head)+countChars(tail))
	return t
}

// detectContent names what a text is of which head is the beginning, and tail
// the end without what is in head: "JSON", "diff", "git log", "stack trace",
// "HTML", "XML", "base64", "YAML", "TOML", "CSV", "TSV", "Markdown", "shell
// script", "SQL", "binary", "Go source" and so on for other languages, or "text". joined
// says that nothing is missing between the two.
func detectContent(head, tail []byte, joined bool) string {
	if joined {
		head, tail = slices.Concat(head, tail), nil
	}
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	s := newSample(head, tail)
	if len(s.lines) == 0 {
		return plainContent
	}
	for _, d := range detectors {
		if name := d(s); name != "" {
			return name
		}
	}
	return plainContent
}

// detectors are asked in order; the first that knows the text names it.
var detectors = [...]func(*sample) string{
	isBinary, isJSON, isDiff, isGitLog, isStackTrace, isMarkup, isBase64, isTOML, isYAML, isSource, isTable,
}

// lazily compiles a pattern when it is needed first: few runs need any.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// A sample is the part of a text that is looked at.
type sample struct {
	text  []byte   // the head
	whole bool     // there is nothing but the head
	lines []string // those with something in them, of head and tail, without line numbers
	first string   // the first of them
}

func newSample(head, tail []byte) *sample {
	s := &sample{text: head, whole: len(tail) == 0}
	if !s.whole {
		// The head may end inside a line, and the tail begin inside one.
		if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
			head = head[:i]
		}
		if i := bytes.IndexByte(tail, '\n'); i >= 0 {
			tail = tail[i+1:]
		}
	}
	for _, part := range [...][]byte{head, tail} {
		for line := range bytes.Lines(part) {
			if line = bytes.TrimRight(line, " \t\r\n"); len(line) > 0 {
				s.lines = append(s.lines, string(line))
			}
		}
	}
	s.unnumber()
	if len(s.lines) > 0 {
		s.first = s.lines[0]
	}
	return s
}

// lineNumber is what tools that show files put before each line.
var lineNumber = lazily(`^ *\d+(?:\t|→|: |:|\|| \| )`)

// unnumber takes away line numbers if all lines have one and they count up.
func (s *sample) unnumber() {
	if len(s.lines) < 3 {
		return
	}
	var last int
	for i, l := range s.lines {
		m := lineNumber().FindString(l)
		n := 0
		for _, c := range m {
			if c >= '0' && c <= '9' && n < 1e9 {
				n = n*10 + int(c-'0')
			}
		}
		if m == "" || i > 0 && n <= last || i > 0 && i < 3 && n > last+3 {
			return
		}
		last = n
	}
	lines := s.lines[:0]
	for _, l := range s.lines {
		if l = strings.TrimPrefix(l, lineNumber().FindString(l)); strings.TrimSpace(l) != "" {
			lines = append(lines, l)
		}
	}
	s.lines = lines
}

// share reports whether at least percent of the lines are as is says.
func (s *sample) share(percent int, is func(string) bool) bool {
	n := 0
	for _, l := range s.lines {
		if is(l) {
			n++
		}
	}
	return n > 0 && n*100 >= percent*len(s.lines)
}

// count is how many lines re matches.
func (s *sample) count(re *regexp.Regexp) int {
	n := 0
	for _, l := range s.lines {
		if re.MatchString(l) {
			n++
		}
	}
	return n
}

// isBinary knows what is no text: it has NUL bytes, or a tenth of it are controls
// and bytes that are not UTF-8.
func isBinary(s *sample) string {
	odd := 0
	for _, c := range string(s.text) {
		switch {
		case c == 0:
			return "binary"
		case c == utf8.RuneError, c < ' ' && !strings.ContainsRune("\t\n\v\f\r\b\x1b\x1e", c):
			odd++
		}
	}
	if odd*10 > utf8.RuneCount(s.text) {
		return "binary"
	}
	return ""
}

// isJSON knows a sequence of JSON objects and arrays. That the end of the sample
// or the text cuts one short does not matter, unless there is hardly anything
// of it.
func isJSON(s *sample) string {
	if t := bytes.TrimLeft(s.text, " \t\r\n\x1e"); len(t) == 0 || t[0] != '{' && t[0] != '[' {
		return ""
	}
	sc := stream.NewScanner(bytes.NewReader(s.text), stream.Options{Window: 2 * contentHead, Seq: true})
	for tokens := 0; ; tokens++ {
		k, err := sc.Next()
		switch {
		case err == nil && k == stream.End, err != nil && tokens >= 4 && sc.InputOffset() >= int64(len(s.text)):
			return "JSON"
		case err != nil, sc.Depth() == 0 && k != stream.ObjectEnd && k != stream.ArrayEnd:
			return ""
		}
	}
}

var (
	hunkHeader    = lazily(`^@@@? -\d+(?:,\d+)? .*\+\d+(?:,\d+)? @@`)
	normalChange  = lazily(`^\d+(?:,\d+)?[acd]\d+(?:,\d+)?$`)
	normalLine    = lazily(`^(?:[<>] |---$|\\ No newline|\d+(?:,\d+)?[acd]\d)`)
	diffFileLine  = lazily(`^diff (?:--git|--cc|--combined|-\w+) \S`)
	contextHeader = lazily(`^\*\*\* \d+(?:,\d+)? \*\*\*\*$`)
)

// isDiff knows unified, combined, context and plain diffs.
func isDiff(s *sample) string {
	is := false
	switch {
	case diffFileLine().MatchString(s.first):
		is = true
	case s.count(hunkHeader()) > 0:
		i := slices.IndexFunc(s.lines, hunkHeader().MatchString)
		is = i == 0 || i >= 2 && strings.HasPrefix(s.lines[i-1], "+++ ") && strings.HasPrefix(s.lines[i-2], "--- ") && i < 12 && !isCommit(s)
	case s.count(contextHeader()) > 0:
		is = strings.HasPrefix(s.first, "*** ")
	case normalChange().MatchString(s.first):
		is = s.share(90, normalLine().MatchString)
	}
	if is {
		return "diff"
	}
	return ""
}

var (
	commitLine = lazily(`^commit [0-9a-f]{7,64}(?: \(.+\)| [0-9a-f]{7,64})*$`)
	commitInfo = lazily(`^(?:Merge|Author|AuthorDate|Date|Commit|tree|parent|author)(?::| )`)
	shortLog   = lazily(`^[*|\\/ ]*[0-9a-f]{7,12} [^ \d].*$`)
	graphOnly  = lazily(`^[*|\\/_ ]+$`)
	hashLetter = lazily(`^[*|\\/ ]*[0-9a-f]*[a-f]`)
)

func isCommit(s *sample) bool {
	first := strings.TrimLeft(s.first, "*| ")
	return commitLine().MatchString(first) && len(s.lines) > 1 && commitInfo().MatchString(strings.TrimLeft(s.lines[1], "|\\* "))
}

// isGitLog knows what git log prints, with --oneline and --graph too.
func isGitLog(s *sample) string {
	oneline := func(l string) bool { return shortLog().MatchString(l) || graphOnly().MatchString(l) }
	if isCommit(s) || len(s.lines) >= 3 && s.share(100, oneline) && s.share(60, hashLetter().MatchString) && s.count(shortLog()) >= 3 {
		return "git log"
	}
	return ""
}

var (
	traceStart = lazily(`^(?:Traceback \(most recent call last\):|goroutine \d+ \[.+\]:|panic: |thread '.*' panicked at |Exception in thread |Unhandled exception|stack backtrace:|[\w.$]+(?:Exception|Error)(?::|$)|Uncaught \w+|Caused by: )`)
	traceFrame = lazily(`^\s*(?:File ".+", line \d+|at .+[(:].*\)?$|at [\w$.<>]+$|from .+:\d+:in |\d+: +\S+|.+\.go:\d+(?: \+0x[0-9a-f]+)?$|#\d+ +(?:0x[0-9a-f]+ )?.*(?:in |at |\()|\.\.\. \d+ more)|^\S+\(.*\)$`)
)

// isStackTrace knows the stack traces of the common languages. A log with one in
// it is a log.
func isStackTrace(s *sample) string {
	i := slices.IndexFunc(s.lines, func(l string) bool { return traceStart().MatchString(strings.TrimSpace(l)) })
	if i < 0 || i > 3 || s.count(traceFrame()) < 1 {
		return ""
	}
	if n := s.count(traceFrame()); n*100 < 30*len(s.lines) {
		return ""
	}
	return "stack trace"
}

var (
	markupStart = lazily(`^(?:<!--(?s:.)*?-->\s*)*<(?:([A-Za-z_][\w.:-]*)(?:\s[^<>]*)?/?>|([A-Za-z_][\w.:-]*)\s+[\w.:-]+=["'])`)
	markupEnd   = lazily(`</[A-Za-z_][\w.:-]*\s*>|/>`)
)

// htmlNames are elements that a piece of HTML may begin with.
var htmlNames = []string{
	"html", "head", "body", "div", "p", "span", "table", "ul", "ol", "a", "h1", "h2", "h3", "section", "main", "nav",
	"header", "footer", "article", "form", "script", "style", "title", "meta", "link", "img", "br", "b", "i", "pre",
}

// isMarkup knows HTML and XML.
func isMarkup(s *sample) string {
	text := bytes.TrimSpace(s.text)
	lower := strings.ToLower(string(text[:min(len(text), 64)]))
	switch {
	case strings.HasPrefix(lower, "<?php"):
		return "PHP source"
	case strings.HasPrefix(lower, "<!doctype html"), strings.HasPrefix(lower, "<html"):
		return "HTML"
	case strings.HasPrefix(lower, "<?xml "), strings.HasPrefix(lower, "<!doctype "):
		if bytes.Contains(bytes.ToLower(text), []byte("<html")) {
			return "HTML"
		}
		return "XML"
	}
	m := markupStart().FindSubmatch(text)
	if m == nil || !markupEnd().Match(text) && (s.whole || !markupEnd().MatchString(s.lines[len(s.lines)-1])) {
		return ""
	}
	if name := strings.ToLower(string(m[1]) + string(m[2])); slices.Contains(htmlNames, name) {
		return "HTML"
	}
	return "XML"
}

var base64Line = lazily(`^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$`)

// isBase64 knows base64 in one long line or wrapped, also between the lines of
// PEM.
func isBase64(s *sample) string {
	lines := s.lines
	if strings.HasPrefix(s.first, "-----BEGIN ") {
		lines = lines[1:]
		if n := len(lines); n > 0 && strings.HasPrefix(lines[n-1], "-----END ") {
			lines = lines[:n-1]
		}
	} else if i := strings.Index(s.first, ";base64,"); i > 0 && strings.HasPrefix(s.first, "data:") {
		return "base64"
	}
	if len(lines) == 0 || len(lines[0]) < 60 {
		return ""
	}
	var upper, lowerCase, digit bool
	for i, l := range lines {
		// The last line is shorter; the sample may have cut one.
		if !base64Line().MatchString(l) || s.whole && i < len(lines)-1 && len(l) != len(lines[0]) {
			return ""
		}
		upper = upper || strings.ContainsFunc(l, unicode.IsUpper)
		lowerCase = lowerCase || strings.ContainsFunc(l, func(c rune) bool { return c > 'f' && c <= 'z' })
		digit = digit || strings.ContainsAny(l, "0123456789+/")
	}
	if upper && lowerCase && digit {
		return "base64"
	}
	return ""
}

var (
	tomlSection = lazily(`^\s*\[\[?[\w."' -]+\]\]?\s*(?:#.*)?$`)
	tomlPair    = lazily(`^\s*[\w."-]+(?: += *| *= +)(?:["'\[{]|true\b|false\b|[-+]?\d)`)
	tomlMore    = lazily(`^\s*(?:["'\]}#]|[-+]?\d[\d._]*,)`)
)

// isTOML knows TOML by its sections and pairs, or by three pairs alone.
func isTOML(s *sample) string {
	sections, pairs := s.count(tomlSection()), s.count(tomlPair())
	if pairs == 0 || sections == 0 && pairs < 3 || sections > 0 && !tomlSection().MatchString(s.first) && !tomlPair().MatchString(s.first) && s.first[0] != '#' {
		return ""
	}
	all := s.share(100, func(l string) bool {
		return tomlSection().MatchString(l) || tomlPair().MatchString(l) || tomlMore().MatchString(l)
	})
	if !all || strings.HasSuffix(s.first, ";") || strings.HasSuffix(s.first, ",") {
		return ""
	}
	return "TOML"
}

var yamlPair = lazily(`^( *)(- +)*(?:"[^"]+"|'[^']+'|[\w./@$-]+(?: [\w./-]+){0,2}):(?: +(.+))?$`)

// isYAML knows YAML by its pairs: some must be nested or in a list, or the names
// must begin in lower case and the values be short, so that neither mail headers
// nor conversations are taken for it.
func isYAML(s *sample) string {
	pairs, nested, plain := 0, false, true
	block, open := -1, -1 // indentation of a block of text, and of a name without value
	lines := 0
	for _, l := range s.lines {
		t := strings.TrimLeft(l, " ")
		indent := len(l) - len(t)
		if block >= 0 && indent > block {
			continue
		}
		block = -1
		if t[0] == '#' || t == "---" || t == "..." || strings.HasPrefix(t, "%YAML") {
			continue
		}
		lines++
		m := yamlPair().FindStringSubmatch(l)
		if m == nil {
			if strings.HasPrefix(t, "- ") && open >= 0 && indent >= open {
				nested = true
				pairs++
			}
			continue
		}
		pairs++
		nested = nested || open >= 0 && (indent > open || m[2] != "")
		value := m[3]
		if strings.HasSuffix(value, ";") || strings.HasSuffix(value, "{") && value != "{" || strings.HasSuffix(value, ",") {
			return "" // a style sheet, or the fields of a literal
		}
		c, _ := utf8.DecodeRuneInString(t)
		plain = plain && unicode.IsLower(c) && strings.Count(value, " ") < 6
		open = -1
		if value == "" {
			open = indent
		}
		if value != "" && (value[0] == '|' || value[0] == '>') {
			block = indent
		}
	}
	marked := s.lines[0] == "---" || strings.HasPrefix(s.lines[0], "%YAML")
	if pairs*100 < 85*lines || pairs < 2 || !(marked || nested || plain && pairs >= 3) {
		return ""
	}
	if pythonLines := s.count(pythonBlock()); pythonLines > 0 {
		return ""
	}
	return "YAML"
}

var pythonBlock = lazily(`^\s*(?:(?:async )?def \w+\(.*\)|class \w+(?:\(.*\))?|try|finally)(?: *-> *.+)?:$`)

// isTable knows CSV and TSV: as many fields in every line.
func isTable(s *sample) string {
	for _, kind := range [...]struct {
		sep  byte
		name string
	}{{',', "CSV"}, {'\t', "TSV"}, {';', "CSV"}, {'|', "CSV"}} {
		if isSeparated(s, kind.sep) {
			return kind.name
		}
	}
	return ""
}

func isSeparated(s *sample, sep byte) bool {
	n, _ := countFields(s.first, sep)
	least := 2
	if n == 2 {
		least = 3
	}
	if n < 2 || len(s.lines) < least || s.first[0] == '|' {
		return false
	}
	for field := range strings.SplitSeq(s.first, string(sep)) {
		// The names of columns, or values: no sentences, no brackets.
		if len(field) > 60 || strings.Count(strings.TrimSpace(field), " ") > 3 || strings.ContainsAny(field, "{}()<>=") {
			return false
		}
		if c, _ := utf8.DecodeRuneInString(strings.TrimLeft(field, `" `)); n == 2 && !unicode.IsLetter(c) && c != '_' {
			return false // the seconds of a log's times
		}
	}
	counts := map[int]int{}
	fields, spaces := 0, 0
	for _, l := range s.lines {
		k, sp := countFields(l, sep)
		counts[k]++
		fields += k - 1
		spaces += sp
	}
	// The last columns of the first line may be empty and left out.
	same := 0
	for k := 2; k <= n; k++ {
		same = max(same, counts[k])
	}
	return same*100 >= 90*len(s.lines) && spaces*3 < fields
}

// countFields counts the fields of a line and how many begin with a space.
func countFields(l string, sep byte) (n, spaced int) {
	quoted := false
	n = 1
	for i := 0; i < len(l); i++ {
		switch {
		case l[i] == '"':
			quoted = !quoted
		case l[i] == sep && !quoted:
			n++
			if i+1 < len(l) && l[i+1] == ' ' {
				spaced++
			}
		}
	}
	return n, spaced
}
