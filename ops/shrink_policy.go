package ops

import (
	"cmp"
	"math"
	"slices"

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
	keySpread  = 0.25 // members, times log2 of their number
	recordKeys = 0.1  // members of an array's item: so much of all this
	urgentKeys = 0.1  // members that tell what went wrong, likewise
)

const (
	// smallWhole is how long an array or object of scalars may be, in bytes, to
	// be shown whole or not at all: a notice would take as much.
	smallWhole = 64
	// itemReach is how far behind an item what is in it may come to be shown
	// with it.
	itemReach = 2.5
)

// gather moves priorities so that what says little by itself does not come
// alone. Small arrays and objects come whole. An array's item comes with what is
// in it, or with as much as takes an eighth of the room. Other arrays and objects
// come with the first of what is in them, but for the root's own members, all of
// which are worth their names.
func (f *shrinkFitter) gather() {
	room := int(f.g.room())
	var order []int32
	for i := len(f.nodes) - 1; i > 0; i-- {
		n := &f.nodes[i]
		if n.first < 0 || math.IsInf(f.pri[i], 1) {
			continue
		}
		if n.kind == stream.ArrayBegin {
			f.line(n, f.pri[i])
		}
		order = order[:0]
		weight, simple := 0, true
		for c := n.first; c >= 0; c = f.nodes[c].next {
			if !math.IsInf(f.pri[c], 1) {
				order = append(order, c)
				weight += f.least(&f.nodes[c])
				simple = simple && scalar(f.nodes[c].kind)
			}
		}
		if len(order) == 0 {
			continue
		}
		least := f.pri[order[0]]
		for _, c := range order {
			least = min(least, f.pri[c])
		}
		if simple && weight <= min(smallWhole, room/16) && int64(len(order)) == n.size {
			for _, c := range order {
				f.pri[c] = least
			}
		}
		if n.flags&flagRecord != 0 {
			f.pri[i] = f.itemComes(order, least, f.pri[i]+f.reach, room/8)
		} else if n.parent > 0 || f.nodes[0].kind == stream.ArrayBegin {
			f.pri[i] = max(f.pri[i], least)
		}
	}
	if f.nodes[0].kind == stream.ArrayBegin {
		f.line(&f.nodes[0], 0)
	}
	for i := 1; i < len(f.nodes); i++ {
		f.pri[i] = max(f.pri[i], f.pri[f.nodes[i].parent])
	}
}

// line makes each item of the array n, which is at pri, come behind the one
// before it, as far as it would if that one had not been moved.
func (f *shrinkFitter) line(n *node, pri float64) {
	moved := 0.0
	for c := n.first; c >= 0; c = f.nodes[c].next {
		own := pri + float64(f.nodes[c].delta)
		if f.nodes[c].flags&flagLast == 0 && !math.IsInf(f.pri[c], 1) {
			moved = max(moved, f.pri[c]-own)
			f.pri[c] = own + moved
		}
	}
}

// itemComes is the priority of an item with the children given, which come at
// least at least: that of the last child within reach and room.
func (f *shrinkFitter) itemComes(children []int32, least, reach float64, room int) float64 {
	slices.SortFunc(children, func(a, b int32) int { return cmp.Compare(f.pri[a], f.pri[b]) })
	comes, weight := least, 0
	for _, c := range children {
		if weight += f.least(&f.nodes[c]); f.pri[c] > reach || weight > room {
			break
		}
		comes = f.pri[c]
	}
	return comes
}

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
