//go:build !amd64 || purego

package stream

// stringBlocks passes whole blocks of a string body in buf[p:end].
func stringBlocks(buf []byte, p, end int) (q, less int) { return stringBlocksSWAR(buf, p, end) }
