package ops

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"time"

	"jlop/stream"
	"jlop/tokenize"
)

// Common holds the options that every command shares. The zero value reads and
// writes as found, without a budget.
type Common struct {
	RawInput  bool   // the input is text: one string
	RawOutput bool   // print text without JSON quoting
	At        string // pointer or path to the part that is worked on
	Seq       bool   // RFC 7464 framing

	MaxTokens, MaxBytes, MaxChars int64
	Encoding, Model               string
	Scale                         float64 // negative infinity: not given

	Compact bool
	Indent  int64 // -1: not given
	Tab     bool
	Output  string

	Check    bool
	ExitCode bool
	Report   string
	Invalid  string
	Jobs     int64

	Unbuffered     bool
	Quiet, Verbose bool

	path stream.Path
}

// init sets the defaults that are not zero.
func (c *Common) init() {
	c.Indent = -1
	c.Scale = math.Inf(-1)
	c.Invalid = "fail"
	c.Jobs = int64(runtime.GOMAXPROCS(0))
}

// The groups of the shared options, as help shows them.
const (
	groupInput  = "Input"
	groupBudget = "Budget"
	groupOutput = "Output"
	groupRun    = "Run"
)

func (c *Common) inputFlags() []Flag {
	return []Flag{
		{Name: "raw-input", Short: "R", Doc: "the input is text: one string", Value: BoolValue(&c.RawInput), Group: groupInput},
		{Name: "at", Arg: "POINTER", Doc: "work on the part at this RFC 6901 pointer or jq path", Value: StringValue(&c.At), Group: groupInput},
		{Name: "seq", Doc: "records begin with RS and end with a line feed (RFC 7464)", Value: BoolValue(&c.Seq), Group: groupInput},
		{Name: "invalid", Arg: "fail|pass|skip", Doc: "what becomes of a value that is not JSON", Value: EnumValue(&c.Invalid, "fail", "pass", "skip"), Group: groupInput},
	}
}

func (c *Common) budgetFlags() []Flag {
	return []Flag{
		{Name: "max-tokens", Arg: "N", Doc: "no more than N tokens", Value: BudgetValue(&c.MaxTokens), Group: groupBudget},
		{Name: "max-bytes", Arg: "N", Doc: "no more than N bytes", Value: BudgetValue(&c.MaxBytes), Group: groupBudget},
		{Name: "max-chars", Arg: "N", Doc: "no more than N Unicode code points", Value: BudgetValue(&c.MaxChars), Group: groupBudget},
		{Name: "encoding", Arg: "NAME", Doc: "count tokens by this encoding (o200k_base)", Value: StringValue(&c.Encoding), Group: groupBudget},
		{Name: "model", Arg: "NAME", Doc: "count tokens as this model does", Value: StringValue(&c.Model), Group: groupBudget},
		{Name: "scale", Arg: "F", Doc: "charge F tokens per token of the encoding, rounded up", Value: FloatValue(&c.Scale), Group: groupBudget},
	}
}

func (c *Common) outputFlags() []Flag {
	return []Flag{
		{Name: "raw-output", Short: "r", Doc: "print text without JSON quoting", Value: BoolValue(&c.RawOutput), Group: groupOutput},
		{Name: "compact", Short: "c", Doc: "one line per value, no white space", Value: BoolValue(&c.Compact), Group: groupOutput},
		{Name: "indent", Arg: "N", Doc: "lay values out anew, indented by N spaces (0-9)", Value: IntValue(&c.Indent), Group: groupOutput},
		{Name: "tab", Doc: "lay values out anew, indented by tabs", Value: BoolValue(&c.Tab), Group: groupOutput},
		{Name: "output", Short: "o", Arg: "FILE", Doc: "write to FILE, which is replaced when all is written", Value: StringValue(&c.Output), Group: groupOutput},
		{Name: "report", Arg: "FILE", Doc: "write one JSON object per change to FILE", Value: StringValue(&c.Report), Group: groupOutput},
	}
}

func (c *Common) runFlags() []Flag {
	return []Flag{
		{Name: "check", Doc: "write no data: one line per finding, exit 1 if there is one", Value: BoolValue(&c.Check), Group: groupRun},
		{Name: "exit-code", Doc: "exit 1 if anything was cut or changed", Value: BoolValue(&c.ExitCode), Group: groupRun},
		{Name: "unbuffered", Doc: "flush after each record", Value: BoolValue(&c.Unbuffered), Group: groupRun},
		{Name: "quiet", Short: "q", Doc: "no warnings, no hints", Value: BoolValue(&c.Quiet), Group: groupRun},
		{Name: "verbose", Short: "v", Doc: "at the end, tell how much was read and written", Value: BoolValue(&c.Verbose), Group: groupRun},
	}
}

