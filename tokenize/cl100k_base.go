package tokenize

import _ "embed" // the table

//go:embed cl100k_base.table
var cl100kTable string

// cl100kBase is the encoding of GPT-4, GPT-3.5 and the text-embedding-3 models.
var cl100kBase = Encoding{name: "cl100k_base", pattern: cl100kPattern, table: &cl100kTable}
