package stream

import (
	"os"

	"golang.org/x/sys/windows"
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
	p, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	h, err := windows.CreateFile(p,
		windows.GENERIC_READ|windows.GENERIC_WRITE|windows.DELETE,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
		nil, windows.OPEN_EXISTING,
		windows.FILE_ATTRIBUTE_TEMPORARY|windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
	if err != nil {
		os.Remove(name)
		return nil, err
	}
	return os.NewFile(uintptr(h), name), nil
}
