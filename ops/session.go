package ops

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-isatty"

	"jlop/stream"
)

// maxWarnings is how many warnings are shown; the rest are only counted.
const maxWarnings = 10

// A Place says where in the input something was found. What is not known is
// left zero: without a Line there is only the file, without a Col the line.
type Place struct {
	File      string
	Line, Col int64
	Pointer   string // RFC 6901
}

// String returns the place as messages begin with it, FILE:LINE:COL.
func (p Place) String() string {
	s := p.File
	if p.Line > 0 {
		s += ":" + strconv.FormatInt(p.Line, 10)
		if p.Col > 0 {
			s += ":" + strconv.FormatInt(p.Col, 10)
		}
	}
	return s
}

// Find prints a finding of --check on Stdout, as FILE:LINE:COL: text (in
// POINTER), and makes the status 1. The error is that of writing.
func (s *Session) Find(at Place, text string) error {
	s.raise(exitFound)
	if at.Pointer != "" {
		text += " (in " + at.Pointer + ")"
	}
	_, err := fmt.Fprintf(s.Stdout, "%s: %s\n", clean(at.String()), clean(text))
	return err
}

// Warnf tells of something that does not change the status. The first ten
// warnings are shown, the others are counted and told by [Session.Close].
func (s *Session) Warnf(format string, args ...any) {
	s.warnings++
	if !s.Quiet && s.warnings <= maxWarnings {
		s.say("warning: " + fmt.Sprintf(format, args...))
	}
}

// Hintf says what can be done about the message before it.
func (s *Session) Hintf(format string, args ...any) {
	if !s.Quiet {
		s.say("hint: " + fmt.Sprintf(format, args...))
	}
}

// Errorf tells of an error and raises the status to its [ExitCode]; the run may
// go on. [ErrFound] raises the status and is not told.
func (s *Session) Errorf(err error) {
	if err == nil {
		return
	}
	s.raise(ExitCode(err))
	if errors.Is(err, ErrFound) {
		return
	}
	s.say(message(err))
	var syntax *stream.SyntaxError
	if errors.As(err, &syntax) && !s.Quiet && isTerminal(s.Stderr) {
		// Not for a log or a model: the input may hold secrets.
		_, _ = io.WriteString(s.Stderr, excerpt(syntax))
	}
	var usage *UsageError
	if errors.As(err, &usage) && usage.Hint != "" {
		s.Hintf("%s", usage.Hint)
	}
}

// Close tells how many warnings were not shown.
func (s *Session) Close() {
	if n := s.warnings - maxWarnings; n > 0 && !s.Quiet {
		s.say(fmt.Sprintf("warning: %d of %d warnings not shown", n, s.warnings))
	}
	s.warnings = 0
}

// Status returns the gravest exit status of what was told so far.
func (s *Session) Status() int { return s.status }

// raise makes the status code unless it is something graver.
func (s *Session) raise(code int) {
	if gravity(code) > gravity(s.status) {
		s.status = code
	}
}

// gravity orders statuses: what kept jlop from working weighs more than what is
// wrong with the input, and that more than what was found in it.
func gravity(code int) int {
	switch code {
	case 0:
		return 0
	case exitFound:
		return 1
	case exitBudget:
		return 2
	case exitData:
		return 3
	}
	return 4
}

// say writes one line to Stderr. There is nowhere to report that this failed.
func (s *Session) say(text string) {
	_, _ = fmt.Fprintf(s.Stderr, "jlop: %s\n", clean(text))
}

// message returns the text of err, with file errors in the order that Unix
// tools use: the name, then what is wrong with it.
func message(err error) string {
	text := err.Error()
	var pe *fs.PathError
	if errors.As(err, &pe) {
		name := pe.Path
		switch name {
		case os.Stdin.Name():
			name = stream.StdinName
		case os.Stdout.Name():
			name = "<stdout>"
		}
		text = strings.Replace(text, pe.Error(), name+": "+pe.Err.Error(), 1)
	}
	return text
}

// clean escapes what could break the line or make a terminal do or hide
// something: controls, format characters, line separators, and bytes that are
// not UTF-8.
func clean(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x80 && unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0xFFFF && !visible(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		case !visible(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	return b.String()
}

func visible(r rune) bool {
	return r == ' ' || unicode.IsGraphic(r) && !unicode.Is(unicode.Zs, r)
}

// isTerminal reports whether v is a file that is a terminal.
func isTerminal(v any) bool {
	f, ok := v.(interface{ Fd() uintptr })
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// excerpt returns two lines: the input around a syntax error, and a caret under
// the place.
func excerpt(e *stream.SyntaxError) string {
	before, after := e.Excerpt[:e.Caret], e.Excerpt[e.Caret:]
	// The excerpt may begin inside a character.
	for i := 0; i < utf8.UTFMax-1 && len(before) > 0 && !utf8.RuneStart(before[0]); i++ {
		before = before[1:]
	}
	left := clean(string(before))
	return fmt.Sprintf("    %s%s\n    %*s\n", left, clean(string(after)), utf8.RuneCountInString(left)+1, "^")
}
