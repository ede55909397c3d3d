package stream

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// stateful is an input with every kind of token in every place.
const stateful = " {\"a\":[1,{\"b\\u0041\":[],\"c\":null},\n[true , [false]], -1.5e3,\"é\\n\"],\n\"long name, longer than the window\":{\"\":\"long text, longer than the window\"},\"n\":12345678901234567890} {} \"x\"\n1 [[[]]]"

// rest reads s to its end and tells the tokens with their places.
func rest(s *Scanner) []string {
	var all []string
	for {
		k, err := s.Next()
		if err != nil {
			return append(all, err.Error())
		}
		pointer := s.Pointer()
		line, col := s.Position(s.TokenOffset())
		raw := ""
		if k != End {
			if raw, err = token(s, k); err != nil {
				return append(all, err.Error())
			}
		}
		all = append(all, fmt.Sprintf("%v %q at %d (%d:%d) depth %d, index %d, %s", k, raw, s.TokenOffset(), line, col, s.Depth(), s.Index(), pointer))
		if k == End {
			return all
		}
	}
}

// resumeEverywhere checks that a scanner resumed after each token of in, and
// before it, and in the middle of long ones, reads the same rest.
func resumeEverywhere(t testing.TB, in string, window int) {
	t.Helper()
	opts := Options{Window: window}
	want := rest(NewScanner(strings.NewReader(in), opts))
	s := NewScanner(strings.NewReader(in), opts)
	other := NewScanner(strings.NewReader(strings.Repeat(`{"old":[`, 9)), opts)
	resume := func(want []string, where string) {
		t.Helper()
		// a state survives being written down
		b, err := json.Marshal(s.State())
		if err != nil {
			t.Fatal(err)
		}
		var st State
		if err := json.Unmarshal(b, &st); err != nil {
			t.Fatal(err)
		}
		other.Resume(strings.NewReader(in[st.Offset:]), opts, st)
		if diff := cmp.Diff(want, rest(other)); diff != "" {
			t.Fatalf("%q: resumed %s %d (-want +got):\n%s", in, where, st.Offset, diff)
		}
	}
	for i := range want {
		resume(want[i:], "at")
		if _, err := s.Peek(); err != nil {
			return
		}
		resume(want[i:], "before the token at")
		k, err := s.Next()
		if err != nil || k == End {
			return
		}
		if _, ok := s.Whole(); !ok {
			resume(want[i:], "before the long token at")
			if _, done, err := s.Chunk(); err != nil {
				return
			} else if !done {
				resume(want[i:], "in the token at")
			}
			if _, err := body(s); err != nil {
				return
			}
		}
	}
}

func TestState(t *testing.T) {
	for _, window := range []int{16, 33, 0} {
		resumeEverywhere(t, stateful, window)
	}
	for _, tt := range refused {
		for _, in := range tt.inputs {
			in, _ := unspot(t, in)
			resumeEverywhere(t, in, 16)
		}
	}
}

func TestStateAfterSkip(t *testing.T) {
	in := `{"a":[{"b":1},` + "\n" + `{"c":2}],"d":[3,x]}`
	s := NewScanner(strings.NewReader(in), Options{})
	for range 3 {
		if _, err := s.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Skip(); err != nil {
		t.Fatal(err)
	}
	want := State{Offset: 13, Line: 1, LineStart: 0, Expect: ExpectComma, Levels: []Level{{Object: true, Count: 1, Name: "a"}, {Count: 1}}}
	if diff := cmp.Diff(want, s.State(), cmpopts.IgnoreUnexported(State{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestElementState(t *testing.T) {
	in := `{"a":[{"b":1},{"c":2},x]}`
	s := &Scanner{}
	s.Resume(strings.NewReader(in[14:]), Options{}, ElementState(14, 1, ObjectBegin, ArrayBegin))
	var got []string
	for {
		more, err := s.More()
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			t.Fatal("no error")
		}
		at, index := s.InputOffset(), s.Index()
		if err := s.Skip(); err != nil {
			got = append(got, err.Error())
			break
		}
		got = append(got, fmt.Sprint(at, " ", index))
	}
	// the name is not known, and the column counts from the element
	if diff := cmp.Diff([]string{"14 1", "1:9: expected a value, found 'x' (in //2)"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A resumed scanner counts the levels that were open.
func TestResumeDepth(t *testing.T) {
	st := ElementState(3, 0, ArrayBegin, ObjectBegin, ArrayBegin)
	s := &Scanner{}
	s.Resume(strings.NewReader(`1,[`), Options{MaxDepth: 3}, st)
	if err := s.Skip(); err != nil {
		t.Fatal(err)
	}
	want := `1:3: nested deeper than 3 levels (in /0//1)`
	if err := s.Skip(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func FuzzState(f *testing.F) {
	f.Add([]byte(stateful), uint8(16))
	for _, tt := range accepted {
		for _, in := range tt.inputs {
			f.Add([]byte(in), uint8(len(in)))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, window uint8) {
		if len(in) < 200 {
			resumeEverywhere(t, string(in), int(window))
		}
	})
}
