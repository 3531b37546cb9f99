package conversation

import (
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"inlaygraph/bus"
)

// soon is how long a test waits for what must come between instances. They keep a time of their own, which a bubble can't.
const soon = 30 * time.Second

// natsServer is a server on loopback, which a test stops and starts again.
type natsServer struct {
	*server.Server
	dir  string
	port int
}

func startNATS(t *testing.T) *natsServer {
	t.Helper()
	s := &natsServer{dir: t.TempDir(), port: server.RANDOM_PORT}
	s.start(t)
	t.Cleanup(s.stop)
	return s
}

func (s *natsServer) start(t *testing.T) {
	t.Helper()
	n, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: s.port, JetStream: true, StoreDir: s.dir, NoSigs: true, NoLog: true})
	require.NoError(t, err)
	n.Start()
	require.True(t, n.ReadyForConnections(soon))
	s.Server, s.port = n, n.Addr().(*net.TCPAddr).Port
}

func (s *natsServer) stop() {
	s.Shutdown()
	s.WaitForShutdown()
}

// instance is a hub among several.
type instance struct {
	*Hub
	bus *bus.Bus
}

func joinBus(t *testing.T, opts bus.Options) *bus.Bus {
	t.Helper()
	opts.MaxBytes = 256 << 20
	if opts.Lease == 0 {
		opts.Lease = time.Second
	}
	b, err := bus.Open(t.Context(), opts)
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}

// instances are hubs in front of one platform, on one bus, with its server.
func instances(t *testing.T, w *world, n int, opts Options) ([]instance, *natsServer) {
	t.Helper()
	s := startNATS(t)
	all := make([]instance, n)
	for i := range all {
		all[i] = instanceOn(t, s, w, opts)
	}
	return all, s
}

func instanceOn(t *testing.T, s *natsServer, w *world, opts Options) instance {
	t.Helper()
	opts.Bus = joinBus(t, bus.Options{URL: s.ClientURL()})
	return instance{hubOn(t, w, opts), opts.Bus}
}

func hubOn(t *testing.T, w *world, opts Options) *Hub {
	t.Helper()
	opts.Source, opts.Driver, opts.History = w, w, w
	h := NewHub(opts)
	t.Cleanup(h.Close)
	return h
}

// kill ends an instance as a crash does: nobody is told.
func (i instance) kill() {
	i.bus.Kill()
	i.Close()
}

// owns tells whether an instance reads the conversation of the stories.
func (i instance) owns() bool {
	i.mu.Lock()
	r := i.live[key{"t", conv}]
	i.mu.Unlock()
	return r != nil && r.shared.standing().owner == i.bus.ID()
}

// eventually waits for what must come.
func eventually(t *testing.T, done func() bool) {
	t.Helper()
	require.Eventually(t, done, soon, 5*time.Millisecond)
}

// reaches waits until an instance's conversation says what whoever read everything from the start knows.
func reaches(t *testing.T, l *Live, p *fake) {
	t.Helper()
	reachesFacts(t, l, wantOf(t, p))
}

func reachesFacts(t *testing.T, l *Live, w facts) {
	t.Helper()
	end := time.Now().Add(soon)
	for {
		got := factsOf(t, l.Conversation(), false)
		if got.Run == w.Run && len(got.Rows) == len(w.Rows) && said(t, got.Rows) == said(t, w.Rows) && got.Status == w.Status {
			return
		}
		if time.Now().After(end) {
			require.Equal(t, w, got)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// finish waits until every viewer has taken everything, and checks what each saw.
func finish(t *testing.T, p *fake, resets int, viewers ...*viewer) {
	t.Helper()
	for _, v := range viewers {
		reaches(t, v.live, p)
	}
	for _, v := range viewers {
		v.done(resets)
	}
}
