package ops

import (
	"context"
	"flag"
	"io"
)

// An Op describes one command: what it is called, what it does, how its input
// may be cut, and how a run of it is made. It is a plain value that any driver
// can expose; the command line is one such driver.
type Op struct {
	// Name is the word that selects the command.
	Name string
	// Doc says in one line, lower case and without a full stop, what it does.
	Doc string
	// Args shows the operands in a synopsis, "[FILE...]" for most.
	Args string
	// Scope says where the input may be cut so that working on the parts and
	// joining the results equals working on the whole.
	Scope Scope
	// New returns a run with every option at its default.
	New func() Run
}

// A Run is one invocation of an Op: its options, and the work done with them.
type Run interface {
	// Flags lists the options, bound to the run, in the order in which help and
	// man pages show them.
	Flags() []Flag
	// Run reads the inputs of s, works, and writes. It must not be called twice.
	Run(ctx context.Context, s *Session) error
}

// All lists the commands in the order in which help shows them.
func All() []Op {
	return []Op{Truncate, Page, Summarize, Fit, Count}
}

// Scope says where an input may be cut, so that drivers which split the work
// (GNU parallel, Spark, --jobs) know what a part is.
type Scope uint8

const (
	// ScopeRecord: between any two values.
	ScopeRecord Scope = iota
	// ScopeSession: between two conversations.
	ScopeSession
	// ScopeStream: nowhere; the command sees its input as one whole.
	ScopeStream
)

// String returns how a man page says it.
func (s Scope) String() string {
	switch s {
	case ScopeRecord:
		return "between any two records"
	case ScopeSession:
		return "between two sessions"
	}
	return "nowhere"
}

// A Flag is one option of a command, independent of any command line library.
type Flag struct {
	// Name is the long name, without dashes.
	Name string
	// Short is the one-letter name, or empty.
	Short string
	// Arg names the value in help texts; it is empty for a switch.
	Arg string
	// Doc says in one line what the option does.
	Doc string
	// Group is the heading under which help lists the option; empty for those
	// of this command alone.
	Group string
	// Env lists variables of other systems that mean the same and are looked at
	// behind JLOP_NAME. Every option with a value has JLOP_NAME.
	Env []string
	// EnvOnly, if not nil, says after all other options are set whether Env
	// counts.
	EnvOnly func() bool
	// Value is where the option is kept. Its String is the default in help
	// texts while nothing has been set.
	Value flag.Value
}

// A Session is what a run is given of the world outside.
type Session struct {
	// Args are the operands: file names, "-" for Stdin; none means Stdin.
	Args []string
	// Stdin, Stdout and Stderr are the three streams.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Quiet and Verbose say how much is told on Stderr.
	Quiet, Verbose bool

	status   int // of what went wrong without ending the run
	warnings int
}
