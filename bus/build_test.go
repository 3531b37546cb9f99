package bus

import (
	"net"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"
)

const patience = 30 * time.Second

// natsServer is a server of its own on loopback, which a test stops and starts again.
type natsServer struct {
	*server.Server
	dir  string
	port int
}

func startServer(t *testing.T, maxStore int64) *natsServer {
	t.Helper()
	s := &natsServer{dir: t.TempDir(), port: server.RANDOM_PORT}
	s.start(t, maxStore)
	t.Cleanup(s.stop)
	return s
}

func (s *natsServer) start(t *testing.T, maxStore int64) {
	t.Helper()
	n, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: s.port, JetStream: true, StoreDir: s.dir, NoSigs: true, NoLog: true, JetStreamMaxStore: maxStore,
	})
	require.NoError(t, err)
	n.Start()
	require.True(t, n.ReadyForConnections(patience))
	s.Server, s.port = n, n.Addr().(*net.TCPAddr).Port
}

func (s *natsServer) stop() {
	s.Shutdown()
	s.WaitForShutdown()
}

// open joins a server, until the test ends.
func open(t *testing.T, opts Options) *Bus {
	t.Helper()
	if opts.MaxBytes == 0 {
		opts.MaxBytes = 256 << 20
	}
	b, err := Open(t.Context(), opts)
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}

// embedded is a bus inside the process.
func embedded(t *testing.T) *Bus {
	t.Helper()
	return open(t, Options{URL: Embedded, Dir: t.TempDir()})
}

// events collects what a follower is told.
type events struct {
	mu  sync.Mutex
	all []Event
}

func (e *events) take(one Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, one)
}

func (e *events) list() []Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Event(nil), e.all...)
}

// records are those that were told.
func (e *events) records() (all []*Record) {
	for _, one := range e.list() {
		if one.Record != nil {
			all = append(all, one.Record)
		}
	}
	return all
}

// follow follows a log until the test ends.
func follow(t *testing.T, l *Log, after uint64) *events {
	t.Helper()
	e := &events{}
	f, err := l.Follow(t.Context(), after, e.take)
	require.NoError(t, err)
	t.Cleanup(f.Stop)
	return e
}

// await waits for what must come.
func await(t *testing.T, done func() bool) {
	t.Helper()
	require.Eventually(t, done, patience, 2*time.Millisecond)
}
