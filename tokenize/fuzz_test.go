package tokenize

import "testing"

// Each fuzz target holds the counters of all encodings to a law; the samples are the seeds.

func FuzzEqualsTiktoken(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s.text))
	}
	var counters []*Counter
	var plain []*plainCounter
	for _, e := range referenceEncodings {
		counters = append(counters, NewCounter(e))
		plain = append(plain, newPlain(e))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 2000 {
			return // tiktoken-go's time is quadratic in the length of a piece
		}
		for i := range counters {
			equalTokens(t, counters[i], plain[i], text)
		}
	})
}

func FuzzMeter(f *testing.F) {
	for i, s := range samples {
		f.Add([]byte(s.text), []byte(samples[len(samples)-1-i].text), []byte(`"}`), uint64(i), uint16(i%3*600))
	}
	var counters []*Counter
	var meters []*Meter
	for _, e := range All {
		counters = append(counters, NewCounter(e))
		meters = append(meters, NewMeter(e))
	}
	f.Fuzz(func(t *testing.T, text, more, suffix []byte, seed uint64, long uint16) {
		if len(text) > 0 {
			// a long piece, for the fuzzer would not find one
			k := int(seed % uint64(len(text)))
			part := text[k:min(len(text), k+1+int((seed>>8)%4))]
			for range int(long) % 3000 / len(part) {
				text = append(text[:len(text):len(text)], part...)
			}
		}
		for i := range counters {
			meterLaws(t, counters[i], meters[i], text, more, suffix, seed)
		}
	})
}

func FuzzPrefix(f *testing.F) {
	for i, s := range samples {
		f.Add([]byte(""), []byte(s.text), []byte(`"}],"next":"abc"}`), uint16(i))
		f.Add([]byte(samples[len(samples)-1-i].text), []byte(s.text), []byte(""), uint16(3*i))
	}
	var counters []*Counter
	var meters []*Meter
	for _, e := range All {
		counters = append(counters, NewCounter(e))
		meters = append(meters, NewMeter(e))
	}
	f.Fuzz(func(t *testing.T, before, text, suffix []byte, limit uint16) {
		if len(before)+len(text)+len(suffix) > 600 {
			return // every cut is tried
		}
		for i := range counters {
			prefixLaws(t, counters[i], meters[i], before, text, suffix, int(limit)%(len(before)+len(text)+2))
		}
	})
}
