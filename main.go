// Command jlop makes tool results and agent transcripts fit a model's context
// window: a streaming filter with hard budgets and valid output.
//
// What it does is in package ops; this file is the command line around it. It
// is the only one that knows the library the command line is parsed with.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"

	"jlop/ops"
)

// version is set by releases, with -ldflags "-X main.version=v1.2.3".
var version string

// Help is given before the library sees the command line, and its own look for
// the flag takes longer than all of its parsing.
func init() { cli.HelpFlag = nil }

// memoryLimit makes the collector work before the process has the 32 MiB that
// it promises to stay under, of which the program itself takes a part. A limit
// in GOMEMLIMIT goes before it.
const memoryLimit = 20 << 20

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program but for the process: args without the program's
// name, three streams, and the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runOps(ops.All(), args, stdin, stdout, stderr)
}

func runOps(list []ops.Op, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := &ops.Session{Stdin: stdin, Stdout: stdout, Stderr: stderr}
	if f, ok := stdin.(*os.File); ok && isatty.IsTerminal(f.Fd()) {
		s.Stdin = &terminal{file: f, s: s}
	}
	s.Errorf(protect(s, func() error { return start(list, args, s) }))
	s.Close()
	return s.Status()
}

// protect turns a panic of do into an error, so that it ends like one.
func protect(s *ops.Session, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if s.Verbose {
				_, _ = s.Stderr.Write(debug.Stack())
			}
			err = &ops.UsageError{
				Msg:  fmt.Sprintf("internal error: %v", p),
				Hint: "this is a bug in jlop " + versionText() + ", please report it with the command line",
			}
		}
	}()
	return do()
}

// A terminal is a standard input that somebody types.
type terminal struct {
	file *os.File
	s    *ops.Session
	told bool
}

// Read says that input is expected before it waits for the first of it.
func (t *terminal) Read(p []byte) (int, error) {
	if !t.told {
		t.told = true
		t.s.Hintf("reading from the terminal, which ends with Ctrl-D")
	}
	return t.file.Read(p)
}

// start does what args say.
func start(list []ops.Op, args []string, s *ops.Session) error {
	c, err := parse(list, args)
	switch {
	case c.version:
		_, err = fmt.Fprintf(s.Stdout, "jlop %s\n", versionText())
		return err
	case c.help && c.op.New != nil:
		_, err = io.WriteString(s.Stdout, commandHelp(c.op))
		return err
	case err != nil:
		return err
	case c.help:
		_, err = io.WriteString(s.Stdout, help(list))
		return err
	}
	return c.execute(s)
}

func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// A call is a command line, understood.
type call struct {
	help, version bool

	op       ops.Op
	run      ops.Run
	own      []ops.Flag      // what run.Flags gave
	flags    []ops.Flag      // own and the standard ones
	options  []string        // as --name=value
	given    map[string]bool // the names in options
	operands []string

	list []ops.Op
	err  error // the first one
}

// The options that every command has beside its own.
var (
	helpFlag    = ops.Flag{Name: "help", Short: "h", Doc: "show this help"}
	versionFlag = ops.Flag{Name: "version", Short: "V", Doc: "show the version"}
)

// parse understands args. Options and operands may come in any order, which the
// library does not allow, so this brings them into the one that it does. Where
// there is an error the call still says whether help or the version was asked
// for, anywhere on the line.
func parse(list []ops.Op, args []string) (*call, error) {
	c := &call{list: list, given: map[string]bool{}}
	for i, arg := range args {
		switch {
		case arg == "-h" || arg == "--help":
			c.help = true
		case arg == "-V" || arg == "--version":
			c.version = true
		case len(arg) > 1 && arg[0] == '-':
			c.fail(c.early(arg, args[i+1:]))
		case arg == "help" && !c.help:
			c.help = true
		default:
			c.command(arg, args[i+1:])
			return c, c.err
		}
	}
	if !c.help && !c.version {
		c.fail(&ops.UsageError{
			Msg:  "no command, usage: jlop COMMAND [OPTION...] [FILE...]",
			Hint: "the commands are " + join(c.commands(), "and") + ", try 'jlop --help'",
		})
	}
	return c, c.err
}

