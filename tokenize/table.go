package tokenize

import "jlop/tokenize/internal/layout"

// table is a view of a vocabulary's table. Opening it reads the header; nothing is decoded or copied.
type table struct {
	short, mid           string
	shortLines, midLines uint64

	longPilots, longSlots, longBytes string
	longN                            uint64

	pairPilots, pairSlots, pairFilter string
	pairN                             uint64

	ascii, bytes                               string
	charIndex, charBlocks, charLeft, charRight string

	maxToken int // bytes of the longest token
	reach    int // bytes from the end of a text that longer text may split in another way
}

// none is the id of no token and the rank of a pair that does not merge.
const none = uint32(layout.None)

func openTable(s string) table {
	sec := func(i int) string {
		off := u32(s, 2*i)
		return s[off : off+u32(s, 2*i+1)]
	}
	meta := sec(layout.Meta)
	t := table{
		short:      sec(layout.Short),
		shortLines: uint64(u32(meta, layout.MetaShortLines)),
		mid:        sec(layout.Mid),
		midLines:   uint64(u32(meta, layout.MetaMidLines)),
		longPilots: sec(layout.LongPilots),
		longSlots:  sec(layout.LongSlots),
		longBytes:  sec(layout.LongBytes),
		pairPilots: sec(layout.PairPilots),
		pairSlots:  sec(layout.PairSlots),
		pairFilter: sec(layout.PairFilter),
		ascii:      sec(layout.ASCIIPairs),
		bytes:      sec(layout.Bytes),
		charIndex:  sec(layout.CharIndex),
		charBlocks: sec(layout.CharBlocks),
		charLeft:   sec(layout.CharLeft),
		charRight:  sec(layout.CharRight),
		maxToken:   int(u32(meta, layout.MetaMaxToken)),
		reach:      int(u32(meta, layout.MetaReach)),
	}
	t.longN = uint64(len(t.longSlots) / 4)
	t.pairN = uint64(len(t.pairSlots) / 8)
	return t
}

// u16, u32 and u64 load element i of a section; the compiler makes each one load.

func u16(s string, i int) uint16 {
	s = s[2*i : 2*i+2]
	return uint16(s[0]) | uint16(s[1])<<8
}

func u32(s string, i int) uint32 {
	s = s[4*i : 4*i+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func u64(s string, i int) uint64 {
	s = s[8*i : 8*i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// hasShort reports whether a token has this layout.ShortKey. A line that is not full ends in zeros, and every
// full one is followed by another.
func (t *table) hasShort(key uint64) bool {
	for i := int(layout.Line(layout.HashShort(key), t.shortLines)) * 8; ; i++ {
		switch u64(t.short, i) {
		case key:
			return true
		case 0:
			return false
		}
	}
}

// hasMid reports whether a token has this layout.MidKey.
func (t *table) hasMid(lo, hi uint64) bool {
	for i := int(layout.Line(layout.HashMid(lo, hi), t.midLines)) * 8; ; i += 2 {
		switch h := u64(t.mid, i+1); {
		case h == hi && u64(t.mid, i) == lo:
			return true
		case h == 0:
			return false
		}
	}
}

// hasLong reports whether b, of 16 bytes or more, is a token.
func (t *table) hasLong(b []byte) bool {
	if len(b) > t.maxToken {
		return false
	}
	h := layout.HashLong(b)
	p := u16(t.longPilots, int(h)&(len(t.longPilots)/2-1))
	x := u32(t.longSlots, int(layout.Slot(h, p, t.longN)))
	off := x >> 8
	return int(x&255) == len(b) && t.longBytes[off:off+x&255] == string(b)
}

// pair returns the token that l and r merge to, or none.
func (t *table) pair(l, r uint32) uint32 {
	h := layout.HashPair(l, r)
	if word, mask := layout.Filter(h); u64(t.pairFilter, int(word))&mask != mask {
		return none
	}
	p := u16(t.pairPilots, int(h)&(len(t.pairPilots)/2-1))
	x := u64(t.pairSlots, int(layout.Slot(h, p, t.pairN)))
	if x>>28 == layout.PackPair(l, r, 0)>>28 {
		return uint32(x>>10) & (1<<18 - 1)
	}
	return none
}

// byteID returns the token of one byte.
func (t *table) byteID(c byte) uint32 { return u32(t.bytes, int(c)) }

// bytePair is pair for two bytes.
func (t *table) bytePair(a, b byte) uint32 {
	if a|b < 0x80 {
		return u32(t.ascii, int(a)<<7|int(b))
	}
	return t.pair(t.byteID(a), t.byteID(b))
}

// char returns the token of the character at the start of b and its length, if it is certain to be formed
// after the byte before (-1: none) and before what follows it in b; or else none and the length of the character,
// 1 if it is not one of 2 or 3 bytes.
func (t *table) char(b []byte, before int) (id uint32, size int) {
	var r int
	switch c := b[0]; {
	case c >= 0xE0 && c < 0xF0 && len(b) > 2 && b[1]&0xC0 == 0x80 && b[2]&0xC0 == 0x80:
		r, size = int(c&15)<<12|int(b[1]&63)<<6|int(b[2]&63), 3
	case c >= 0xC2 && c < 0xE0 && len(b) > 1 && b[1]&0xC0 == 0x80:
		r, size = int(c&31)<<6|int(b[1]&63), 2
	default:
		return none, 1
	}
	id = u32(t.charBlocks, int(u16(t.charIndex, r>>6))<<6|r&63)
	if id == none ||
		before >= 0 && id >= u32(t.charLeft, int(b[0]&63)<<8|before) ||
		len(b) > size && id >= u32(t.charRight, int(b[size-1]&63)<<8|int(b[size])) {
		return none, size
	}
	return id, size
}
