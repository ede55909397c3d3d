//go:build !purego

#include "textflag.h"

// The methods are those published with simdjson: escaped characters from the
// parity of the positions where runs of backslashes begin (Langdale and Lemire,
// "Parsing gigabytes of JSON per second", 2019), and UTF-8 with three tables of
// 16 entries (Keiser and Lemire, "Validating UTF-8 in less than one instruction
// per byte", 2020).

// Two tables by the nibbles of the character after a backslash, ANDed: not zero
// for "\/bfnrt. Bit 0 is for 0x2_, bit 1 for 0x5_, bit 2 for 0x6_, bit 3 for
// 0x7_.
DATA escapeLow<>+0(SB)/8, $0x00040008000D0000
DATA escapeLow<>+8(SB)/8, $0x0104000200000000
GLOBL escapeLow<>(SB), RODATA|NOPTR, $16
DATA escapeHigh<>+0(SB)/8, $0x0804020000010000
DATA escapeHigh<>+8(SB)/8, $0x0000000000000000
GLOBL escapeHigh<>(SB), RODATA|NOPTR, $16

// Three tables of the errors that are possible by the high and the low nibble
// of a byte and the high nibble of the next, ANDed. Bit 7 stays for two
// continuation bytes in a row, which must be the third or fourth of a sequence.
DATA firstHigh<>+0(SB)/8, $0x0202020202020202
DATA firstHigh<>+8(SB)/8, $0x4915012180808080
GLOBL firstHigh<>(SB), RODATA|NOPTR, $16
DATA firstLow<>+0(SB)/8, $0xCBCBCB8B8383A3E7
DATA firstLow<>+8(SB)/8, $0xCBCBDBCBCBCBCBCB
GLOBL firstLow<>(SB), RODATA|NOPTR, $16
DATA secondHigh<>+0(SB)/8, $0x0101010101010101
DATA secondHigh<>+8(SB)/8, $0x01010101BABAAEE6
GLOBL secondHigh<>(SB), RODATA|NOPTR, $16

// Bytes, each repeated.
DATA third<>+0(SB)/8, $0x6060606060606060 // 0xE0-0x80
GLOBL third<>(SB), RODATA|NOPTR, $8
DATA fourth<>+0(SB)/8, $0x7070707070707070 // 0xF0-0x80
GLOBL fourth<>(SB), RODATA|NOPTR, $8
DATA high<>+0(SB)/8, $0x8080808080808080
GLOBL high<>(SB), RODATA|NOPTR, $8
DATA lead<>+0(SB)/8, $0xC0C0C0C0C0C0C0C0 // as signed bytes, less are continuation bytes
GLOBL lead<>(SB), RODATA|NOPTR, $8
DATA quote<>+0(SB)/8, $0x2222222222222222
GLOBL quote<>(SB), RODATA|NOPTR, $8
DATA backslash<>+0(SB)/8, $0x5C5C5C5C5C5C5C5C
GLOBL backslash<>(SB), RODATA|NOPTR, $8
DATA control<>+0(SB)/8, $0x1F1F1F1F1F1F1F1F
GLOBL control<>(SB), RODATA|NOPTR, $8
DATA nibble<>+0(SB)/8, $0x0F0F0F0F0F0F0F0F
GLOBL nibble<>(SB), RODATA|NOPTR, $8

#define BASE    SI
#define N       CX
#define DONE    DX
#define CARRY   R8  // 1 if the first byte of the block is escaped
#define WIDE    R14 // not zero if the block before had bytes over 0x7F
#define LESS    R15
#define ODD     R12
#define SLASHES BX  // masks with one bit per byte of the block
#define QUOTES  R10

#define A       Y0  // the block
#define B       Y1
#define LAST    Y9  // the 32 bytes before
#define VQUOTE  Y10
#define VSLASH  Y11
#define VCTRL   Y12
#define VNIBBLE Y13
#define VESCLO  Y14
#define VESCHI  Y15

// UTF8 sets OUT to the UTF-8 errors of CUR, which follows PREV: Y3, Y4 and Y5 are
// the bytes one, two and three places before, Y4 then says where a third or
// fourth byte of a sequence must be. It uses Y2 to Y6.
#define UTF8(PREV, CUR, OUT) \
	VPERM2I128 $0x21, CUR, PREV, Y2; \
	VPALIGNR $15, Y2, CUR, Y3; \
	VPALIGNR $14, Y2, CUR, Y4; \
	VPALIGNR $13, Y2, CUR, Y5; \
	VPBROADCASTQ third<>(SB), Y6; \
	VPSUBUSB Y6, Y4, Y4; \
	VPBROADCASTQ fourth<>(SB), Y6; \
	VPSUBUSB Y6, Y5, Y5; \
	VPOR Y4, Y5, Y4; \
	VPBROADCASTQ high<>(SB), Y6; \
	VPAND Y6, Y4, Y4; \
	VPSRLW $4, Y3, Y5; \
	VPAND VNIBBLE, Y5, Y5; \
	VBROADCASTI128 firstHigh<>(SB), Y6; \
	VPSHUFB Y5, Y6, Y5; \
	VPAND VNIBBLE, Y3, Y3; \
	VBROADCASTI128 firstLow<>(SB), Y6; \
	VPSHUFB Y3, Y6, Y3; \
	VPAND Y3, Y5, Y5; \
	VPSRLW $4, CUR, Y3; \
	VPAND VNIBBLE, Y3, Y3; \
	VBROADCASTI128 secondHigh<>(SB), Y6; \
	VPSHUFB Y3, Y6, Y3; \
	VPAND Y3, Y5, Y5; \
	VPXOR Y4, Y5, OUT

