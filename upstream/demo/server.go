package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"inlaygraph/upstream/recording"
	"inlaygraph/wire"
)

// Options say what the demo plays and how. The zero value plays the built-in scenarios for ever, at the
// pace they were written in.
type Options struct {
	// Recordings are played instead of the built-in scenarios, at their own pace. Their agents have no plans.
	Recordings []*recording.Recording

	Speed     float64       // how many times faster than recorded; 0: 1
	Rest      time.Duration // between two loops; 0: 4 s
	Loops     int           // stop after so many; 0: never
	KeepLoops int           // how many loops the log and the streams reach back; 0: 10
	KeepAlive time.Duration // between comments on a silent stream; 0: 15 s
	Clock     Clock         // nil: the wall clock

	// Patience is how long a run that has just begun waits for a stream to attach, when somebody read the
	// conversation shortly before. 0: 12 s, or not at all when Speed is given; negative: not at all.
	Patience time.Duration

	// Identify tells whose token it is, "" when a request has none; its error refuses the request. What a user sends,
	// and a user's billing, is that user's alone. Nil: nobody needs a token, and everybody is one user.
	Identify func(token string) (user string, err error)
}

func (o Options) withDefaults() Options {
	if o.Patience == 0 && o.Speed <= 0 {
		o.Patience = 12 * time.Second
	}
	if o.Speed <= 0 {
		o.Speed = 1
	}
	if o.Rest <= 0 {
		o.Rest = 4 * time.Second
	}
	if o.KeepLoops <= 0 {
		o.KeepLoops = 10
	}
	if o.KeepAlive <= 0 {
		o.KeepAlive = 15 * time.Second
	}
	if o.Clock == nil {
		o.Clock = realClock{}
	}
	return o
}

// Demo is a platform in miniature: it plays its conversations from New to Close, and serves them over HTTP.
type Demo struct {
	registry
	stage     *stage
	tapes     []*tape // in the order of the scenarios
	plans     map[planKey]*wire.Plan
	accounts  accounts
	checkouts checkouts
	notes     []string

	stop context.CancelFunc

	server *http.Server // nil before Start
	served chan error
	url    string
}

// New loads what is to be played and starts playing: when it returns, the first frame of every conversation
// is out. The caller serves Handler itself, or calls Start; either way it calls Close.
func New(o Options) (*Demo, error) {
	o = o.withDefaults()
	tapes, err := tapes(o)
	if err != nil {
		return nil, err
	}
	var known map[planKey]*wire.Plan
	if o.Recordings == nil {
		if known, err = plans(); err != nil {
			return nil, err
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	d := &Demo{stage: &stage{Options: o, ctx: ctx}, tapes: tapes, plans: known, stop: stop}
	d.byID = map[string]*conversation{}
	for _, t := range tapes {
		c := newLooping(d.stage, t)
		d.looping = append(d.looping, c)
		d.byID[c.id] = c
		for _, note := range t.notes {
			d.notes = append(d.notes, c.id+": "+note)
		}
	}
	for _, c := range d.looping {
		c.start()
	}
	return d, nil
}

// tapes reads the recordings to play. Two of one conversation can't be told apart and are refused.
func tapes(o Options) ([]*tape, error) {
	recordings, p := o.Recordings, recordedPace
	if recordings == nil {
		built, err := scenarios()
		if err != nil {
			return nil, err
		}
		recordings, p = built, humanPace
	}
	if len(recordings) == 0 {
		return nil, errors.New("demo: nothing to play")
	}
	var all []*tape
	from := map[string]string{}
	for _, rec := range recordings {
		t, err := newTape(rec, p)
		if err != nil {
			return nil, fmt.Errorf("demo: %w", err)
		}
		if other, taken := from[t.conversationID]; taken {
			return nil, fmt.Errorf("demo: %s and %s are both of conversation %q", other, rec.Path, t.conversationID)
		}
		from[t.conversationID] = rec.Path
		all = append(all, t)
	}
	return all, nil
}

// Start serves the demo on a loopback address, such as "127.0.0.1:0".
func (d *Demo) Start(address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	if ip := listener.Addr().(*net.TCPAddr).IP; !ip.IsLoopback() {
		listener.Close()
		return fmt.Errorf("demo: %s is no loopback address", address)
	}
	d.url = "http://" + listener.Addr().String()
	d.server = &http.Server{
		Handler:           d.Handler(),
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	d.served = make(chan error, 1)
	go func() { d.served <- d.server.Serve(listener) }()
	return nil
}

// URL is the base URL after Start, for a platform client.
func (d *Demo) URL() string { return d.url }

// Notes say what of the recordings is not played, and why, one line each.
func (d *Demo) Notes() []string { return d.notes }

// Close stops playing, ends every stream and stops serving. Nothing of the demo runs when it returns.
func (d *Demo) Close() error {
	d.stop()
	d.registry.close()
	d.stage.players.Wait()
	if d.server == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := d.server.Shutdown(ctx)
	if err != nil { // a client that does not read holds its answer up
		err = d.server.Close()
	}
	if served := <-d.served; !errors.Is(served, http.ErrServerClosed) {
		return served
	}
	return err
}
