//go:build unix

package bus

import (
	"fmt"
	"os"
	"syscall"
)

// dirLock keeps other processes out of a folder. The system lets go of it when the process ends, however it does.
type dirLock struct{ file *os.File }

func lockDir(path string) (*dirLock, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close() // nothing was written
		return nil, fmt.Errorf("%s: another process uses the folder: %w", path, err)
	}
	return &dirLock{file}, nil
}

func (l *dirLock) release() { _ = l.file.Close() } // which unlocks; nothing was written
