package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jlop/ops"
)

// echo is a command that prints its options and operands.
type echo struct {
	own   string
	n     int64
	field []string
	mode  string
	c     bool
	q, v  bool
}

func (e *echo) Flags() []ops.Flag {
	return []ops.Flag{
		{Name: "number", Short: "n", Arg: "N", Doc: "how many", Value: ops.SizeValue(&e.n), Env: []string{"OTHER_NUMBER", "THIRD_NUMBER"}},
		{Name: "field", Short: "f", Arg: "NAME", Doc: "a field that has a name and a description which is longer than one line of help can hold", Value: ops.StringsValue(&e.field)},
		{Name: "in-the-mode-called", Arg: "fail|pass|skip", Doc: "how", Value: ops.EnumValue(&e.mode, "fail", "pass", "skip"), Group: "Input"},
		{Name: "compact", Short: "c", Doc: "one line", Value: ops.BoolValue(&e.c), Group: "Output"},
		{Name: e.own, Doc: "an option of this command alone", Value: ops.BoolValue(new(bool)), Group: "Output"},
		{Name: "quiet", Short: "q", Doc: "say less", Value: ops.BoolValue(&e.q), Group: "Run"},
		{Name: "verbose", Short: "v", Doc: "say more", Value: ops.BoolValue(&e.v), Group: "Run"},
	}
}

func (e *echo) Run(_ context.Context, s *ops.Session) error {
	s.Quiet, s.Verbose = e.q, e.v
	switch e.mode {
	case "pass":
		return ops.ErrFound
	case "skip":
		panic("oh no")
	}
	_, err := fmt.Fprintf(s.Stdout, "n=%d f=%q c=%v %q\n", e.n, e.field, e.c, s.Args)
	return err
}

func fake() []ops.Op {
	op := func(name string) ops.Op {
		return ops.Op{
			Name: name, Doc: name + " the input", Args: "[FILE...]", Scope: ops.ScopeStream,
			New: func() ops.Run { return &echo{own: name + "-only", n: 7, mode: "fail"} },
		}
	}
	return []ops.Op{op("truncate"), op("page"), op("count")}
}

const (
	try         = "jlop: hint: try 'jlop truncate --help'\n"
	tryCommands = "jlop: hint: try 'jlop --help'\n"
)