// command understands the command called name and the args after it.
func (c *call) command(name string, args []string) {
	i := slices.IndexFunc(c.list, func(op ops.Op) bool { return op.Name == name })
	if i < 0 {
		c.fail(&ops.UsageError{
			Msg:  fmt.Sprintf("unknown command %q", name) + didYouMean("", ops.Near(name, c.commands())),
			Hint: "try 'jlop --help'",
		})
		return
	}
	c.op = c.list[i]
	c.run = c.op.New()
	c.own = c.run.Flags()
	c.flags = slices.Concat(c.own, []ops.Flag{helpFlag, versionFlag})
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			c.operands = append(c.operands, args...)
			return
		case strings.HasPrefix(arg, "--"):
			args = c.long(arg, args)
		case len(arg) > 1 && arg[0] == '-':
			args = c.short(arg, args)
		default:
			c.operands = append(c.operands, arg)
		}
	}
}

// long understands --name or --name=value, and returns args less a value that
// follows.
func (c *call) long(arg string, args []string) []string {
	name, value, joined := strings.Cut(arg[2:], "=")
	f, ok := c.lookup(name)
	if !ok {
		c.fail(c.unknown("--"+name, name))
		return args
	}
	return c.option("--"+name, f, value, joined, args)
}

// short understands switches bundled behind one dash, of which the last may be
// an option whose value is the rest of arg or follows.
func (c *call) short(arg string, args []string) []string {
	for rest := arg[1:]; rest != ""; {
		_, n := utf8.DecodeRuneInString(rest)
		letter := rest[:n]
		rest = rest[n:]
		i := slices.IndexFunc(c.flags, func(f ops.Flag) bool { return f.Short == letter })
		if i < 0 {
			name, _, _ := strings.Cut(arg[1:], "=")
			c.fail(c.unknown("-"+letter, name))
			return args
		}
		f := c.flags[i]
		// -n=5 is a common slip for -n5, and never the value "=5".
		value, joined := strings.CutPrefix(rest, "=")
		if f.Arg == "" && !joined {
			c.option("-"+letter, f, "", false, nil)
			continue
		}
		return c.option("-"+letter, f, value, rest != "", args)
	}
	return args
}

// option notes one option, called as the user did, with its value. If it needs
// one and none is joined, that is taken from args.
func (c *call) option(called string, f ops.Flag, value string, joined bool, args []string) []string {
	switch {
	case f.Value == nil && joined:
		c.fail(c.misused("%s takes no value", called))
		return args
	case f.Name == helpFlag.Name:
		c.help = true
		return args
	case f.Name == versionFlag.Name:
		c.version = true
		return args
	case f.Arg == "" && !joined:
		value = "true"
	case !joined && (len(args) == 0 || c.isOption(args[0])):
		c.fail(c.misused("%s needs a value: %s", called, f.Arg))
		return args
	case !joined:
		value, args = args[0], args[1:]
	}
	c.options = append(c.options, "--"+f.Name+"="+value)
	c.given[f.Name] = true
	return args
}

// isOption reports whether arg is an option of the command rather than a value
// that begins with a dash, such as a negative number.
func (c *call) isOption(arg string) bool {
	if name, ok := strings.CutPrefix(arg, "--"); ok {
		name, _, _ = strings.Cut(name, "=")
		_, known := c.lookup(name)
		return known || name == ""
	}
	return len(arg) == 2 && arg[0] == '-' && slices.ContainsFunc(c.flags, func(f ops.Flag) bool { return f.Short == arg[1:] })
}

func (c *call) lookup(name string) (ops.Flag, bool) {
	i := slices.IndexFunc(c.flags, func(f ops.Flag) bool { return f.Name == name })
	if i < 0 {
		return ops.Flag{}, false
	}
	return c.flags[i], true
}

func (c *call) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *call) misused(format string, args ...any) error {
	err := ops.Usagef(format, args...)
	err.Hint = "try 'jlop " + c.op.Name + " --help'"
	return err
}

