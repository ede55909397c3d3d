package tokenize

import _ "embed" // the table

//go:embed o200k_base.table
var o200kTable string

// o200kBase is the encoding of GPT-4o and everything OpenAI published after it.
var o200kBase = Encoding{name: "o200k_base", pattern: o200kPattern, table: &o200kTable}