func TestCommandLine(t *testing.T) {
	tests := []struct {
		name   string
		args   string // between spaces
		code   int
		stdout string
		stderr string
	}{
		{"defaults", "truncate", 0, "n=7 f=[] c=false []\n", ""},
		{"operands", "truncate a - b", 0, "n=7 f=[] c=false [\"a\" \"-\" \"b\"]\n", ""},
		{"flags after operands", "truncate a -n 5 b -c", 0, "n=5 f=[] c=true [\"a\" \"b\"]\n", ""},
		{"short, joined", "truncate -n5", 0, "n=5 f=[] c=false []\n", ""},
		{"short, with =", "truncate -n=5", 0, "n=5 f=[] c=false []\n", ""},
		{"long, joined", "truncate --number=5", 0, "n=5 f=[] c=false []\n", ""},
		{"long, apart", "truncate --number 5", 0, "n=5 f=[] c=false []\n", ""},
		{"joined value with =", "truncate --field=a=b", 0, "n=7 f=[\"a=b\"] c=false []\n", ""},
		{"joined value is empty", "truncate --field=", 0, "n=7 f=[\"\"] c=false []\n", ""},
		{"bundled", "truncate -cq", 0, "n=7 f=[] c=true []\n", ""},
		{"bundled with a value joined", "truncate -cqn5", 0, "n=5 f=[] c=true []\n", ""},
		{"bundled with a value apart", "truncate -cqn 5 a", 0, "n=5 f=[] c=true [\"a\"]\n", ""},
		{"leading zero is decimal", "truncate -n 010", 0, "n=10 f=[] c=false []\n", ""},
		{"suffix", "truncate -n 64KiB", 0, "n=65536 f=[] c=false []\n", ""},
		{"the last one wins", "truncate -n5 --number 6", 0, "n=6 f=[] c=false []\n", ""},
		{"a list appends and keeps commas", "truncate -f a,b --field c", 0, "n=7 f=[\"a,b\" \"c\"] c=false []\n", ""},
		{"switch turned off", "truncate -c --compact=false", 0, "n=7 f=[] c=false []\n", ""},
		{"a switch takes no operand", "truncate --compact false", 0, "n=7 f=[] c=true [\"false\"]\n", ""},
		{"-- ends the flags", "truncate -c -- -n 5 --help --", 0, "n=7 f=[] c=true [\"-n\" \"5\" \"--help\" \"--\"]\n", ""},
		{"files called help", "truncate help h", 0, "n=7 f=[] c=false [\"help\" \"h\"]\n", ""},
		{"files called as a command", "truncate page truncate", 0, "n=7 f=[] c=false [\"page\" \"truncate\"]\n", ""},
		{"a value called -", "truncate -f -", 0, "n=7 f=[\"-\"] c=false []\n", ""},
		{"a value with a dash", "truncate -f -5 --field -x-", 0, "n=7 f=[\"-5\" \"-x-\"] c=false []\n", ""},
		{"a value like a flag, joined", "truncate --field=--compact -f-c", 0, "n=7 f=[\"--compact\" \"-c\"] c=false []\n", ""},

		{"found", "truncate --in-the-mode-called pass", 1, "", ""},
		{"negative number", "truncate -n -5", 2, "", "jlop: --number: \"-5\" is negative\n" + try},
		{"not a number", "truncate -nx", 2, "", "jlop: --number: \"x\" is not a whole number\n" + try},
		{"bad switch", "truncate --compact=maybe", 2, "", "jlop: --compact: \"maybe\" is neither true nor false\n" + try},
		{"bad word", "truncate --in-the-mode-called past", 2, "", "jlop: --in-the-mode-called: \"past\" is unknown, did you mean pass?\n" + try},
		{"value missing at the end", "truncate --number", 2, "", "jlop: --number needs a value: N\n" + try},
		{"value missing, short", "truncate -cn", 2, "", "jlop: -n needs a value: N\n" + try},
		{"value missing before a flag", "truncate --number --compact", 2, "", "jlop: --number needs a value: N\n" + try},
		{"value missing before a short flag", "truncate -f -c", 2, "", "jlop: -f needs a value: NAME\n" + try},
		{"value missing before --", "truncate -f -- a", 2, "", "jlop: -f needs a value: NAME\n" + try},
		{"unknown flag", "truncate --bogus", 2, "", "jlop: truncate has no option --bogus\n" + try},
		{"unknown flag with value", "truncate --bogus=5", 2, "", "jlop: truncate has no option --bogus\n" + try},
		{"unknown short flag", "truncate -x", 2, "", "jlop: truncate has no option -x\n" + try},
		{"unknown in a bundle", "truncate -cx", 2, "", "jlop: truncate has no option -x\n" + try},
		{"number as a flag", "truncate -5", 2, "", "jlop: truncate has no option -5\n" + try},
		{"near flag", "truncate --compcat", 2, "", "jlop: truncate has no option --compcat, did you mean --compact?\n" + try},
		{"abbreviated flag", "truncate --comp", 2, "", "jlop: truncate has no option --comp, did you mean --compact?\n" + try},
		{"long flag with one dash", "truncate -compact", 2, "", "jlop: truncate has no option -o, did you mean --compact?\n" + try},
		{"no negation", "truncate --no-compact", 2, "", "jlop: truncate has no option --no-compact\n" + try},
		{"flag of another command", "truncate --page-only", 2, "", "jlop: truncate has no option --page-only, but page has\n" + try},
		{"the first error counts", "truncate --bogus -n x --other", 2, "", "jlop: truncate has no option --bogus\n" + try},
		{"flag with controls", "truncate --\x1b[2J", 2, "", "jlop: truncate has no option --\\x1b[2J\n" + try},
		{"help takes no value", "truncate --help=5", 2, "", "jlop: --help takes no value\n" + try},
		{"the library's own flag", "truncate --generate-bash-completion", 2, "", "jlop: truncate has no option --generate-bash-completion\n" + try},

		{"near command", "trunacte", 2, "", "jlop: unknown command \"trunacte\", did you mean truncate?\n" + tryCommands},
		{"unknown command", "bogus -n5", 2, "", "jlop: unknown command \"bogus\"\n" + tryCommands},
		{"help for an unknown command", "bogus --help", 2, "", "jlop: unknown command \"bogus\"\n" + tryCommands},
		{"a file for a command", "-", 2, "", "jlop: unknown command \"-\"\n" + tryCommands},
		{"flag before the command", "--number=5 truncate", 2, "", "jlop: --number=5 comes before the command\njlop: hint: write 'jlop truncate --number=5'\n"},
		{"unknown flag before the command", "--bogus truncate", 2, "", "jlop: unknown option --bogus\n" + tryCommands},
		{"no command", "", 2, "", "jlop: no command, usage: jlop COMMAND [OPTION...] [FILE...]\n" +
			"jlop: hint: the commands are truncate, page and count, try 'jlop --help'\n"},
		{"panic", "truncate --in-the-mode-called skip", 2, "", "jlop: internal error: oh no\n" +
			"jlop: hint: this is a bug in jlop v1.2.3, please report it with the command line\n"},

		{"version", "--version", 0, "jlop v1.2.3\n", ""},
		{"version, short", "-V", 0, "jlop v1.2.3\n", ""},
		{"version of a command", "truncate -cV a", 0, "jlop v1.2.3\n", ""},
	}
	defer func(v string) { version = v }(version)
	version = "v1.2.3"
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			code := runOps(fake(), strings.Fields(tt.args), strings.NewReader(""), &stdout, &stderr)
			if diff := cmp.Diff(tt.code, code); diff != "" {
				t.Errorf("exit status (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.stdout, stdout.String()); diff != "" {
				t.Errorf("stdout (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.stderr, stderr.String()); diff != "" {
				t.Errorf("stderr (-want +got):\n%s", diff)
			}
		})
	}
}

