package stream

import (
	"os"

	win "golang.org/x/sys/windows"
)

// spoolDir returns where temporary files are made.
func spoolDir() string { return os.TempDir() }

// openUnnamed opens a temporary file in dir that the system removes when it is
// closed: a file that is open cannot lose its name here.
func openUnnamed(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "jlop-*")
	if err != nil {
		return nil, err
	}
	name := f.Name()
	if err := f.Close(); err != nil {
		return nil, err
	}
	p, err := win.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	h, err := win.CreateFile(p,
		win.GENERIC_READ|win.GENERIC_WRITE|win.DELETE,
		win.FILE_SHARE_READ|win.FILE_SHARE_WRITE|win.FILE_SHARE_DELETE,
		nil, win.OPEN_EXISTING,
		win.FILE_ATTRIBUTE_TEMPORARY|win.FILE_FLAG_DELETE_ON_CLOSE, 0)
	if err != nil {
		os.Remove(name)
		return nil, err
	}
	return os.NewFile(uintptr(h), name), nil
}