func (c *Common) jobsFlag() Flag {
	return Flag{Name: "jobs", Short: "j", Arg: "N", Doc: "work on N records at a time", Value: IntValue(&c.Jobs), Group: groupRun}
}

// budget is the budget that the options give.
func (c *Common) budget() (Budget, error) {
	b := Budget{Tokens: c.MaxTokens, Bytes: c.MaxBytes, Chars: c.MaxChars, Scale: c.Scale}
	switch {
	case math.IsInf(c.Scale, -1):
		b.Scale = 0
	case c.Scale < minScale || c.Scale > maxScale:
		return b, Usagef("--scale is %g to %d, not %g", minScale, maxScale, c.Scale)
	}
	switch {
	case c.Encoding != "" && c.Model != "":
		return b, Usagef("--encoding and --model exclude each other")
	case c.Model != "":
		m, err := tokenize.ForModel(c.Model)
		if err != nil {
			return b, unknown("--model", err)
		}
		b.Encoding = m.Encoding
		if b.Scale == 0 {
			b.Scale = m.Scale
		}
		b.Estimate = m.Estimate
	case c.Encoding != "":
		e, err := tokenize.Lookup(c.Encoding)
		if err != nil {
			return b, unknown("--encoding", err)
		}
		b.Encoding = e
	}
	return b, nil
}

// unknown makes a usage error of an unknown encoding or model.
func unknown(flag string, err error) error {
	var u *tokenize.UnknownError
	if errors.As(err, &u) && len(u.Near) > 0 {
		e := Usagef("%s: unknown %s %q", flag, u.Kind, u.Name)
		e.Hint = "did you mean " + orList(u.Near) + "?"
		return e
	}
	return Usagef("%s: %v", flag, err)
}

// orList joins words as "a, b or c".
func orList(words []string) string {
	s := words[0]
	for i, w := range words[1:] {
		if i == len(words)-2 {
			s += " or " + w
		} else {
			s += ", " + w
		}
	}
	return s
}

func (c *Common) layout() stream.Layout {
	l := stream.Layout{Compact: c.Compact || c.Indent == 0, Tab: c.Tab, Seq: c.Seq}
	if c.Indent > 0 {
		l.Indent = int(c.Indent)
	}
	return l
}

// A job is one run's input and output, opened.
type job struct {
	*Session
	c      *Common
	r      *stream.Reader
	w      *stream.Writer
	g      *gauge
	report *reporter
	file   *stream.AtomicFile
	cut    bool  // something was cut or changed
	failed error // the last error that did not end the run

	progress *progress
}

// open checks the options against each other and opens input and output.
func (c *Common) open(s *Session, g *gauge) (*job, error) {
	s.Quiet, s.Verbose = c.Quiet, c.Verbose
	if c.Indent > 9 {
		return nil, Usagef("--indent is 0 to 9, not %d", c.Indent)
	}
	if c.Jobs < 1 {
		return nil, Usagef("--jobs must be 1 or more")
	}
	var err error
	if c.path, err = stream.ParsePath(c.At); err != nil {
		return nil, Usagef("--at: %v", err)
	}
	j := &job{Session: s, c: c, g: g}
	out := s.Stdout
	if c.Output != "" && c.Output != "-" && !c.Check {
		if name, same := stream.SameFile(c.Output, s.Args); same {
			return nil, Usagef("--output %s is also an input (%s)", c.Output, name)
		}
		if j.file, err = stream.CreateAtomic(c.Output, 0o666); err != nil {
			return nil, err
		}
		out = j.file
	}
	if c.Check {
		out = io.Discard
	}
	j.w = stream.NewWriter(out, c.layout())
	j.w.Unbuffered = c.Unbuffered
	if c.Report != "" {
		if name, same := stream.SameFile(c.Report, s.Args); same {
			return nil, Usagef("--report %s is also an input (%s)", c.Report, name)
		}
		if j.report, err = newReporter(c.Report, s); err != nil {
			return nil, err
		}
	}
	j.progress = newProgress(s, func() int64 { return j.r.Record() })
	j.r = j.reader(s.Args)
	return j, nil
}

