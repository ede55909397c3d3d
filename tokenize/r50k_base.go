package tokenize

import _ "embed" // the table

//go:embed r50k_base.table
var r50kTable string

// r50kBase is the encoding of GPT-2 and GPT-3.
var r50kBase = Encoding{name: "r50k_base", pattern: gpt2Pattern, table: &r50kTable}
