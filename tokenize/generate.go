//go:build ignore

// Generate writes the vocabulary tables of package tokenize, NAME.table for each vocabulary, into
// the directory -o (default: the current one).
//
//	go run generate.go [-o DIR]
//
// The vocabularies are the .tiktoken files inside github.com/pkoukk/tiktoken-go-loader, accepted only
// if their SHA-256 is the one OpenAI publishes in openai/tiktoken, tiktoken_ext/openai_public.py.
// The same input gives the same bytes.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"log"
	"math/bits"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"unicode/utf8"

	"github.com/pkoukk/tiktoken-go-loader/assets"

	"jlop/tokenize/internal/layout"
)

var vocabularies = []struct{ name, sha256 string }{
	{"o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"},
	{"cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"},
	{"p50k_base", "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069"},
	{"r50k_base", "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("generate: ")
	dir := flag.String("o", ".", "`directory` to write to")
	flag.Parse()
	for _, v := range vocabularies {
		tokens, err := load(v.name, v.sha256)
		if err != nil {
			log.Fatal(err)
		}
		t, err := table(tokens)
		if err != nil {
			log.Fatalf("%s: %v", v.name, err)
		}
		if err := os.WriteFile(filepath.Join(*dir, v.name+".table"), t, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// load returns the tokens of a vocabulary by rank. A rank that is not used is nil
// (p50k_base leaves out the one of its special token).
func load(name, sum string) ([][]byte, error) {
	raw, err := assets.Assets.ReadFile(name + ".tiktoken")
	if err != nil {
		return nil, err
	}
	if s := sha256.Sum256(raw); hex.EncodeToString(s[:]) != sum {
		return nil, fmt.Errorf("%s: SHA-256 is %x, not %s", name, s, sum)
	}
	var tokens [][]byte
	for line := range bytes.Lines(raw) {
		f := bytes.Fields(line)
		if len(f) == 0 {
			continue
		}
		t, err := base64.StdEncoding.DecodeString(string(f[0]))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		rank, err := strconv.Atoi(string(f[1]))
		if err != nil || rank < len(tokens) || rank > len(tokens)+1 || rank >= 1<<18 {
			return nil, fmt.Errorf("%s: rank %q after %d", name, f[1], len(tokens)-1)
		}
		for rank > len(tokens) {
			tokens = append(tokens, nil)
		}
		tokens = append(tokens, t)
	}
	return tokens, nil
}

// split is the last merge that makes a token.
type split struct{ l, r uint32 }

// splits finds the last merge of every token. That it is unique, and that both parts rank lower than
// the token, is what lets merging work on pairs of ids in place of byte strings.
func splits(tokens [][]byte) ([]split, error) {
	rank := make(map[string]uint32, len(tokens))
	for id, t := range tokens {
		if t != nil {
			rank[string(t)] = uint32(id)
		}
	}
	out := make([]split, len(tokens))
	for id, t := range tokens {
		if len(t) < 2 {
			continue
		}
		ends := make([]int, len(t)+1) // boundaries of the parts
		for i := range ends {
			ends[i] = i
		}
		for len(ends) > 3 {
			best, at := uint32(id), -1
			for i := 0; i+2 < len(ends); i++ {
				if r, ok := rank[string(t[ends[i]:ends[i+2]])]; ok && r < best {
					best, at = r, i+1
				}
			}
			if at < 0 {
				return nil, fmt.Errorf("token %d %q is not made by a merge of two", id, t)
			}
			ends = append(ends[:at], ends[at+1:]...)
		}
		s := split{rank[string(t[:ends[1]])], rank[string(t[ends[1]:])]}
		if s.l >= uint32(id) || s.r >= uint32(id) {
			return nil, fmt.Errorf("token %d %q is made from later ones", id, t)
		}
		out[id] = s
	}
	return out, nil
}

// reach bounds how far to the left text appended on the right can change the tokens: a token that
// starts more than reach bytes before the end of a text is a token of every longer text, too.
//
// Merging goes through the ranks in ascending order, for both parts of a merge rank below it. Take
// a text and a longer one. A merge that happens in one and not in the other takes a token the other does
// not have at that place: one that reaches beyond the end of the shorter text, or one that an earlier
// such merge made, or used up in the other text. far[t] is how many bytes before the end of the shorter
// text such a token t may start, and one pass over the merges finds the largest.
func reach(tokens [][]byte, merges []split) int {
	far := make([]int, len(tokens))
	most := 0
	for id, t := range tokens {
		if len(t) < 2 {
			continue
		}
		l, r := merges[id].l, merges[id].r
		x := max(far[l], far[r]+len(tokens[l]))
		far[id] = max(far[id], x)
		far[l] = max(far[l], x)
		far[r] = max(far[r], x-len(tokens[l]))
		most = max(most, x)
	}
	return most
}

func table(tokens [][]byte) ([]byte, error) {
	merges, err := splits(tokens)
	if err != nil {
		return nil, err
	}
	var sec [layout.Sections][]byte
	meta := make([]uint32, layout.MetaLen)
	meta[layout.MetaReach] = uint32(reach(tokens, merges))

	// membership, most frequent tokens first so that they head their lines
	var short, mid, mids, long []uint64
	var longIDs []int
	for id, t := range tokens {
		meta[layout.MetaMaxToken] = max(meta[layout.MetaMaxToken], uint32(len(t)))
		switch n := len(t); {
		case n == 0:
		case n <= 7:
			short = append(short, layout.ShortKey(t))
		case n <= 15:
			lo, hi := layout.MidKey(t)
			mids = append(mids, lo, hi)
			mid = append(mid, layout.HashMid(lo, hi))
		case n <= 255:
			long = append(long, layout.HashLong(t))
			longIDs = append(longIDs, id)
		default:
			return nil, fmt.Errorf("token %d is too long", id)
		}
	}
	hashes := make([]uint64, len(short))
	for i, k := range short {
		hashes[i] = layout.HashShort(k)
	}
	pos, n := lines(hashes, 8, 0.8)
	meta[layout.MetaShortLines] = uint32(n)
	sec[layout.Short] = make([]byte, 64*(n+8))
	for i, k := range short {
		binary.LittleEndian.PutUint64(sec[layout.Short][8*pos[i]:], k)
	}
	pos, n = lines(mid, 4, 0.7)
	meta[layout.MetaMidLines] = uint32(n)
	sec[layout.Mid] = make([]byte, 64*(n+8))
	for i, p := range pos {
		binary.LittleEndian.PutUint64(sec[layout.Mid][16*p:], mids[2*i])
		binary.LittleEndian.PutUint64(sec[layout.Mid][16*p+8:], mids[2*i+1])
	}
	slots := uint64(len(long))*11/10 + 1
	pilots, at, err := perfect(long, slots)
	if err != nil {
		return nil, err
	}
	sec[layout.LongPilots] = pilots
	sec[layout.LongSlots] = make([]byte, 4*slots)
	for i, id := range longIDs {
		v := len(sec[layout.LongBytes])<<8 | len(tokens[id])
		binary.LittleEndian.PutUint32(sec[layout.LongSlots][4*at[i]:], uint32(v))
		sec[layout.LongBytes] = append(sec[layout.LongBytes], tokens[id]...)
	}

	// merges
	ascii := bytes.Repeat([]byte{0xff}, 4*128*128)
	sec[layout.Bytes] = make([]byte, 4*256)
	sec[layout.PairFilter] = make([]byte, 8*layout.FilterWords)
	var pairs, packed []uint64
	for id, t := range tokens {
		if len(t) == 0 {
			continue
		}
		if len(t) == 1 {
			binary.LittleEndian.PutUint32(sec[layout.Bytes][4*int(t[0]):], uint32(id))
			continue
		}
		m := merges[id]
		h := layout.HashPair(m.l, m.r)
		pairs = append(pairs, h)
		packed = append(packed, layout.PackPair(m.l, m.r, uint32(id)))
		word, mask := layout.Filter(h)
		f := sec[layout.PairFilter][8*word:]
		binary.LittleEndian.PutUint64(f, binary.LittleEndian.Uint64(f)|mask)
		if len(t) == 2 && t[0]|t[1] < 0x80 {
			binary.LittleEndian.PutUint32(ascii[4*(int(t[0])<<7|int(t[1])):], uint32(id))
		}
	}
	sec[layout.ASCIIPairs] = ascii
	slots = uint64(len(pairs))*102/100 + 1
	pilots, at, err = perfect(pairs, slots)
	if err != nil {
		return nil, err
	}
	sec[layout.PairPilots] = pilots
	sec[layout.PairSlots] = bytes.Repeat([]byte{0xff}, int(8*slots)) // an empty slot is no pair of ids
	for i, v := range packed {
		binary.LittleEndian.PutUint64(sec[layout.PairSlots][8*at[i]:], v)
	}

	charTables(tokens, &sec)
	sec[layout.Meta] = u32s(meta)

	out := make([]byte, 8*layout.Sections)
	for i, s := range sec {
		for len(out)%64 != 0 {
			out = append(out, 0)
		}
		binary.LittleEndian.PutUint32(out[8*i:], uint32(len(out)))
		binary.LittleEndian.PutUint32(out[8*i+4:], uint32(len(s)))
		out = append(out, s...)
	}
	return out, nil
}

// lines lays keys out in n lines of per slots each, where a full line overflows into the next one, and
// returns the slot of each key.
func lines(hashes []uint64, per int, load float64) (slot []int, n int) {
	n = int(float64(len(hashes))/load)/per + 1
	fill := make([]int, n+8)
	slot = make([]int, len(hashes))
	for i, h := range hashes {
		l := int(layout.Line(h, uint64(n)))
		for fill[l] == per {
			l++
		}
		slot[i] = l*per + fill[l]
		fill[l]++
	}
	return slot, n
}

// perfect finds a perfect hash by displacement: the pilots (uint16) of a power of two of buckets, and
// the slot of each key.
func perfect(hashes []uint64, slots uint64) (pilots []byte, slot []uint64, err error) {
	n := 1 << bits.Len(uint(len(hashes)/4))
	buckets := make([][]int, n)
	for i, h := range hashes {
		b := h & uint64(n-1)
		buckets[b] = append(buckets[b], i)
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return len(buckets[order[a]]) > len(buckets[order[b]]) })
	used := make([]bool, slots)
	slot = make([]uint64, len(hashes))
	pilots = make([]byte, 2*n)
	place := func(keys []int, p uint16) bool {
		for j, k := range keys {
			s := layout.Slot(hashes[k], p, slots)
			if used[s] {
				for _, k := range keys[:j] {
					used[slot[k]] = false
				}
				return false
			}
			used[s] = true
			slot[k] = s
		}
		return true
	}
	for _, b := range order {
		p := 0
		for !place(buckets[b], uint16(p)) {
			if p++; p == 1<<16 {
				return nil, nil, fmt.Errorf("no perfect hash of %d keys", len(hashes))
			}
		}
		binary.LittleEndian.PutUint16(pilots[2*b:], uint16(p))
	}
	return pilots, slot, nil
}

// charTables lists the characters of 2 and 3 bytes that are tokens, and the lowest rank of a token that
// could take a part of such a character away: CharLeft[lead][p] for tokens that end in the byte p and the
// start of a character with that lead byte (its low 6 bits), CharRight[last][q] for tokens that start with the end
// of a character, whose last byte is last, followed by the byte q. A character whose own rank is lower than
// both is always formed, so merging may start from it.
func charTables(tokens [][]byte, sec *[layout.Sections][]byte) {
	chars := map[rune]uint32{}
	left, right := make([]uint32, 64*256), make([]uint32, 64*256)
	for i := range left {
		left[i], right[i] = layout.None, layout.None
	}
	lower := func(p *uint32, id int) { *p = min(*p, uint32(id)) }
	for id, t := range tokens {
		if r, n := utf8.DecodeRune(t); n == len(t) && n > 1 && r < 0x10000 {
			chars[r] = uint32(id)
		}
		for k := 1; k <= 3 && k < len(t); k++ { // an incomplete character at the end
			c := t[len(t)-k]
			if c < 0x80 {
				break
			}
			if c >= 0xC0 {
				if need := 2 + b2i(c >= 0xE0) + b2i(c >= 0xF0); k < need {
					lower(&left[int(c&63)<<8|int(t[len(t)-k-1])], id)
				}
				break
			}
		}
		for k := 0; k < 3 && k+1 < len(t) && !utf8.RuneStart(t[k]); k++ { // the end of a character at the start
			if q := t[k+1]; utf8.RuneStart(q) {
				lower(&right[int(t[k]&63)<<8|int(q)], id)
			}
		}
	}
	index := make([]byte, 2*1024)
	none := make([]uint32, 64)
	for i := range none {
		none[i] = layout.None
	}
	blocks := append([]uint32(nil), none...)
	for b := range 1024 {
		block := append([]uint32(nil), none...)
		found := false
		for j := range block {
			if id, ok := chars[rune(b*64+j)]; ok {
				block[j], found = id, true
			}
		}
		if found {
			binary.LittleEndian.PutUint16(index[2*b:], uint16(len(blocks)/64))
			blocks = append(blocks, block...)
		}
	}
	sec[layout.CharIndex], sec[layout.CharBlocks] = index, u32s(blocks)
	sec[layout.CharLeft], sec[layout.CharRight] = u32s(left), u32s(right)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func u32s(v []uint32) []byte {
	b := make([]byte, 4*len(v))
	for i, x := range v {
		binary.LittleEndian.PutUint32(b[4*i:], x)
	}
	return b
}
