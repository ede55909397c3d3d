package ops

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"jlop/stream"
)

// A cursor says where to go on. It is opaque to users, stateless and URL-safe:
// base64url of a version, a kind, the numbers below as varints, and a checksum
// over all of it. It is bound to the input by digests of the input's first
// bytes and of the bytes right before the place, so that appending keeps it
// valid and anything else is noticed.
type cursor struct {
	kind   cursorKind
	path   uint32 // stream.Path.Digest of the part that is read
	head   uint32 // digest of the first bytes of the input
	before uint32 // digest of the bytes before offset, for cursorInside also of those behind it
	offset int64  // in the inputs, decoded and joined
	line   int64  // of offset, from 1
	index  int64  // items or characters before offset
	total  int64  // of items or characters; -1 if it was not counted
	size   int64  // of the inputs when total was counted; 0 if not known
	tokens int64  // of the whole text, where it is text

	// What a cursor further on in the same value is made from.
	in   *stream.Reader
	seen []byte // of the bytes before offset
}

// enter moves from the first byte of a string behind its quote.
func (c *cursor) enter() {
	c.offset++
	c.seen = append(c.seen, '"')
}

// insideReach is how many bytes of the value itself the digest of a cursor to
// its inside covers: at the beginning of an input there are none before it.
const insideReach = 16

// inside binds a cursor to the inside of a value to the bytes around the first
// one: value is the beginning of it, as far as it was read. How many bytes of it
// count is kept as the total.
func (c *cursor) inside(value []byte) {
	value = value[:min(len(value), insideReach)]
	c.total = int64(len(value))
	if c.in != nil {
		c.head = headDigest(c.in, c.offset)
	}
	c.before = digest(append(c.seen[:len(c.seen):len(c.seen)], value...))
}

// isInside reports whether s stands before the value that c leads into.
func (c *cursor) isInside(s *stream.Scanner) bool {
	if c.total < 0 || c.total > insideReach {
		return false
	}
	there := cursor{seen: s.Before(digestReach)}
	there.inside(s.Ahead(int(c.total)))
	return there.before == c.before
}

// A cursorKind is what a cursor goes on with.
type cursorKind uint8

const (
	cursorItems   cursorKind = 1 + iota // elements of an array
	cursorMembers                       // members of an object
	cursorValues                        // values of the input
	cursorInside                        // what is inside the value at the place
	cursorRest                          // the rest of the body of a JSON string
	cursorPlain                         // the rest of a plain text
	cursorKinds
)

// commands are those that go on with a cursor of the kind.
func (k cursorKind) commands() []string {
	switch k {
	case cursorItems, cursorMembers, cursorValues:
		return []string{"page", "fit"}
	case cursorPlain:
		return []string{"truncate", "fit"}
	}
	return []string{"truncate", "page", "fit"}
}

const (
	cursorVersion = 1
	// digestReach is how many bytes a digest covers at most.
	digestReach = 64
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// digest is the digest of at most digestReach bytes of the input.
func digest(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// String returns the cursor as users see it, at most 120 characters.
func (c cursor) String() string {
	b := make([]byte, 0, 96)
	b = append(b, cursorVersion<<4|byte(c.kind))
	for _, d := range [...]uint32{c.path, c.head, c.before} {
		b = binary.LittleEndian.AppendUint32(b, d)
	}
	for _, n := range c.numbers() {
		b = binary.AppendVarint(b, *n)
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return base64.RawURLEncoding.EncodeToString(b)
}

func (c *cursor) numbers() []*int64 {
	n := []*int64{&c.offset, &c.line, &c.index, &c.total, &c.size}
	if c.kind >= cursorRest {
		n = append(n, &c.tokens)
	}
	return n
}

// parseCursor reads a cursor that the named command can go on with.
func parseCursor(s, command string) (cursor, error) {
	var c cursor
	damaged := Usagef("--cursor: the cursor is damaged")
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) < 18 {
		return c, damaged
	}
	body, sum := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		return c, damaged
	}
	if v := body[0] >> 4; v != cursorVersion {
		return c, Usagef("--cursor: the cursor is of version %d, this jlop reads version %d", v, cursorVersion)
	}
	c.kind = cursorKind(body[0] & 15)
	body = body[1:]
	for _, d := range [...]*uint32{&c.path, &c.head, &c.before} {
		*d = binary.LittleEndian.Uint32(body)
		body = body[4:]
	}
	for _, n := range c.numbers() {
		v, k := binary.Varint(body)
		if k <= 0 {
			return c, damaged
		}
		*n = v
		body = body[k:]
	}
	if len(body) > 0 || c.kind == 0 || c.kind >= cursorKinds || !c.possible() || c.String() != s {
		return c, damaged
	}
	if by := c.kind.commands(); !slices.Contains(by, command) {
		return c, Usagef("--cursor: the cursor goes on with jlop %s, not with jlop %s", by[0], command)
	}
	return c, nil
}

// isCursor reports whether any command can go on with s.
func isCursor(s string) bool {
	_, truncate := parseCursor(s, "truncate")
	_, page := parseCursor(s, "page")
	return truncate == nil || page == nil
}

// possible reports whether there can be an input that the numbers of c are of:
// no item, character or line is shorter than a byte.
func (c *cursor) possible() bool {
	return c.offset >= 0 && c.line >= 1 && c.line-1 <= c.offset && c.index >= 0 && c.index <= c.offset &&
		c.total >= -1 && c.size >= 0 && c.tokens >= 0
}

// resume goes to the place of c and checks that the input there is the one the
// cursor was made from.
func (c *cursor) resume(r *stream.Reader, given stream.Path, at bool) error {
	if at && given.Digest() != c.path {
		return Usagef("--cursor: the cursor belongs to another place than --at %s", given)
	}
	err := r.SeekTo(c.offset)
	if err == nil {
		// The place is known by what stands before it, and at the beginning.
		err = c.compare(r)
	}
	var beyond *stream.BeyondError
	if errors.As(err, &beyond) {
		return Usagef("--cursor: the input ends before the cursor's place, byte %d: it is another one or was cut", c.offset)
	}
	return err
}

func (c *cursor) compare(r *stream.Reader) error {
	before, err := r.ReadBefore(c.offset, digestReach)
	if err != nil {
		return err
	}
	c.in, c.seen = r, before
	head, err := r.Head(int(min(c.offset, digestReach)))
	switch {
	case err != nil:
		return err
	case digest(head) != c.head:
		return Usagef("--cursor: the cursor belongs to another input")
	case c.kind != cursorInside && digest(before) != c.before: // that is compared with what follows
		return c.stale()
	}
	return nil
}

func (c *cursor) stale() error {
	return Usagef("--cursor: the cursor is stale: the input has changed around byte %d", c.offset)
}

// cursorHint is the hint that goes with a cursor on standard error.
func cursorHint(command, cursor string) string {
	return fmt.Sprintf("go on with: jlop %s --cursor %s", command, cursor)
}

// headDigest is the digest of the first bytes of the inputs before a place.
func headDigest(r *stream.Reader, offset int64) uint32 {
	// What has been read once can be read again: an error would show there.
	head, _ := r.Head(int(min(offset, digestReach)))
	return digest(head)
}
