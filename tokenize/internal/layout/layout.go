// Package layout is the shape of the vocabulary tables, shared by the program that writes them
// and the package that reads them.
//
// # File
//
// A table is a header of one (offset, length) pair of uint32 for each section, then the sections,
// each starting at a multiple of 64 bytes. All numbers are little-endian. Nothing in a table needs
// decoding, so it is used where the linker put it, and only the pages a text touches are ever read.
//
// # Keys
//
// A token of at most 7 bytes is one uint64: its bytes, and its length in the top byte. A token of
// 8 to 15 bytes is two. The length is part of the key because a token may end in NUL bytes.
package layout

import (
	"encoding/binary"
	"math/bits"
)

// Sections of a table, in file order.
const (
	Meta       = iota // uint32 values, indexed by the Meta constants
	Short             // tokens of 1 to 7 bytes: lines of 8 keys
	Mid               // tokens of 8 to 15 bytes: lines of 4 double keys
	LongPilots        // tokens of 16 bytes and more: displacements (uint16) of a perfect hash
	LongSlots         // offset<<8 | length (uint32) into LongBytes
	LongBytes         // their bytes
	PairPilots        // merges: displacements (uint16) of a perfect hash
	PairSlots         // PackPair values (uint64)
	PairFilter        // blocked Bloom filter (uint64) in front of PairSlots
	ASCIIPairs        // [128][128]uint32: the token two ASCII bytes merge to, or None
	Bytes             // [256]uint32: the token of each byte
	CharIndex         // [1024]uint16: block of CharBlocks for each 64 code points below U+10000
	CharBlocks        // [][64]uint32: the token that is the character, or None
	CharLeft          // [64][256]uint32: see generate.go, charTables
	CharRight         // [64][256]uint32
	Sections          // their number
)

// Indexes into the Meta section.
const (
	MetaShortLines = iota // lines of Short a hash may point at; overflow lines follow them
	MetaMidLines          // the same for Mid
	MetaMaxToken          // bytes of the longest token
	MetaReach             // see generate.go, reach
	MetaLen
)

// None is the id of no token, and the rank of a pair that does not merge.
const None = 1<<32 - 1

// Mix is the multiplier of the multiplicative hashes.
const Mix = 0x9E3779B97F4A7C15

const (
	mix2  = 0xD6E8FEB86659FD93
	mix3  = 0xA0761D6478BD642F
	pilot = 0xE7037ED1A0B428DB
)

// ShortKey packs at most 7 bytes and their number.
func ShortKey(b []byte) uint64 {
	var t [8]byte
	copy(t[:], b)
	return binary.LittleEndian.Uint64(t[:]) | uint64(len(b))<<56
}

// MidKey packs 8 to 15 bytes and their number.
func MidKey(b []byte) (lo, hi uint64) {
	var t [16]byte
	copy(t[:], b)
	return binary.LittleEndian.Uint64(t[:]), binary.LittleEndian.Uint64(t[8:]) | uint64(len(b))<<56
}

// HashShort hashes a ShortKey.
func HashShort(key uint64) uint64 {
	hi, lo := bits.Mul64(key, Mix)
	return hi ^ lo
}

// HashMid hashes a MidKey.
func HashMid(lo, hi uint64) uint64 {
	a, b := bits.Mul64(lo^mix2, hi^mix3)
	return a ^ b
}

// HashLong hashes a token of any length.
func HashLong(b []byte) uint64 {
	h := uint64(len(b)) * Mix
	for len(b) >= 8 {
		hi, lo := bits.Mul64(h^binary.LittleEndian.Uint64(b), mix2)
		h = hi ^ lo
		b = b[8:]
	}
	var t [8]byte
	copy(t[:], b)
	hi, lo := bits.Mul64(h^binary.LittleEndian.Uint64(t[:]), mix3)
	return hi ^ lo
}

// HashPair hashes two adjacent tokens.
func HashPair(l, r uint32) uint64 {
	hi, lo := bits.Mul64(uint64(l)<<32|uint64(r), Mix)
	return hi ^ lo
}

// Line maps a hash to one of n lines or slots.
func Line(h, n uint64) uint64 {
	l, _ := bits.Mul64(h, n)
	return l
}

// Slot maps a hash, displaced by its bucket's pilot, to one of n slots.
func Slot(h uint64, p uint16, n uint64) uint64 {
	return Line(h^uint64(p)*pilot, n)
}

// PackPair packs a merge: l and r become id, all of them below 1<<18.
func PackPair(l, r, id uint32) uint64 {
	return uint64(l)<<46 | uint64(r)<<28 | uint64(id)<<10
}

// FilterWords is the size of PairFilter.
const FilterWords = 1 << 14

// Filter returns the word of PairFilter a pair's hash is looked up in and the two bits that are set for it.
func Filter(h uint64) (word, mask uint64) {
	return h >> 50, 1<<(h>>20&63) | 1<<(h>>26&63)
}
