package tokenize

// o200kHarmony is the encoding of gpt-oss: o200k_base with more special tokens, none of which ordinary text can be.
var o200kHarmony = Encoding{name: "o200k_harmony", pattern: o200kPattern, table: &o200kTable}
