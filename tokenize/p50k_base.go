package tokenize

import _ "embed" // the table

//go:embed p50k_base.table
var p50kTable string

// p50kBase is the encoding of Codex and text-davinci-003: r50k_base with tokens for runs of spaces.
var p50kBase = Encoding{name: "p50k_base", pattern: gpt2Pattern, table: &p50kTable}
