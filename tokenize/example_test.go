package tokenize_test

import (
	"fmt"

	"jlop/tokenize"
)

func ExampleCounter_Count() {
	c := tokenize.NewCounter(tokenize.Default())
	fmt.Println(c.Count([]byte(`{"content":[{"type":"text","text":"Hello, world!"}]}`)))
	// Output: 16
}

// A cut is made with what will follow it, for the two may share a token.
func ExampleCounter_Prefix() {
	c := tokenize.NewCounter(tokenize.Default())
	text := []byte("The quick brown fox jumps over the lazy dog.")
	end, tokens := c.Prefix(text, 6, []byte(` ..."}`))
	fmt.Printf("%s ...\"} %d\n", text[:end], tokens)
	// Output: The quick brown fox ..."} 6
}

func ExampleMeter_Rollback() {
	m := tokenize.NewMeter(tokenize.Default())
	m.WriteString("[1,2")
	for _, item := range []string{",3", `,"a longer item that does not fit"`} {
		mark := m.Mark()
		m.WriteString(item)
		if m.CountWith([]byte("]")) > 7 {
			m.Rollback(mark)
		}
	}
	m.WriteString("]")
	fmt.Println(m.Count())
	// Output: 7
}

func ExampleForModel() {
	for _, name := range []string{"gpt-5-mini", "claude-sonnet-4-5"} {
		m, err := tokenize.ForModel(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(m.Encoding, m.Scale, m.Estimate)
	}
	// Output:
	// o200k_base 1 false
	// o200k_base 1.25 true
}
