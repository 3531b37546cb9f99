package bus

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Bus is one instance's place on the bus.
type Bus struct {
	opts   Options
	id     string
	ctx    context.Context
	cancel context.CancelFunc
	tasks  sync.WaitGroup

	lock    *dirLock       // of the embedded server's folder
	server  *server.Server // the embedded one, else nil
	conn    *nats.Conn
	joined  chan struct{} // closed once conn and js are there
	js      jetstream.JetStream
	counts  counts
	decoder decoder
	streams sync.Map      // by name
	highest atomic.Uint64 // of the places that were seen

	mu      sync.Mutex
	ready   bool // streams and buckets are there
	why     error
	denied  error // what the bus did not allow, since prepare began
	shut    bool  // the bus refuses the credentials, and the log has it
	peers   peers
	claims  jetstream.KeyValue
	changed []func()
}

// ErrAway says that the bus can't be reached at the moment.
var ErrAway = errors.New("the bus is away")

// connectPatience is how long Open waits for a server that is not optional.
const connectPatience = 30 * time.Second

// Open joins the bus, or starts one inside the process; Close leaves it. ctx is for opening alone.
func Open(ctx context.Context, opts Options) (b *Bus, err error) {
	if err := opts.defaults(); err != nil {
		return nil, err
	}
	b = &Bus{opts: opts, id: newID(), why: ErrAway, joined: make(chan struct{})}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			b.Kill()
			b = nil
		}
	}()
	if opts.URL == Embedded {
		if err := b.embed(); err != nil {
			return b, fmt.Errorf("starting the embedded bus: %w", err)
		}
	}
	if err := b.connect(); err != nil {
		return b, fmt.Errorf("joining the bus: %w", notLetIn(err))
	}
	ctx, cancel := context.WithTimeout(ctx, connectPatience)
	defer cancel()
	if !opts.Optional || b.conn.IsConnected() { // else it is ready when it is there
		if err := b.prepare(ctx); err != nil && !opts.Optional {
			return b, fmt.Errorf("joining the bus: %w", err)
		}
	}
	b.begin(b.keepAlive)
	return b, nil
}

func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// MaxAge is how long a record is kept.
func (b *Bus) MaxAge() time.Duration { return b.opts.MaxAge }

// ID names this instance, for as long as it runs.
func (b *Bus) ID() string { return b.id }

func (b *Bus) connect() (err error) {
	options := []nats.Option{
		nats.Name("inlay-graphql " + b.id), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond),
		nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond),
		nats.ReconnectBufSize(-1), // what can't be said now is told to whoever says it
		nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(2 * time.Second),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { b.disconnected(err) }),
		nats.ReconnectHandler(func(*nats.Conn) { b.reconnected() }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { b.asyncError(err) }),
		nats.RetryOnFailedConnect(b.opts.Optional),
		nats.IgnoreAuthErrorAbort(), // else two refusals are for good, though the file may have new credentials by then
		nats.ConnectHandler(func(*nats.Conn) { b.reconnected() }),
	}
	if b.opts.Credentials != "" {
		options = append(options, nats.UserCredentials(b.opts.Credentials)) // which reads the file for every connection
	}
	if b.opts.CA != "" {
		options = append(options, nats.RootCAs(b.opts.CA))
	}
	if b.opts.Cert != "" {
		options = append(options, nats.ClientCert(b.opts.Cert, b.opts.Key))
	}
	url := b.opts.URL
	if b.server != nil {
		url = ""
		options = append(options, nats.InProcessServer(b.server))
	}
	if b.conn, err = nats.Connect(url, options...); err != nil {
		return err
	}
	if b.js, err = jetstream.New(b.conn, jetstream.WithDefaultTimeout(5*time.Second)); err == nil {
		close(b.joined)
	}
	return err
}

func (b *Bus) disconnected(err error) {
	if b.ctx.Err() != nil {
		return
	}
	b.opts.Logger.Warn("the bus is away", "error", err)
	b.counts.add(func(s *Stats) { s.Outages++ })
	b.mu.Lock()
	b.peers.deaf = true // a server that comes back may have lost what it kept in memory, the watch's place in it too
	b.mu.Unlock()
	b.setReady(ErrAway)
}

func (b *Bus) reconnected() {
	b.mu.Lock()
	b.shut = false
	b.peers.grace(time.Now())
	b.mu.Unlock()
	b.begin(func() {
		select {
		case <-b.joined:
		case <-b.ctx.Done():
			return
		}
		ctx, cancel := context.WithTimeout(b.ctx, connectPatience)
		defer cancel()
		_ = b.prepare(ctx) // keepAlive tries again
	})
}

// begin has something done that Close waits for, unless it waits already.
func (b *Bus) begin(task func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx.Err() == nil {
		b.tasks.Go(task)
	}
}

// setReady notes whether the bus can be used, and tells whoever waits for that.
func (b *Bus) setReady(why error) {
	b.mu.Lock()
	was := b.why
	b.why = why
	b.mu.Unlock()
	if was != why {
		b.tell()
	}
}

// Ready answers nil while the bus can be used, else why it can't.
func (b *Bus) Ready() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.why
}

// OnChange has f called whenever an instance comes or goes, or the bus does. f must not wait.
func (b *Bus) OnChange(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changed = append(b.changed, f)
}

func (b *Bus) tell() {
	b.mu.Lock()
	all := b.changed
	b.mu.Unlock()
	for _, f := range all {
		f()
	}
}

// Close leaves the bus: the others know at once. Nothing of it runs when it returns.
func (b *Bus) Close() {
	if b.conn != nil && b.conn.IsConnected() {
		b.leave()
	}
	b.Kill()
}

// Kill ends without a word to the others, as a process that was killed does.
func (b *Bus) Kill() {
	b.mu.Lock()
	b.cancel() // nothing begins from here on
	b.mu.Unlock()
	if b.conn != nil {
		b.conn.Close()
	}
	b.tasks.Wait()
	if b.server != nil {
		b.server.Shutdown()
		b.server.WaitForShutdown()
	}
	if b.lock != nil {
		b.lock.release()
	}
}

// away makes ErrAway of whatever the connection answers when there is no server.
func away(err error) error {
	for _, known := range []error{
		nats.ErrConnectionClosed, nats.ErrConnectionReconnecting, nats.ErrDisconnected, nats.ErrReconnectBufExceeded, nats.ErrNoServers,
		nats.ErrNoResponders, nats.ErrTimeout, jetstream.ErrNoStreamResponse, context.DeadlineExceeded, nats.ErrInvalidConnection,
	} {
		if errors.Is(err, known) {
			return fmt.Errorf("%w: %w", ErrAway, err)
		}
	}
	return err
}
