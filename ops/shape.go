package ops

import (
	"strconv"

	"jlop/stream"
)

// A shape is what a number of values have in common: their types and, in
// objects, the names of the members with the shapes of their values. It is the
// union of all values it has seen, in the form
//
//	{id: int, name: string, email?: string, ...}|null
//
// where a question mark stands behind what not every object has, and dots stand
// for names there was no room for.
type shape struct {
	kinds   kindSet
	objects int64 // seen
	keys    []*shapeKey
	index   map[string]*shapeKey // once there are many
	more    bool                 // there are names that are not in keys
	elem    *shape               // of the elements of all arrays; nil if they are not looked at
	deep    bool                 // what is in objects was looked at
}

// A shapeKey is a member of the objects of a shape.
type shapeKey struct {
	raw  string // the name in its quotes, as found
	seen int64  // objects that have it
	last int64  // the number of the last of them
	shape
}

// A kindSet is a set of types.
type kindSet uint8

const (
	kindInt kindSet = 1 << iota
	kindFloat
	kindString
	kindBool
	kindNull
	kindArray
	kindObject
)

// kindWords are the types as shapes name them, in the order of a union.
var kindWords = [...]struct {
	kind kindSet
	word string
}{
	{kindInt, "int"}, {kindFloat, "float"}, {kindString, "string"}, {kindBool, "bool"},
	{kindArray, "array"}, {kindObject, "object"}, {kindNull, "null"},
}

const (
	// maxShapeKeys is how many names an object's shape has,
	maxShapeKeys = 64
	// maxShapeNames how many all shapes of a value have together,
	maxShapeNames = 4096
	// maxShapeName how long they are at most, raw,
	maxShapeName = 128
	// and manyShapeKeys from how many on they are looked up in a map.
	manyShapeKeys = 8
)

// An inferrer adds the values that a scanner reads to shapes.
type inferrer struct {
	s     *stream.Scanner
	names int // in all shapes
}

// value adds the value whose first token, k, has been read. It looks deep levels
// into arrays and objects.
func (f *inferrer) value(k stream.Kind, sh *shape, deep int) error {
	switch k {
	case stream.Null:
		sh.kinds |= kindNull
	case stream.True, stream.False:
		sh.kinds |= kindBool
	case stream.String:
		sh.kinds |= kindString
	case stream.Number:
		return f.number(sh)
	case stream.ArrayBegin:
		sh.kinds |= kindArray
		if deep == 0 {
			return f.s.SkipTo(f.s.Depth() - 1)
		}
		return f.array(sh, deep)
	case stream.ObjectBegin:
		sh.kinds |= kindObject
		if deep == 0 {
			return f.s.SkipTo(f.s.Depth() - 1)
		}
		return f.object(sh, deep)
	}
	return nil
}

func (f *inferrer) number(sh *shape) error {
	for done := false; !done; {
		raw, whole := f.s.Whole()
		if done = whole; !whole {
			var err error
			if raw, done, err = f.s.Chunk(); err != nil {
				return err
			}
		}
		for _, c := range raw {
			if c == '.' || c|0x20 == 'e' {
				sh.kinds |= kindFloat
				return nil
			}
		}
	}
	sh.kinds |= kindInt
	return nil
}

func (f *inferrer) array(sh *shape, deep int) error {
	elem := sh.elements()
	for {
		k, err := f.s.Next()
		if err != nil || k == stream.ArrayEnd {
			return err
		}
		if err := f.value(k, elem, deep-1); err != nil {
			return err
		}
	}
}

func (f *inferrer) object(sh *shape, deep int) error {
	sh.begin()
	for at := 0; ; at++ {
		k, err := f.s.Next()
		if err != nil || k == stream.ObjectEnd {
			return err
		}
		key := f.key(sh, at)
		if k, err = f.s.Next(); err != nil {
			return err
		}
		if key != nil {
			err = f.value(k, &key.shape, deep-1)
		} else if k == stream.ObjectBegin || k == stream.ArrayBegin {
			err = f.s.SkipTo(f.s.Depth() - 1)
		}
		if err != nil {
			return err
		}
	}
}