const wantHelp = `Usage: jlop COMMAND [OPTION...] [FILE...]

Make tool results and agent transcripts fit a model's context window.

Commands:
  truncate  truncate the input
  page      page the input
  count     count the input

Options:
  -h, --help     show this help
  -V, --version  show the version

'jlop COMMAND --help' shows the options of a command, jlop(1) is the manual.
`

const wantCommandHelp = `Usage: jlop page [OPTION...] [FILE...]

Page the input.

Options:
  -n, --number N          how many (default 7)
  -f, --field NAME        a field that has a name and a description which is
                          longer than one line of help can hold

Input:
      --in-the-mode-called fail|pass|skip
                          how (default fail)

Output:
  -c, --compact           one line
      --page-only         an option of this command alone

Run:
  -q, --quiet             say less
  -v, --verbose           say more
  -h, --help              show this help
  -V, --version           show the version

Input may be cut nowhere. The manual is jlop-page(1).
`

func TestHelp(t *testing.T) {
	tests := []struct{ name, args, want string }{
		{"program", "--help", wantHelp},
		{"program, short", "-h", wantHelp},
		{"program, word", "help", wantHelp},
		{"command", "page --help", wantCommandHelp},
		{"command, short", "page -h", wantCommandHelp},
		{"before the command", "--help page", wantCommandHelp},
		{"word", "help page", wantCommandHelp},
		{"after operands", "page help a --help", wantCommandHelp},
		{"in a bundle", "page -ch", wantCommandHelp},
		{"instead of a value", "page a -n --help", wantCommandHelp},
		{"in spite of mistakes", "page --bogus -n x --help", wantCommandHelp},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			code := runOps(fake(), strings.Fields(tt.args), strings.NewReader(""), &stdout, &stderr)
			if diff := cmp.Diff(tt.want, stdout.String()); diff != "" {
				t.Errorf("stdout (-want +got):\n%s", diff)
			}
			if code != 0 || stderr.String() != "" {
				t.Errorf("exit status %d, stderr %q", code, stderr.String())
			}
		})
	}
}

