package stream

import "math/bits"

// stringBlocksSWAR passes blocks of 64 bytes of a string body in buf[p:end], in
// words of 8 bytes, as long as they are ASCII without control characters, without
// an unescaped quote, and with no escapes but those of two characters. It
// returns the index of the character at which it stopped and by how much the
// characters up to there are fewer than the bytes.
//
// The place of escaped characters is found for a whole block at once from the
// parity of the positions where runs of backslashes begin, a method published
// with simdjson (Langdale and Lemire, "Parsing gigabytes of JSON per second",
// 2019).
func stringBlocksSWAR(buf []byte, p, end int) (q, less int) {
	var carry uint64 // the first byte of the block is escaped
	for p+64 <= end {
		w0, w1, w2, w3 := load64(buf, p), load64(buf, p+8), load64(buf, p+16), load64(buf, p+24)
		w4, w5, w6, w7 := load64(buf, p+32), load64(buf, p+40), load64(buf, p+48), load64(buf, p+56)
		if (w0|w1|w2|w3|w4|w5|w6|w7)&msb != 0 {
			break
		}
		// Every byte is below 0x80 now, so that no sum carries into another
		// byte, and its high bit is clear exactly where the byte is the one
		// that is looked for.
		const notControl, low, quote, backslash = lsb * 0x60, lsb * 0x7F, lsb * '"', lsb * '\\'
		if (w0+notControl)&(w1+notControl)&(w2+notControl)&(w3+notControl)&
			(w4+notControl)&(w5+notControl)&(w6+notControl)&(w7+notControl)&msb != msb {
			break
		}
		b0, b1, b2, b3 := (w0^backslash)+low, (w1^backslash)+low, (w2^backslash)+low, (w3^backslash)+low
		b4, b5, b6, b7 := (w4^backslash)+low, (w5^backslash)+low, (w6^backslash)+low, (w7^backslash)+low
		q0, q1, q2, q3 := (w0^quote)+low, (w1^quote)+low, (w2^quote)+low, (w3^quote)+low
		q4, q5, q6, q7 := (w4^quote)+low, (w5^quote)+low, (w6^quote)+low, (w7^quote)+low
		noQuote := q0&q1&q2&q3&q4&q5&q6&q7&msb == msb
		noBackslash := b0&b1&b2&b3&b4&b5&b6&b7&msb == msb
		if noBackslash && carry == 0 {
			if !noQuote {
				break
			}
			p += 64
			continue
		}
		bs := gather(b0) | gather(b1)<<8 | gather(b2)<<16 | gather(b3)<<24 |
			gather(b4)<<32 | gather(b5)<<40 | gather(b6)<<48 | gather(b7)<<56
		starts := bs &^ carry
		const odd = 0xAAAAAAAAAAAAAAAA
		t := ((starts<<1 | odd) - starts) ^ odd
		escaped := t ^ (bs | carry)
		if !noQuote {
			qs := gather(q0) | gather(q1)<<8 | gather(q2)<<16 | gather(q3)<<24 |
				gather(q4)<<32 | gather(q5)<<40 | gather(q6)<<48 | gather(q7)<<56
			if qs&^escaped != 0 {
				break
			}
		}
		lengths := uint8(1)
		for e := escaped; e != 0; e &= e - 1 {
			n := escapeLen[at(buf, p+bits.TrailingZeros64(e))]
			lengths &= n &^ (n >> 2)
		}
		if lengths != 1 {
			break
		}
		less += bits.OnesCount64(escaped)
		carry = (t & bs) >> 63
		p += 64
	}
	return p - int(carry), less
}

// gather returns the high bits of the 8 bytes of x, inverted, as one byte.
func gather(x uint64) uint64 {
	return ((^x & msb) >> 7 * 0x0102040810204080) >> 56
}
