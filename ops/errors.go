package ops

import (
	"errors"
	"fmt"

	"jlop/stream"
)

// The exit statuses of a run.
const (
	exitFound  = 1 // --check or --exit-code: yes, something
	exitUsage  = 2 // usage or system
	exitBudget = 4 // a budget could not be met
	exitData   = 5 // the input is not valid
)

// ErrFound ends a run that was asked whether there is something, and there is.
// It is not a failure and has no message.
var ErrFound = errors.New("found")

// ErrBudget is wrapped by errors that say which record cannot be made to fit.
var ErrBudget = errors.New("the budget cannot be met")

// A UsageError says what is wrong with how a command was called.
type UsageError struct {
	Msg  string
	Hint string // what to do about it, or empty
}

// Usagef returns a [UsageError] with a message like that of [fmt.Sprintf].
func Usagef(format string, args ...any) *UsageError {
	return &UsageError{Msg: fmt.Sprintf(format, args...)}
}

// Error returns the message, without the hint.
func (e *UsageError) Error() string { return e.Msg }

// ExitCode returns the exit status that err stands for: 0 for nil, 1 for
// [ErrFound], 4 for [ErrBudget], 5 for invalid input, and 2 for a [UsageError]
// and everything else.
func ExitCode(err error) int {
	var syntax *stream.SyntaxError
	var usage *UsageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &syntax):
		return exitData
	case errors.Is(err, ErrBudget):
		return exitBudget
	case errors.Is(err, ErrFound):
		return exitFound
	}
	return exitUsage
}