func TestHelpOfAllCommands(t *testing.T) {
	for _, op := range ops.All() {
		var stdout, stderr strings.Builder
		if code := run([]string{op.Name, "--help"}, strings.NewReader(""), &stdout, &stderr); code != 0 {
			t.Errorf("%s: exit status %d: %s", op.Name, code, stderr.String())
		}
		for line := range strings.Lines(stdout.String()) {
			if len(strings.TrimSuffix(line, "\n")) > 80 {
				t.Errorf("%s: line too long: %s", op.Name, line)
			}
		}
	}
}

// What the options of each command are called, so that no two clash and help
// and version stay what they are.
func TestFlagsOfAllCommands(t *testing.T) {
	for _, op := range ops.All() {
		seen := map[string]bool{"--help": true, "-h": true, "--version": true, "-V": true}
		for _, f := range op.New().Flags() {
			for _, name := range []string{"--" + f.Name, "-" + f.Short} {
				if name != "-" && seen[name] {
					t.Errorf("%s: %s is there twice", op.Name, name)
				}
				seen[name] = true
			}
			isSwitch := false
			if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok {
				isSwitch = b.IsBoolFlag()
			}
			if isSwitch != (f.Arg == "") {
				t.Errorf("%s: --%s: a switch is what has no Arg", op.Name, f.Name)
			}
			if f.Doc == "" {
				t.Errorf("%s: --%s says nothing", op.Name, f.Name)
			}
		}
	}
}

