package tokenize

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Model is what a model's name resolves to.
type Model struct {
	Encoding *Encoding
	// Scale is how many of the model's tokens one token of Encoding stands for. Multiply and round up.
	Scale float64
	// Estimate is set if the model's own tokenizer is not public, so that a count is an estimate and a budget
	// is not certain to be kept.
	Estimate bool
}

// A modelName is the name of a model or its beginning, and the name of its encoding. The tables are slices because a
// map would be built at every start of the program.
type modelName struct{ name, encoding string }

// models are names that tiktokenModels, from github.com/pkoukk/tiktoken-go, does not have, as openai/tiktoken 0.14.0,
// tiktoken/model.py, lists them.
var models = []modelName{
	{"o1", "o200k_base"},
	{"o3", "o200k_base"},
	{"o4-mini", "o200k_base"},
	{"gpt-5", "o200k_base"},

	{"gpt-3.5", "cl100k_base"},
	{"gpt-35-turbo", "cl100k_base"}, // as Azure writes it
	{"davinci-002", "cl100k_base"},
	{"babbage-002", "cl100k_base"},
	{"gpt-2", "r50k_base"},
}

// modelPrefixes are the beginnings of names with the same source.
var modelPrefixes = []modelName{
	{"o1-", "o200k_base"},
	{"o3-", "o200k_base"},
	{"o4-mini-", "o200k_base"},
	{"gpt-5", "o200k_base"}, // gpt-5-mini and gpt-5.1 alike
	{"chatgpt-4o-", "o200k_base"},
	{"gpt-oss-", "o200k_harmony"},
	{"gpt-35-turbo-", "cl100k_base"},
	{"ft:gpt-4o", "o200k_base"},
	{"ft:gpt-4", "cl100k_base"},
	{"ft:gpt-3.5-turbo", "cl100k_base"},
	{"ft:davinci-002", "cl100k_base"},
	{"ft:babbage-002", "cl100k_base"},
}

// canonical returns the one of All that splits ordinary text as an encoding of the tables does.
func canonical(encoding string) string {
	switch encoding {
	case "p50k_edit":
		return "p50k_base"
	case "gpt2":
		return "r50k_base"
	}
	return encoding
}

// estimates are the models that have no public tokenizer, with what their tokens are estimated to be in
// tokens of o200k_base. The factors are on the high side of what is published, for the estimate serves as a limit.
//
//   - Claude: Anthropic's count_tokens endpoint alone is exact. Up to Opus 4.6 users measured 1.15 to 1.18 times o200k_base on
//     English and code (github.com/sammcj/ingest issue 65; 1.15 was found too low in a copilot-api report), from
//     Opus 4.7 on 1.53 times (the same issue, one sample of 429 tokens). Which is meant cannot be told from a name like
//     claude-opus-latest, so the higher one holds for all whose version is not known to be older.
//   - Gemini: the SDKs count with the Gemma 3 vocabulary of 262,144 tokens, not bundled here. It is somewhat larger than
//     o200k_base and splits digits one by one, which costs more on numbers.
var estimates = []struct {
	prefix string
	scale  float64
}{
	{"claude-2", 1.25},
	{"claude-instant", 1.25},
	{"claude-3", 1.25},
	{"claude-sonnet-3", 1.25},
	{"claude-haiku-3", 1.25},
	{"claude-opus-4-0", 1.25},
	{"claude-opus-4-1", 1.25},
	{"claude-opus-4-2", 1.25}, // claude-opus-4-20250514
	{"claude-opus-4-5", 1.25},
	{"claude-opus-4-6", 1.25},
	{"claude-sonnet-4-0", 1.25},
	{"claude-sonnet-4-2", 1.25}, // claude-sonnet-4-20250514
	{"claude-sonnet-4-5", 1.25},
	{"claude-sonnet-4-6", 1.25},
	{"claude-haiku-4-5", 1.25},
	{"claude-", 1.55},
	{"gemini-", 1.25},
}

// ForModel returns the encoding of a model by its name as APIs take it, a provider and a slash before it being ignored.
// The error is an [*UnknownError].
func ForModel(name string) (Model, error) {
	base := strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	for _, e := range estimates {
		if strings.HasPrefix(base, e.prefix) {
			return Model{Encoding: Default(), Scale: e.scale, Estimate: true}, nil
		}
	}
	if enc, ok := encodingName(base); ok {
		if e, err := Lookup(canonical(enc)); err == nil {
			return Model{Encoding: e, Scale: 1}, nil
		}
	}
	return Model{}, &UnknownError{Kind: "model", Name: name, Near: near(base, modelNames())}
}

// encodingName looks a model up in the tables, whole names before the longest of the prefixes.
func encodingName(model string) (enc string, ok bool) {
	for _, table := range [][]modelName{models, tiktokenModels} {
		for _, m := range table {
			if m.name == model {
				return m.encoding, true
			}
		}
	}
	longest := 0
	for _, table := range [][]modelName{modelPrefixes, tiktokenPrefixes} {
		for _, m := range table {
			if len(m.name) > longest && strings.HasPrefix(model, m.name) {
				longest, enc = len(m.name), m.encoding
			}
		}
	}
	return enc, longest > 0
}

// modelNames lists what ForModel knows, in order, the prefixes without their last dash.
func modelNames() []string {
	var names []string
	for _, table := range [][]modelName{models, modelPrefixes, tiktokenModels, tiktokenPrefixes} {
		for _, m := range table {
			if !strings.HasPrefix(m.name, "ft:") {
				names = append(names, strings.TrimSuffix(m.name, "-"))
			}
		}
	}
	for _, e := range estimates {
		names = append(names, strings.TrimSuffix(e.prefix, "-"))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// UnknownError is the error of a name that nothing is known by.
type UnknownError struct {
	Kind string   // "encoding" or "model"
	Name string   // as it was asked for
	Near []string // known names that are like it, the nearest first; all encodings if none of them is
}

// Error names what is unknown and what may have been meant.
func (e *UnknownError) Error() string {
	s := fmt.Sprintf("unknown %s %q", e.Kind, e.Name)
	if len(e.Near) > 0 {
		s += "; near it: " + strings.Join(e.Near, ", ")
	}
	return s
}

// near returns at most five of names that are like name, the nearest first: those within a third of its length in
// edits, or that one is the beginning of the other.
func near(name string, names []string) []string {
	type scored struct {
		name  string
		edits int
	}
	name = strings.ToLower(name)
	var found []scored
	for _, n := range names {
		d := edits(name, n)
		if d <= max(2, len(name)/3) || name != "" && (strings.HasPrefix(n, name) || strings.HasPrefix(name, n)) {
			found = append(found, scored{n, d})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(a.edits, b.edits) })
	var out []string
	for _, f := range found[:min(5, len(found))] {
		out = append(out, f.name)
	}
	return out
}

// edits is the Levenshtein distance of two names, in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}
