package stream

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGluedValues(t *testing.T) {
	in := `{}{}1 2"a""b"{}1`
	want := outcome{Values: strings.Split(`{} {} 1 2 "a" "b" {} 1`, " "), Offset: -1}
	if diff := cmp.Diff(want, everyWay(t, []byte(in), Options{})); diff != "" {
		t.Error(diff)
	}
}
