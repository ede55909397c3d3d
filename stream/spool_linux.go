package stream

import (
	"os"

	"golang.org/x/sys/unix"
)

// spoolDir returns where temporary files are made. /tmp is passed over where it
// is held in memory: a spool exists because memory would not do.
func spoolDir() string {
	if dir := os.Getenv("TMPDIR"); dir != "" {
		return dir
	}
	const large = "/var/tmp"
	var st unix.Statfs_t
	if unix.Statfs("/tmp", &st) == nil && int64(st.Type) == unix.TMPFS_MAGIC && unix.Access(large, unix.W_OK) == nil {
		return large
	}
	return "/tmp"
}

// openUnnamed opens a temporary file in dir that has no name. File systems
// without O_TMPFILE get a file whose name is removed at once.
func openUnnamed(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_RDWR|unix.O_TMPFILE|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return createRemoved(dir)
	}
	return os.NewFile(uintptr(fd), dir), nil
}
