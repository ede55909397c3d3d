package ops

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadMeta(t *testing.T) {
	tests := []struct {
		name, text string
		want       oldMeta
		ok         bool
	}{
		{"none", ``, oldMeta{}, false},
		{"an envelope", `{"totalItems":9,"returnedItems":2,"truncated":true,"totalBytes":70,"hint":"a\n\u00e9"}`,
			oldMeta{totalItems: 9, truncated: true, totalBytes: 70, hint: "a\né"}, true},
		{"white space, other members", ` { "x" : [{"totalItems":1}], "totalItems" : 0 } `, oldMeta{}, true},
		{"not truncated", `{"totalItems":3,"truncated":false,"totalBytes":5}`, oldMeta{totalItems: 3, totalBytes: 5}, true},
		{"empty", `{}`, oldMeta{}, false},
		{"no number of items", `{"truncated":true,"hint":"a"}`, oldMeta{}, false},
		{"items not a number", `{"totalItems":"3"}`, oldMeta{}, false},
		{"items not whole", `{"totalItems":3.5}`, oldMeta{}, false},
		{"items null", `{"totalItems":null,"hint":"a"}`, oldMeta{}, false},
		{"hint not a string", `{"totalItems":3,"hint":{}}`, oldMeta{}, false},
		{"bytes not a number", `{"totalItems":3,"totalBytes":[]}`, oldMeta{}, false},
		{"an array", `["totalItems",3]`, oldMeta{}, false},
		{"a string", `"totalItems"`, oldMeta{}, false},
		{"a name twice", `{"totalItems":3,"totalItems":4}`, oldMeta{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := readMeta([]byte(tt.text))
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(oldMeta{})); diff != "" || ok != tt.ok {
				t.Errorf("ok %v, want %v (-want +got):\n%s", ok, tt.ok, diff)
			}
		})
	}
}