// elements is the shape of the elements of arrays.
func (sh *shape) elements() *shape {
	if sh.elem == nil {
		sh.elem = &shape{}
	}
	return sh.elem
}

// begin begins another object.
func (sh *shape) begin() {
	sh.objects++
	sh.deep = true
}

// key is where the member goes whose name was read, the one at at in its object;
// nil if there is no room for it.
func (f *inferrer) key(sh *shape, at int) *shapeKey {
	raw, ok := f.s.Whole()
	if !ok || len(raw) > maxShapeName {
		sh.more = true
		return nil
	}
	// Most objects have the same names in the same order.
	var key *shapeKey
	if at < len(sh.keys) && sh.keys[at].raw == string(raw) {
		key = sh.keys[at]
	} else if key = sh.find(raw); key == nil {
		if len(sh.keys) == maxShapeKeys || f.names == maxShapeNames {
			sh.more = true
			return nil
		}
		key = &shapeKey{raw: string(raw)}
		sh.keys = append(sh.keys, key)
		f.names++
		if sh.index != nil {
			sh.index[key.raw] = key
		}
	}
	if key.last != sh.objects {
		key.last = sh.objects
		key.seen++
	}
	return key
}

func (sh *shape) find(raw []byte) *shapeKey {
	if len(sh.keys) <= manyShapeKeys {
		for _, k := range sh.keys {
			if k.raw == string(raw) {
				return k
			}
		}
		return nil
	}
	if sh.index == nil {
		sh.index = make(map[string]*shapeKey, len(sh.keys))
		for _, k := range sh.keys {
			sh.index[k.raw] = k
		}
	}
	return sh.index[string(raw)]
}

// append appends the shape as text, with no more than most names of an object.
func (sh *shape) append(dst []byte, most int) []byte {
	from := len(dst)
	for _, w := range kindWords {
		if sh.kinds&w.kind == 0 {
			continue
		}
		if len(dst) > from {
			dst = append(dst, '|')
		}
		switch {
		case w.kind == kindObject && sh.deep:
			dst = sh.appendObject(dst, most)
		case w.kind == kindArray && sh.elem != nil:
			dst = append(dst, '[')
			dst = sh.elem.append(dst, most)
			dst = append(dst, ']')
		default:
			dst = append(dst, w.word...)
		}
	}
	return dst
}

func (sh *shape) appendObject(dst []byte, most int) []byte {
	if most == 0 && len(sh.keys) > 0 {
		return append(dst, "object"...)
	}
	dst = append(dst, '{')
	for i, k := range sh.keys[:min(most, len(sh.keys))] {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendPlainName(dst, k.raw)
		if k.seen < sh.objects {
			dst = append(dst, '?')
		}
		dst = append(dst, ": "...)
		dst = k.append(dst, most)
	}
	if sh.more || len(sh.keys) > most {
		if len(sh.keys) > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(dst, "..."...)
	}
	return append(dst, '}')
}

// appendPlainName appends the text of a name if it is an identifier, otherwise
// the name in its quotes.
func appendPlainName(dst []byte, raw string) []byte {
	for i := 1; i < len(raw)-1; i++ {
		c := raw[i]
		if c|0x20 < 'a' || c|0x20 > 'z' {
			if c < 0x80 && c != '_' && c != '$' && c != '-' && c != '.' && (c < '0' || c > '9') {
				return append(dst, raw...)
			}
		}
	}
	if len(raw) == 2 {
		return append(dst, raw...)
	}
	return append(dst, raw[1:len(raw)-1]...)
}

// appendCounted appends the shape of an array: "1000 × {id: int}".
func (sh *shape) appendCounted(dst []byte, n int64, most int) []byte {
	dst = strconv.AppendInt(dst, n, 10)
	dst = append(dst, " × "...)
	return sh.append(dst, most)
}
