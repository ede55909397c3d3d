package ops

import (
	"math"

	"jlop/stream"
)

// The numbers below are the policy that the comment at the top of shrink.go
// describes. They are distances on a scale on which one more unit lets a long
// string be twice as long.

const (
	firstItem  = 0.5  // the first item of an array, behind the array
	itemSpread = 1.5  // further items, times log2 of their number
	cellSpread = 0.5  // the same for items that are scalars
	lastItem   = 1.6  // the last item: about when the second one comes
	lastCell   = 0.8  // the same for a scalar
	keyScalar  = 0.5  // a member that is a short scalar
	keyLong    = 0.5  // a string that can be cut comes that much later
	keyInside  = 0.5  // so does an array or object
	keySpread  = 0.15 // members, times log2 of their number
	recordKeys = 0.1  // members of an array's item: so much of all this
	urgentKeys = 0.1  // members that tell what went wrong, likewise
)

// itemStep is how far behind the item before it the item i comes, from 0, and
// behind its array the first.
func itemStep(i int64, kind stream.Kind) float64 {
	switch {
	case i == 0:
		return firstItem
	case scalar(kind):
		return cellSpread * math.Log2(float64(i+1)/float64(i))
	}
	return itemSpread * math.Log2(float64(i+1)/float64(i))
}

// lastStep is how far behind its array the last item comes.
func lastStep(kind stream.Kind) float64 {
	if scalar(kind) {
		return firstItem + lastCell
	}
	return firstItem + lastItem
}

// memberStep is how far behind its object a member comes: the newest of f, with
// a value of that many bytes.
func (c cutSizes) memberStep(f *frame, name []byte, kind stream.Kind, length int) (nodeFlags, float64) {
	flags := f.flags | nameFlags(name, scalar(kind))
	step := keyScalar
	switch {
	case !scalar(kind):
		step += keyInside
	case length > c.whole+2:
		step += keyLong
	default:
		step += keyLong * float64(length) / float64(c.whole+2)
	}
	step += keySpread * math.Log2(float64(f.count))
	if f.record && scalar(kind) {
		step *= recordKeys
	}
	if flags&flagUrgent != 0 {
		step *= urgentKeys
	}
	return flags, step
}

func scalar(kind stream.Kind) bool {
	return kind != stream.ObjectBegin && kind != stream.ArrayBegin
}

// nameFlags says what a name, in its quotes, promises of its value. Names that
// are about failures hold for all that is in an object or array, the others
// for scalars alone.
func nameFlags(name []byte, scalar bool) nodeFlags {
	var lower [20]byte
	if len(name) > len(lower) {
		return 0
	}
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	switch string(lower[:len(name)]) {
	case `"error"`, `"errors"`, `"err"`, `"exception"`, `"failure"`, `"_truncated"`:
		return flagUrgent
	case `"stderr"`, `"traceback"`, `"stacktrace"`, `"stack_trace"`, `"stack"`:
		return flagUrgent | flagLog
	case `"message"`, `"status"`, `"code"`, `"exit_code"`, `"exitcode"`, `"reason"`, `"iserror"`, `"is_error"`,
		`"statuscode"`, `"status_code"`, `"failed"`, `"success"`, `"ok"`, `"_truncatedkeys"`:
		if scalar {
			return flagUrgent
		}
	case `"stdout"`, `"output"`, `"log"`, `"logs"`:
		if scalar {
			return flagLog
		}
	}
	return 0
}