// MASK sets R to the high bits of the bytes of LO and HI; it uses R11.
#define MASK(LO, HI, R) \
	VPMOVMSKB LO, R; \
	VPMOVMSKB HI, R11; \
	SHLQ $32, R11; \
	ORQ R11, R

// func blocksAVX2(p *byte, n int) (done, escaped, less int)
TEXT ·blocksAVX2(SB), NOSPLIT, $0-40
	MOVQ p+0(FP), BASE
	MOVQ n+8(FP), N
	XORQ DONE, DONE
	XORQ CARRY, CARRY
	XORQ WIDE, WIDE
	XORQ LESS, LESS
	MOVQ LESS, less+32(FP)
	MOVQ $0xAAAAAAAAAAAAAAAA, ODD
	VPBROADCASTQ quote<>(SB), VQUOTE
	VPBROADCASTQ backslash<>(SB), VSLASH
	VPBROADCASTQ control<>(SB), VCTRL
	VPBROADCASTQ nibble<>(SB), VNIBBLE
	VBROADCASTI128 escapeLow<>(SB), VESCLO
	VBROADCASTI128 escapeHigh<>(SB), VESCHI
	VPXOR LAST, LAST, LAST

loop:
	CMPQ DONE, N
	JGE  out
	VMOVDQU (BASE)(DONE*1), A
	VMOVDQU 32(BASE)(DONE*1), B
	VPMINUB A, VCTRL, Y4
	VPMINUB B, VCTRL, Y5
	VPCMPEQB A, Y4, Y4
	VPCMPEQB B, Y5, Y5
	VPOR Y4, Y5, Y4 // control characters
	VPCMPEQB A, VSLASH, Y6
	VPCMPEQB B, VSLASH, Y7
	VPCMPEQB A, VQUOTE, Y2
	VPCMPEQB B, VQUOTE, Y3
	VPOR A, B, Y8
	VPMOVMSKB Y4, AX
	TESTL AX, AX
	JNE out
	MASK(Y6, Y7, SLASHES)
	MASK(Y2, Y3, QUOTES)
	VPMOVMSKB Y8, AX // over 0x7F
	ORL AX, WIDE
	JNE utf8

ascii:
	MOVQ SLASHES, R9
	ORQ CARRY, R9
	JNE escapes
	TESTQ QUOTES, QUOTES
	JNE out

next:
	MOVQ LESS, less+32(FP) // of whole blocks only
	VMOVDQU B, LAST
	MOVL AX, WIDE
	ADDQ $64, DONE
	JMP loop

utf8:
	UTF8(LAST, A, Y7)
	UTF8(A, B, Y4)
	VPOR Y4, Y7, Y4
	VPTEST Y4, Y4
	JNE out
	VPBROADCASTQ lead<>(SB), Y2
	VPCMPGTB A, Y2, Y3
	VPCMPGTB B, Y2, Y4
	MASK(Y3, Y4, R9)
	POPCNTQ R9, R9
	ADDQ R9, LESS
	JMP ascii

escapes:
	// starts = slashes &^ carry
	// t = ((starts<<1 | odd) - starts) ^ odd, the borrow runs over each run
	// escaped = t ^ (slashes | carry), carry = (t & slashes) >> 63
	MOVQ CARRY, R9
	NOTQ R9
	ANDQ SLASHES, R9
	LEAQ (R9)(R9*1), R13
	ORQ ODD, R13
	SUBQ R9, R13
	XORQ ODD, R13
	MOVQ SLASHES, R9
	ORQ CARRY, R9
	XORQ R13, R9
	ANDQ SLASHES, R13
	SHRQ $63, R13
	POPCNTQ R9, BX
	VPSRLW $4, A, Y2
	VPSRLW $4, B, Y3
	VPAND VNIBBLE, Y2, Y2
	VPAND VNIBBLE, Y3, Y3
	VPSHUFB Y2, VESCHI, Y2
	VPSHUFB Y3, VESCHI, Y3
	VPSHUFB A, VESCLO, Y4 // 0 for bytes over 0x7F
	VPSHUFB B, VESCLO, Y5
	VPAND Y4, Y2, Y2
	VPAND Y5, Y3, Y3
	VPXOR Y8, Y8, Y8
	VPCMPEQB Y8, Y2, Y2 // not to be escaped
	VPCMPEQB Y8, Y3, Y3
	MASK(Y2, Y3, DI)
	ANDQ R9, DI
	NOTQ R9
	ANDQ QUOTES, R9
	ORQ R9, DI
	JNE out
	ADDQ BX, LESS
	MOVQ R13, CARRY
	JMP next

out:
	VZEROUPPER
	MOVQ DONE, done+16(FP)
	MOVQ CARRY, escaped+24(FP)
	RET

// func cpuAVX2() bool
TEXT ·cpuAVX2(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)
	MOVL $0, AX
	CPUID
	CMPL AX, $7
	JLT no
	MOVL $1, AX
	XORL CX, CX
	CPUID
	ANDL $0x18800000, CX // AVX, OSXSAVE, POPCNT
	CMPL CX, $0x18800000
	JNE no
	XORL CX, CX
	XGETBV
	ANDL $6, AX // the system saves XMM and YMM
	CMPL AX, $6
	JNE no
	MOVL $7, AX
	XORL CX, CX
	CPUID
	SHRL $5, BX
	ANDL $1, BX
	MOVB BX, ret+0(FP)

no:
	RET