func TestEnvironment(t *testing.T) {
	tests := []struct {
		name string
		env  map[string]string
		args string
		code int
		want string // on both streams
	}{
		{"own", map[string]string{"JLOP_NUMBER": "5"}, "page", 0, "n=5 f=[] c=false []\n"},
		{"the flag wins", map[string]string{"JLOP_NUMBER": "5"}, "page -n6", 0, "n=6 f=[] c=false []\n"},
		{"the flag wins over a list", map[string]string{"JLOP_FIELD": "a"}, "page -f b", 0, "n=7 f=[\"b\"] c=false []\n"},
		{"empty is unset", map[string]string{"JLOP_NUMBER": "", "OTHER_NUMBER": "4"}, "page", 0, "n=4 f=[] c=false []\n"},
		{"others in order", map[string]string{"OTHER_NUMBER": "4", "THIRD_NUMBER": "3"}, "page", 0, "n=4 f=[] c=false []\n"},
		{"own before others", map[string]string{"JLOP_NUMBER": "5", "OTHER_NUMBER": "4"}, "page", 0, "n=5 f=[] c=false []\n"},
		{"switches have none", map[string]string{"JLOP_COMPACT": "true"}, "page", 0, "n=7 f=[] c=false []\n"},
		{"dashes", map[string]string{"JLOP_IN_THE_MODE_CALLED": "pass"}, "page", 1, ""},
		{"bad value", map[string]string{"JLOP_NUMBER": "x"}, "page", 2, "jlop: JLOP_NUMBER: \"x\" is not a whole number\njlop: hint: try 'jlop page --help'\n"},
		{"bad value of another", map[string]string{"OTHER_NUMBER": "x"}, "page", 2, "jlop: OTHER_NUMBER: \"x\" is not a whole number\njlop: hint: try 'jlop page --help'\n"},
		{"bad value, not looked at", map[string]string{"JLOP_NUMBER": "x"}, "page -n6", 0, "n=6 f=[] c=false []\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			var out strings.Builder
			code := runOps(fake(), strings.Fields(tt.args), strings.NewReader(""), &out, &out)
			if code != tt.code {
				t.Errorf("want exit status %d, got %d", tt.code, code)
			}
			if diff := cmp.Diff(tt.want, out.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPanicWithStack(t *testing.T) {
	var stdout, stderr strings.Builder
	runOps(fake(), []string{"page", "-v", "--in-the-mode-called=skip"}, strings.NewReader(""), &stdout, &stderr)
	if !strings.Contains(stderr.String(), "(*echo).Run") {
		t.Errorf("no stack:\n%s", stderr.String())
	}
}

// A stream that cannot be written to is an error that names it.
func TestWriteError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer full.Close()
	stdout := os.NewFile(full.Fd(), os.Stdout.Name())
	for _, args := range [][]string{{"page"}, {"--help"}, {"page", "--help"}, {"--version"}} {
		var stderr strings.Builder
		code := runOps(fake(), args, strings.NewReader(""), stdout, &stderr)
		if diff := cmp.Diff("jlop: <stdout>: no space left on device\n", stderr.String()); diff != "" || code != 2 {
			t.Errorf("%q: exit status %d\n%s", args, code, diff)
		}
	}
}

func TestTerminal(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("typed"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	var stderr bytes.Buffer
	in := &terminal{file: r, s: &ops.Session{Stderr: &stderr}}
	if stderr.Len() > 0 {
		t.Errorf("too early: %s", &stderr)
	}
	got, err := io.ReadAll(in)
	if string(got) != "typed" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if diff := cmp.Diff("jlop: hint: reading from the terminal, which ends with Ctrl-D\n", stderr.String()); diff != "" {
		t.Error(diff)
	}
}

// No command line makes the program print anything but help, the version or
// data on standard output, panic, or exit with a status that has no meaning.
func FuzzCommandLine(f *testing.F) {
	for _, line := range []string{
		"truncate -cn5 a -- b", "page --number=5 -f x", "help count", "--help", "-V", "bogus", "page --bogus",
		"--number 3 page", "page -n", "page --field -- x", "page -n=5", "", "- -", "page -\xff", "page --=",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var stdout, stderr strings.Builder
		code := runOps(fake(), strings.Split(line, " "), strings.NewReader(""), &stdout, &stderr)
		switch code {
		case 0:
			if stderr.Len() > 0 || stdout.Len() == 0 {
				t.Errorf("exit status 0, stdout %q, stderr %q", &stdout, &stderr)
			}
		case 1:
		case 2:
			if stdout.Len() > 0 {
				t.Errorf("exit status 2, but stdout is %q", &stdout)
			}
			for l := range strings.Lines(stderr.String()) {
				if !strings.HasPrefix(l, "jlop: ") {
					t.Errorf("stderr has %q", l)
				}
			}
		default:
			t.Errorf("exit status %d", code)
		}
	})
}

// The statuses that a caller tells apart, from end to end.
func TestExitStatus(t *testing.T) {
	tests := []struct {
		err  error
		want int
	}{
		{nil, 0}, {ops.ErrFound, 1}, {errors.New("no"), 2}, {ops.ErrBudget, 4},
	}
	for _, tt := range tests {
		list := []ops.Op{{Name: "end", Doc: "end", New: func() ops.Run { return end{tt.err} }}}
		if got := runOps(list, []string{"end"}, strings.NewReader(""), io.Discard, io.Discard); got != tt.want {
			t.Errorf("%v: want %d, got %d", tt.err, tt.want, got)
		}
	}
}

// end is a command that ends with an error.
type end struct{ err error }

func (end) Flags() []ops.Flag                         { return nil }
func (e end) Run(context.Context, *ops.Session) error { return e.err }
