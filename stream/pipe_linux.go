package stream

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is the capacity asked for a pipe: the most that a user may have
// unless the system says otherwise, and twice the throughput of the default.
const pipeSize = 1 << 20

// growPipe raises the capacity of the pipe f. A refusal does no harm and is
// ignored. The descriptor is borrowed, so that the runtime goes on polling it.
func growPipe(f *os.File) {
	c, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = c.Control(func(fd uintptr) {
		_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize)
	})
}
