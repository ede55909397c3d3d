//go:build !linux && !windows

package stream

import "os"

// spoolDir returns where temporary files are made.
func spoolDir() string { return os.TempDir() }

// openUnnamed opens a temporary file in dir that has no name.
func openUnnamed(dir string) (*os.File, error) { return createRemoved(dir) }
