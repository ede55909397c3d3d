//go:build !purego

package stream

import (
	"math/bits"
	"sync/atomic"
	"unsafe"
)

// blocksAVX2 passes blocks of 64 bytes of the n bytes from p on, n a multiple of
// 64. It stops before the first block with an unescaped quote, a control
// character, invalid UTF-8 or an escape sequence other than those of two
// characters. done is how many bytes it passed; escaped is 1 if the byte there is
// escaped by the one before it; less is by how many of the bytes passed do not
// begin a character. The last UTF-8 sequence may go on behind them.
//
//go:noescape
func blocksAVX2(p *byte, n int) (done, escaped, less int)

// cpuAVX2 reports whether the processor and the system have AVX2 and POPCNT.
func cpuAVX2() bool

// avx2 is 1 or 2 when it is known that there is AVX2 or that there is not. It is
// found out when a string first is long enough to ask, because CPUID is slow on a
// virtual machine: three of them are a fiftieth of a short run of the program.
var avx2 atomic.Uint32

func haveAVX2() bool {
	has := avx2.Load()
	if has == 0 {
		has = 2
		if cpuAVX2() {
			has = 1
		}
		avx2.Store(has)
	}
	return has == 1
}

// stringBlocks passes whole blocks of a string body in buf[p:end], of which p is
// at a character, like stringBlocksSWAR, and those with UTF-8 as well.
func stringBlocks(buf []byte, p, end int) (q, less int) {
	n := (end - p) &^ 63
	if n <= 0 {
		return p, 0
	}
	if !haveAVX2() {
		return stringBlocksSWAR(buf, p, end)
	}
	done, escaped, less := blocksAVX2((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(buf)), p)), n)
	q = p + done - escaped
	if done == 0 || escaped != 0 {
		return q, less
	}
	// back to the start of a UTF-8 sequence that goes on behind q
	for i := 1; i < 4; i++ {
		c := at(buf, q-i)
		if c < 0x80 {
			break
		}
		if c >= 0xC0 {
			if n := bits.LeadingZeros8(^c); n > i {
				q -= i
				less -= i - 1
			}
			break
		}
	}
	return q, less
}
