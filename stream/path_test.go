package stream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParsePath(t *testing.T) {
	rows := []struct {
		in   string
		want Path
	}{
		{"", nil},
		{"/", Path{""}},
		{"/a", Path{"a"}},
		{"/data/items/0", Path{"data", "items", "0"}},
		{"/a//b/", Path{"a", "", "b", ""}},
		{"/a~1b/~0~01", Path{"a/b", "~~1"}},
		{"/x y/\"/\\", Path{"x y", `"`, `\`}},
		{".", Path{}},
		{".a", Path{"a"}},
		{".a.b_2.C", Path{"a", "b_2", "C"}},
		{".data.items[0]", Path{"data", "items", "0"}},
		{".[0]", Path{"0"}},
		{".[007]", Path{"7"}},
		{".[0][1].a", Path{"0", "1", "a"}},
		{`."x y"`, Path{"x y"}},
		{`.["x y"]`, Path{"x y"}},
		{`.a["b"][2]`, Path{"a", "b", "2"}},
		{`.a.["b"]."c"[0]`, Path{"a", "b", "c", "0"}},
		{`.["\u00e9\"]\ud83d\ude00"]`, Path{"é\"]😀"}},
		{`.[""]`, Path{""}},
	}
	for _, row := range rows {
		t.Run(row.in, func(t *testing.T) {
			got, err := ParsePath(row.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
			again, err := ParsePath(got.String())
			if err != nil || !again.Equal(got) || again.Digest() != got.Digest() {
				t.Errorf("%q read as a pointer is %q, %v", got.String(), again, err)
			}
		})
	}
}

func TestParsePathErrors(t *testing.T) {
	const quote = `(one that is not a word is written .["like this"])`
	rows := []struct {
		in   string
		at   int
		want string
	}{
		{"a", 0, "a path begins with / as in /data/items, or with . as in .data.items"},
		{"#/a", 0, "a path begins with / as in /data/items, or with . as in .data.items"},
		{"/a~", 2, "~ stands for itself as ~0, / is written ~1"},
		{"/a/~2", 3, "~ stands for itself as ~0, / is written ~1"},
		{"/a\xff", 2, "not valid UTF-8"},
		{".a.", 3, "a name is missing after the dot"},
		{".a..b", 3, "unexpected '.', want a name " + quote},
		{".1a", 1, "unexpected '1', want a name " + quote},
		{".a-b", 2, "unexpected '-' in a name " + quote},
		{".a b", 2, "unexpected ' ' in a name " + quote},
		{".é", 1, "unexpected 'é', want a name " + quote},
		{".a?", 2, "unexpected '?' in a name " + quote},
		{".a[-1]", 3, "an index from the end is not supported: a stream's end is not known in advance"},
		{".a[]", 2, "an index or a quoted name is missing between the brackets; a path leads to one value"},
		{".a[x]", 3, "unexpected 'x', want an index or a quoted name"},
		{".a[0", 2, "the bracket is not closed"},
		{".a[", 2, "the bracket is not closed"},
		{".a[0:2]", 4, "unexpected ':', want ]"},
		{".a[0]b", 5, "unexpected 'b', want . or ["},
		{".a[99999999999999999999]", 3, "the index is too large"},
		{`.a["b]`, 3, "the name is not a JSON string"},
		{`."\q"`, 1, "the name is not a JSON string"},
	}
	for _, row := range rows {
		t.Run(row.in, func(t *testing.T) {
			_, err := ParsePath(row.in)
			want := &PathError{Path: row.in, Offset: row.at, Msg: row.want}
			got, _ := err.(*PathError)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestPathLaw writes names in both notations and reads them back.
func TestPathLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Path(rapid.SliceOfN(rapid.StringOf(rapid.RuneFrom([]rune("ab0~/\\\".[]é😀 \n-"))), 0, 5).Draw(t, "names"))
		got, err := ParsePath(want.String())
		if err != nil || !got.Equal(want) {
			t.Fatalf("%q: %q, %v", want.String(), got, err)
		}
		jq := "."
		for _, name := range want {
			quoted, err := json.Marshal(name)
			if err != nil {
				t.Fatal(err)
			}
			jq += rapid.SampledFrom([]string{"[%s]", ".%s", ".[%s]"}).Draw(t, "form")
			jq = fmt.Sprintf(jq, quoted)
		}
		if strings.HasPrefix(jq, "..") {
			jq = jq[1:]
		}
		got, err = ParsePath(jq)
		if err != nil || !got.Equal(want) {
			t.Fatalf("%q: %q, %v", jq, got, err)
		}
	})
}

const descendText = ` {"a": [10, {"b/c": "x\ny", "a": 1, "a": 2}, []], "\u0062": {"": true, "0": "zero"}, "é": null, "~": 7.50} `

func TestDescend(t *testing.T) {
	rows := []struct {
		path string
		want string // the value's text; empty: not found
	}{
		{"", strings.TrimSpace(descendText)},
		{"/a", `[10, {"b/c": "x\ny", "a": 1, "a": 2}, []]`},
		{"/a/0", "10"},
		{"/a/1/b~1c", `"x\ny"`},
		{"/a/1/a", "1"},
		{"/a/2", "[]"},
		{"/b", `{"": true, "0": "zero"}`},
		{"/b/", "true"},
		{"/b/0", `"zero"`},
		{"/é", "null"},
		{"/~0", "7.50"},
		{"/a/3", ""},
		{"/a/00", ""},
		{"/a/01", ""},
		{"/a/-", ""},
		{"/a/-1", ""},
		{"/a/x", ""},
		{"/a/2/0", ""},
		{"/a/0/0", ""},
		{"/a/1/b~1c/0", ""},
		{"/c", ""},
		{"/bb", ""},
		{"/~0/x", ""},
	}
	for _, row := range rows {
		for _, window := range []int{0, 16} {
			t.Run(fmt.Sprintf("%s window %d", row.path, window), func(t *testing.T) {
				p, err := ParsePath(row.path)
				if err != nil {
					t.Fatal(err)
				}
				s := NewScanner(iotest.HalfReader(strings.NewReader(descendText+"[true]")), Options{Window: window})
				var all, value bytes.Buffer
				s.Tee(&all)
				found, err := Descend(s, p)
				if err != nil {
					t.Fatal(err)
				}
				if found {
					if err := s.StopTee(); err != nil {
						t.Fatal(err)
					}
					if err := s.CopyValue(&value); err != nil {
						t.Fatal(err)
					}
					all.Write(value.Bytes())
					s.Tee(&all)
				}
				if err := Ascend(s, 0); err != nil {
					t.Fatal(err)
				}
				if err := s.StopTee(); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(row.want, strings.TrimSpace(value.String())); diff != "" {
					t.Errorf("target: %s", diff)
				}
				if diff := cmp.Diff(strings.TrimSpace(descendText), strings.TrimSpace(all.String())); diff != "" {
					t.Errorf("around it: %s", diff)
				}
				value.Reset()
				if err := s.CopyValue(&value); err != nil || strings.TrimSpace(value.String()) != "[true]" {
					t.Errorf("the next value is %q, %v", value.String(), err)
				}
			})
		}
	}
}

// TestDescendChecks makes sure that what a search passes over is validated.
func TestDescendChecks(t *testing.T) {
	for _, text := range []string{`{"a":tru}`, `{"a":1,}`, `[1 2]`, `"a`, `{"b":[}`} {
		s := NewScanner(strings.NewReader(text), Options{})
		if found, err := Descend(s, Path{"zz"}); err == nil {
			t.Errorf("%s: found = %v, no error", text, found)
		}
	}
}

// TestDescendLaw looks up every element of an array under a key.
func TestDescendLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "n")
		var parts []string
		for range n {
			parts = append(parts, strings.TrimSpace(jsonText(t)))
		}
		text := `{"x":1,"items":[` + strings.Join(parts, " , ") + `],"y":2}`
		i := rapid.IntRange(0, n-1).Draw(t, "i")
		s := NewScanner(strings.NewReader(text), Options{Window: rapid.IntRange(16, 200).Draw(t, "window")})
		found, err := Descend(s, Path{"items", strconv.Itoa(i)})
		if err != nil || !found {
			t.Fatal(found, err)
		}
		var got bytes.Buffer
		if err := s.CopyValue(&got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(parts[i], got.String()); diff != "" {
			t.Fatal(diff)
		}
		if err := Ascend(s, 0); err != nil {
			t.Fatal(err)
		}
		if kind, err := s.Next(); kind != End || err != nil {
			t.Fatal(kind, err)
		}
	})
}
