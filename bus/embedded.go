package bus

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// embed starts a server inside the process, which no network reaches.
func (b *Bus) embed() error {
	if err := os.MkdirAll(b.opts.Dir, 0o700); err != nil {
		return err
	}
	var err error
	if b.lock, err = lockDir(filepath.Join(b.opts.Dir, "lock")); err != nil {
		return err
	}
	s, err := server.NewServer(&server.Options{
		ServerName: "inlay-" + b.id, DontListen: true, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: b.opts.Dir,
		JetStreamMaxStore:  math.MaxInt64 / 2, // the streams have limits of their own, and may have had others before
		JetStreamMaxMemory: reserve,
	})
	if err != nil {
		return err
	}
	s.Start()
	b.server = s
	if !s.ReadyForConnections(connectPatience) || !waitFor(s.JetStreamEnabled, connectPatience) {
		return errors.New("the server does not start; is its folder writable, and its disk not full?")
	}
	return nil
}

// reserve is room for the buckets, in bytes.
const reserve = 64 << 20

func waitFor(done func() bool, patience time.Duration) bool {
	for end := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