// unknown is the error for an option that the command does not have. name is
// what was probably meant for a long one.
func (c *call) unknown(called, name string) error {
	var others, names []string
	for _, op := range c.list {
		for _, f := range op.New().Flags() {
			if called == "--"+f.Name || called == "-"+f.Short {
				others = append(others, op.Name)
			}
		}
	}
	for _, f := range c.flags {
		names = append(names, f.Name)
	}
	near := ops.Near(name, names)
	switch {
	case len(near) == 0 && len(others) > 0:
		return c.misused("%s has no option %s, but %s has", c.op.Name, called, join(others, "or"))
	default:
		return c.misused("%s has no option %s%s", c.op.Name, called, didYouMean("--", near))
	}
}

// early is the error for an option before the command, which is probably in rest.
func (c *call) early(arg string, rest []string) error {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	for _, op := range c.list {
		for _, f := range op.New().Flags() {
			if slices.Contains(rest, op.Name) && (f.Name == name || f.Short == name) {
				return &ops.UsageError{
					Msg:  fmt.Sprintf("%s comes before the command", arg),
					Hint: fmt.Sprintf("write 'jlop %s %s'", op.Name, arg),
				}
			}
		}
	}
	return &ops.UsageError{Msg: "unknown option " + arg, Hint: "try 'jlop --help'"}
}

func (c *call) commands() []string {
	var names []string
	for _, op := range c.list {
		names = append(names, op.Name)
	}
	return names
}

// execute runs the command through the library. What the library would print by
// itself goes nowhere: standard output is for data.
func (c *call) execute(s *ops.Session) error {
	var bad error // a value that an option refused
	command := &cli.Command{
		Name:         c.op.Name,
		HideHelp:     true,
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return c.refused(bad, err) },
		Action: func(ctx *cli.Context) error {
			if err := c.environment(); err != nil {
				return err
			}
			s.Args = ctx.Args().Slice()
			return c.run.Run(ctx.Context, s)
		},
	}
	for _, f := range c.own {
		command.Flags = append(command.Flags, &option{f, c.given[f.Name], &bad})
	}
	app := &cli.App{
		Name:           "jlop",
		Commands:       []*cli.Command{command},
		HideHelp:       true,
		HideVersion:    true,
		Writer:         io.Discard,
		ErrWriter:      io.Discard,
		OnUsageError:   func(_ *cli.Context, err error, _ bool) error { return c.refused(bad, err) },
		ExitErrHandler: func(*cli.Context, error) {},
		Compiled:       time.Unix(0, 0), // or it asks for the time of a file called like the program
	}
	line := append([]string{app.Name, c.op.Name}, c.options...)
	line = append(line, "--")
	return app.RunContext(context.Background(), append(line, c.operands...))
}

