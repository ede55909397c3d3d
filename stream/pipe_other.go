//go:build !linux

package stream

import "os"

// growPipe does nothing: only Linux lets a program choose a pipe's capacity.
func growPipe(*os.File) {}
