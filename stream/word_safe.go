//go:build !(amd64 || arm64 || loong64 || ppc64le || riscv64) || purego

package stream

import "encoding/binary"

// load64 returns the 8 bytes of b from p on, the first one lowest.
func load64(b []byte, p int) uint64 { return binary.LittleEndian.Uint64(b[p:]) }

// load32 returns the 4 bytes of b from p on, the first one lowest.
func load32(b []byte, p int) uint32 { return binary.LittleEndian.Uint32(b[p:]) }

// at returns b[p].
func at(b []byte, p int) byte { return b[p] }
