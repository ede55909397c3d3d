//go:build (amd64 || arm64 || loong64 || ppc64le || riscv64) && !purego

package stream

import "unsafe"

// The loads of this file do not check bounds: the zero bytes behind the window
// stop every loop before it leaves the slice by more than one load. They need a
// little-endian machine that allows unaligned loads; word_safe.go is for the
// others.

// load64 returns the 8 bytes of b from p on, the first one lowest.
func load64(b []byte, p int) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), p))
}

// load32 returns the 4 bytes of b from p on, the first one lowest.
func load32(b []byte, p int) uint32 {
	return *(*uint32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), p))
}

// at returns b[p].
func at(b []byte, p int) byte {
	return *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), p))
}
