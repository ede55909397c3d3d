package tokenize

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pkoukk/tiktoken-go"
)

func TestForModel(t *testing.T) {
	tests := []struct {
		model, encoding string
		scale           float64
	}{
		{"gpt-4o", "o200k_base", 1},
		{"gpt-4o-mini-2024-07-18", "o200k_base", 1},
		{"chatgpt-4o-latest", "o200k_base", 1},
		{"gpt-4.1-nano", "o200k_base", 1},
		{"gpt-4.5-preview", "o200k_base", 1},
		{"gpt-5", "o200k_base", 1},
		{"gpt-5-mini", "o200k_base", 1},
		{"gpt-5.1-codex", "o200k_base", 1},
		{"openai/GPT-5", "o200k_base", 1},
		{"o1", "o200k_base", 1},
		{"o3-pro", "o200k_base", 1},
		{"o4-mini-high", "o200k_base", 1},
		{"gpt-oss-120b", "o200k_harmony", 1},
		{"openai/gpt-oss-20b", "o200k_harmony", 1},
		{"gpt-4", "cl100k_base", 1},
		{"gpt-4-32k", "cl100k_base", 1},
		{"gpt-4-turbo", "cl100k_base", 1},
		{"gpt-3.5-turbo-0125", "cl100k_base", 1},
		{"gpt-35-turbo", "cl100k_base", 1},
		{"ft:gpt-4o-mini:acme::1", "o200k_base", 1},
		{"ft:gpt-3.5-turbo:acme::1", "cl100k_base", 1},
		{"text-embedding-3-small", "cl100k_base", 1},
		{"text-davinci-003", "p50k_base", 1},
		{"text-davinci-edit-001", "p50k_base", 1},
		{"davinci", "r50k_base", 1},
		{"gpt2", "r50k_base", 1},
		{"claude-3-5-sonnet-20241022", "o200k_base", 1.25},
		{"claude-sonnet-4-5", "o200k_base", 1.25},
		{"anthropic/claude-opus-4-7", "o200k_base", 1.55},
		{"claude-opus-latest", "o200k_base", 1.55},
		{"gemini-2.5-pro", "o200k_base", 1.25},
	}
	for _, tt := range tests {
		t.Run(tt.model, func(t *testing.T) {
			m, err := ForModel(tt.model)
			if err != nil {
				t.Fatal(err)
			}
			if m.Encoding.Name() != tt.encoding || m.Scale != tt.scale || m.Estimate != (tt.scale != 1) {
				t.Errorf("ForModel = %s, scale %v, estimate %v, want %s, %v", m.Encoding, m.Scale, m.Estimate, tt.encoding, tt.scale)
			}
		})
	}
}

// TestEveryModelName resolves all names of all tables.
func TestEveryModelName(t *testing.T) {
	for _, table := range [][]modelName{models, tiktokenModels} {
		for _, n := range table {
			if m, err := ForModel(n.name); err != nil || m.Encoding.Name() != canonical(n.encoding) {
				t.Errorf("ForModel(%q) = %v, %v, want %s", n.name, m.Encoding, err, canonical(n.encoding))
			}
		}
	}
	for _, table := range [][]modelName{modelPrefixes, tiktokenPrefixes} {
		for _, n := range table {
			if _, err := Lookup(canonical(n.encoding)); err != nil {
				t.Errorf("%s: %v", n.name, err)
			}
		}
	}
}

// TestModelTables compares the tables made of tiktoken-go's with those, and looks for names of our own that it has
// come to know.
func TestModelTables(t *testing.T) {
	tests := []struct {
		name      string
		want      map[string]string
		got, ours []modelName
	}{
		{"models", tiktoken.MODEL_TO_ENCODING, tiktokenModels, models},
		{"prefixes", tiktoken.MODEL_PREFIX_TO_ENCODING, tiktokenPrefixes, modelPrefixes},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := map[string]string{}
			for _, n := range tt.got {
				got[n.name] = n.encoding
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("not what go generate makes (-want +got):\n%s", diff)
			}
			if len(tt.got) != len(got) || !slices.IsSortedFunc(tt.got, func(a, b modelName) int { return strings.Compare(a.name, b.name) }) {
				t.Error("names are repeated or out of order")
			}
			for _, n := range tt.ours {
				if _, ok := tt.want[n.name]; ok {
					t.Errorf("%s is in both tables", n.name)
				}
			}
		})
	}
}

func TestUnknownNames(t *testing.T) {
	tests := []struct {
		kind, name string
		near       string // one of the names that must be listed; first
	}{
		{"model", "gpt4o", "gpt-4o"},
		{"model", "gtp-5", "gpt-5"},
		{"model", "text-embedding-3-larg", "text-embedding-3-large"},
		{"model", "claud-3", "claude-3"},
		{"encoding", "o200k", "o200k_base"},
		{"encoding", "cl100kbase", "cl100k_base"},
		{"encoding", "chars", "chars/4"},
		{"encoding", "O200K_BASE", "o200k_base"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var err error
			if tt.kind == "model" {
				_, err = ForModel(tt.name)
			} else {
				_, err = Lookup(tt.name)
			}
			var u *UnknownError
			if !errors.As(err, &u) {
				t.Fatalf("error is %v", err)
			}
			if u.Kind != tt.kind || u.Name != tt.name || len(u.Near) == 0 || u.Near[0] != tt.near {
				t.Errorf("error is %q, near %q", u, u.Near)
			}
		})
	}
	_, err := ForModel("llama-3-70b")
	var u *UnknownError
	if !errors.As(err, &u) || slices.Contains(u.Near, "gpt-4o") {
		t.Errorf("error is %v", err)
	}
}

func TestUnknownErrorText(t *testing.T) {
	tests := []struct {
		err  UnknownError
		want string
	}{
		{UnknownError{Kind: "model", Name: "gpt4", Near: []string{"gpt-4", "gpt2"}}, `unknown model "gpt4"; near it: gpt-4, gpt2`},
		{UnknownError{Kind: "encoding", Name: "x"}, `unknown encoding "x"`},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, tt.err.Error()); diff != "" {
			t.Error(diff)
		}
	}
}
