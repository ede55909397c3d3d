package ops

import (
	"strconv"

	"jlop/stream"
)

// An object builds a JSON object of a fixed shape member by member, in the
// order in which they are added, without white space.
type object struct{ b []byte }

// newObject begins an object at the end of dst.
func newObject(dst []byte) object { return object{append(dst, '{')} }

func (o *object) name(name string) {
	if o.b[len(o.b)-1] != '{' {
		o.b = append(o.b, ',')
	}
	o.b = append(o.b, '"')
	o.b = append(o.b, name...)
	o.b = append(o.b, `":`...)
}

func (o *object) bool(name string, v bool) {
	o.name(name)
	o.b = strconv.AppendBool(o.b, v)
}

func (o *object) int(name string, v int64) {
	o.name(name)
	o.b = strconv.AppendInt(o.b, v, 10)
}

func (o *object) str(name, v string) {
	o.name(name)
	o.b = stream.AppendQuoted(o.b, []byte(v))
}

// text adds a string; it is left out if empty.
func (o *object) text(name, v string) {
	if v != "" {
		o.str(name, v)
	}
}

// raw adds a value that is JSON already.
func (o *object) raw(name string, v []byte) {
	o.name(name)
	o.b = append(o.b, v...)
}

// end closes the object and returns it behind what it was begun at.
func (o *object) end() []byte { return append(o.b, '}') }
