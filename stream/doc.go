// Package stream reads, checks and writes sequences of JSON values of any
// length as bytes, in memory that does not depend on the input.
//
// # Terminology
//
// A value is one JSON text (RFC 8259). The input of a [Scanner] is a sequence of
// values with any white space between them, or none: newline-delimited JSON,
// pretty-printed documents and glued values ({}{}) are all read alike. A number,
// true, false or null at top level ends at white space, at a structural
// character, at a quote or at the end of the input.
//
// The raw bytes of a token are those of the input, with its escapes; the body of
// a string is what stands between its quotes; text is a body decoded to UTF-8.
//
// The window is the one buffer through which the input passes. Whatever is
// longer than the window is handed on in pieces, and a piece never ends inside
// an escape sequence, a pair of surrogate escapes or a UTF-8 sequence.
//
// # Specifications
//
// The grammar is that of RFC 8259, nothing is forgiven but one UTF-8 byte order
// mark at offset 0. Text has to be valid UTF-8 (section 8.1). An escape of a
// surrogate without its other half ("\ud800") is in the grammar, occurs in real
// logs, and is accepted and kept; decoded it becomes the three bytes that WTF-8
// has for it. Duplicate names are kept. RFC 7464 text sequences are read on
// request, locations in a value are JSON Pointers (RFC 6901).
//
// # Limits
//
// Strings, numbers and values have no limit of length. Nesting is limited to
// 10,000 levels unless told otherwise; no code is recursive. Names in pointers
// are cut after 128 bytes.
//
// # Errors
//
// Input that is not JSON gives a [*SyntaxError], which has the place as byte
// offset, line, column and pointer. The place does not depend on how the input
// was read: not on the sizes of the reads, the size of the window, nor on
// whether the value was walked, skipped or copied. Errors of the reader are
// passed on as they are.
package stream
