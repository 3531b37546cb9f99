//go:build !unix

package bus

import "os"

// dirLock stands for a lock where the system has no such one: two processes in one folder are not told apart here.
type dirLock struct{ file *os.File }

func lockDir(path string) (*dirLock, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return &dirLock{file}, nil
}

func (l *dirLock) release() { _ = l.file.Close() }