// environment sets the options that the command line does not, from their own
// variables first, because those decide whether others mean anything.
func (c *call) environment() error {
	for _, f := range c.own {
		if f.Arg != "" && !c.given[f.Name] {
			if err := c.variable(f, envName(f.Name)); err != nil {
				return err
			}
		}
	}
	for _, f := range c.own {
		if f.EnvOnly != nil && !f.EnvOnly() {
			continue
		}
		for _, name := range f.Env {
			if !c.given[f.Name] {
				if err := c.variable(f, name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// variable sets f from the variable called name, if it is not empty.
func (c *call) variable(f ops.Flag, name string) error {
	value := os.Getenv(name)
	if value == "" {
		return nil
	}
	c.given[f.Name] = true
	if err := f.Value.Set(value); err != nil {
		return c.misused("%s: %v", name, err)
	}
	return nil
}

// refused is the error to report: that of a value, if it was one, without what
// the library puts around it.
func (c *call) refused(bad, err error) error {
	if bad != nil {
		err = bad
	}
	return c.misused("%v", err)
}

// An option presents an ops.Flag to the library.
type option struct {
	ops.Flag
	given bool // on the command line
	bad   *error
}

// Names returns the long name alone. The short one is replaced before, because
// the library sets an option that has two names twice.
func (o *option) Names() []string { return []string{o.Name} }
func (o *option) String() string  { return o.Name }
func (o *option) IsSet() bool     { return o.given }

// Apply declares the option.
func (o *option) Apply(set *flag.FlagSet) error {
	set.Var(o, o.Name, o.Doc)
	return nil
}

// Set keeps the error, of which the library only passes on a text.
func (o *option) Set(value string) error {
	err := o.Value.Set(value)
	if err != nil && *o.bad == nil {
		*o.bad = fmt.Errorf("--%s: %w", o.Name, err)
	}
	return err
}

// envName is the variable that sets the option called name.
func envName(name string) string {
	return "JLOP_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// help is what jlop --help shows.
func help(list []ops.Op) string {
	var b strings.Builder
	b.WriteString("Usage: jlop COMMAND [OPTION...] [FILE...]\n\n")
	b.WriteString(wrap("Make tool results and agent transcripts fit a model's context window.", 0))
	b.WriteString("\nCommands:\n")
	width := 0
	for _, op := range list {
		width = max(width, len(op.Name))
	}
	for _, op := range list {
		b.WriteString(entry(op.Name, op.Doc, width+4))
	}
	b.WriteString("\nOptions:\n")
	for _, f := range []ops.Flag{helpFlag, versionFlag} {
		b.WriteString(entry("-"+f.Short+", --"+f.Name, f.Doc, 17))
	}
	b.WriteString("\n" + wrap("'jlop COMMAND --help' shows the options of a command, jlop(1) is the manual.", 0))
	return b.String()
}

// commandHelp is what jlop COMMAND --help shows.
func commandHelp(op ops.Op) string {
	const column = 26 // where descriptions begin
	var b strings.Builder
	b.WriteString(wrap("Usage: jlop "+op.Name+" [OPTION...] "+op.Args, 12))
	b.WriteString("\n" + wrap(strings.ToUpper(op.Doc[:1])+op.Doc[1:]+".", 0))
	flags := op.New().Flags()
	standard := []ops.Flag{helpFlag, versionFlag}
	if len(flags) > 0 {
		for i := range standard {
			standard[i].Group = flags[len(flags)-1].Group
		}
	}
	flags = append(flags, standard...)
	for len(flags) > 0 {
		group := flags[0].Group
		if group == "" {
			b.WriteString("\nOptions:\n")
		} else {
			b.WriteString("\n" + group + ":\n")
		}
		for _, f := range flags {
			if f.Group == group {
				b.WriteString(entry(synopsis(f), f.Doc+defaultText(f), column))
			}
		}
		flags = slices.DeleteFunc(flags, func(f ops.Flag) bool { return f.Group == group })
	}
	b.WriteString("\n" + wrap("Input may be cut "+op.Scope.String()+". The manual is jlop-"+op.Name+"(1).", 0))
	return b.String()
}

// synopsis is an option as help lists it, "-n, --name ARG".
func synopsis(f ops.Flag) string {
	text := "    --" + f.Name
	if f.Short != "" {
		text = "-" + f.Short + ", --" + f.Name
	}
	if f.Arg != "" {
		text += " " + f.Arg
	}
	return text
}

// defaultText says the default of an option that has one worth saying. What is
// nothing, or a number no one can give, only means that it was not given.
func defaultText(f ops.Flag) string {
	if f.Arg == "" {
		return ""
	}
	if d := f.Value.String(); d != "" && d != "0" && d[0] != '-' {
		return " (default " + d + ")"
	}
	return ""
}

// entry is a line of a list, with its description at column or, if there is no
// room, on the next line.
func entry(name, doc string, column int) string {
	line := "  " + name
	if len(line)+2 > column {
		return line + "\n" + wrap(strings.Repeat(" ", column)+doc, column)
	}
	return wrap(line+strings.Repeat(" ", column-len(line))+doc, column)
}

// wrap breaks text into lines of at most 80 characters, the lines after the
// first indented.
func wrap(text string, indent int) string {
	const width = 80
	var b strings.Builder
	for utf8.RuneCountInString(text) > width {
		at := strings.LastIndexByte(text[:width+1], ' ')
		if at <= indent {
			break
		}
		b.WriteString(strings.TrimRight(text[:at], " ") + "\n")
		text = strings.Repeat(" ", indent) + text[at+1:]
	}
	return b.String() + text + "\n"
}

// didYouMean asks for one of near, if there is any.
func didYouMean(prefix string, near []string) string {
	if len(near) == 0 {
		return ""
	}
	for i := range near {
		near[i] = prefix + near[i]
	}
	return ", did you mean " + join(near, "or") + "?"
}

// join lists words with word before the last.
func join(words []string, word string) string {
	last := len(words) - 1
	if last <= 0 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " " + word + " " + words[last]
}