// reader reads the values of the named inputs as one stream.
func (j *job) reader(names []string) *stream.Reader {
	return stream.NewReader(names, stream.ReaderOptions{
		Stdin: j.Stdin, Raw: j.c.RawInput, Seq: j.c.Seq,
		Invalid:    map[string]stream.Policy{"fail": stream.Fail, "pass": stream.Pass, "skip": stream.Skip}[j.c.Invalid],
		PassTo:     j.w,
		OnError:    j.soft,
		BeforeRead: func() { j.w.FlushRecords() },
		OnRead:     j.progress.read,
	})
}

// soft tells of an error that does not end the run. A value that is not JSON is
// what --invalid pass and skip are for, so it does not make the run a failure.
func (j *job) soft(err error) {
	var syntax *stream.SyntaxError
	if errors.As(err, &syntax) {
		j.Warnf("%v", err)
		return
	}
	j.failed = err
	j.Errorf(err)
}

// eachValue calls part for each value of the input, or for the part of it that
// --at names, to read it and write what becomes of it. What is around is copied.
func (j *job) eachValue(part func(*stream.Scanner) error) error {
	var gap io.Writer // takes the white space between values
	if !j.c.layout().Framed() && !j.c.RawOutput {
		gap = j.w
	}
	for {
		ok, err := j.r.Next(gap)
		if err != nil || !ok {
			return err
		}
		if err := j.value(part); err != nil {
			return err
		}
		if err := j.endRecord(); err != nil {
			return err
		}
	}
}

// value calls part for the next value of the input.
func (j *job) value(part func(*stream.Scanner) error) error {
	s := j.r.Scanner()
	j.w.Begin()
	if j.c.path.IsRoot() {
		if err := part(s); err != nil {
			return err
		}
		j.w.End()
		return nil
	}
	depth := s.Depth()
	out := j.w.Value()
	s.Tee(out)
	found, err := stream.Descend(s, j.c.path)
	if err != nil {
		return err
	}
	if found {
		if err := s.StopTee(); err != nil {
			return err
		}
		if err := part(s); err != nil {
			return err
		}
		s.Tee(out)
		if err := s.SkipTo(depth); err != nil {
			return err
		}
	}
	if err := s.StopTee(); err != nil {
		return err
	}
	j.w.End()
	return nil
}

// endRecord is called after each record.
func (j *job) endRecord() error {
	if j.c.Unbuffered {
		return j.w.Flush()
	}
	return j.w.Err()
}

// close finishes input and output after a run that ended with err, and returns
// what the run comes to.
func (j *job) close(err error) error {
	j.r.Close()
	finish := j.w.Finish
	if j.c.RawInput && j.c.RawOutput {
		finish = j.w.Flush // the text says itself whether it ends in a line feed
	}
	if werr := finish(); err == nil {
		err = werr
	}
	if j.report != nil {
		if rerr := j.report.close(); err == nil {
			err = rerr
		}
	}
	if j.file != nil {
		if err != nil {
			j.file.Abort()
		} else {
			err = j.file.Commit()
		}
	}
	j.progress.end()
	if j.Verbose {
		j.say(fmt.Sprintf("%s, %d bytes written", j.progress.rate(time.Now()), j.w.Written()))
	}
	if err == nil && j.cut && j.c.ExitCode {
		return ErrFound
	}
	return err
}

// A reporter writes the report, one JSON object per change.
type reporter struct {
	w io.WriteCloser
}

func newReporter(name string, s *Session) (*reporter, error) {
	if name == "-" {
		return nil, Usagef("--report needs a file; standard output is for data")
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("--report: %w", err)
	}
	return &reporter{w: f}, nil
}

// A change is one line of the report.
type change struct {
	File    string
	Line    int64
	Offset  int64
	Pointer string
	Rule    string
	Unit    string
	Before  int64
	After   int64
	Limit   string
}

func (r *reporter) write(c change) error {
	o := newObject(nil)
	o.str("file", c.File)
	o.int("line", c.Line)
	o.int("offset", c.Offset)
	o.str("pointer", c.Pointer)
	o.str("rule", c.Rule)
	o.str("unit", c.Unit)
	o.int("before", c.Before)
	o.int("after", c.After)
	o.str("limit", c.Limit)
	_, err := r.w.Write(append(o.end(), '\n'))
	return err
}

func (r *reporter) close() error { return r.w.Close() }
