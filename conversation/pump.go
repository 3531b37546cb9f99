package conversation

import (
	"context"

	"inlaygraph/upstream"
)

// arrival is a stream's word: that it is open, then its items.
type arrival struct {
	item   upstream.Item
	opened bool
}

// pump hands what a stream says to a goroutine that also waits for other things.
type pump struct {
	arrivals chan arrival // closed when the stream ended or never opened
	err      error        // why, once arrivals is closed
	opened   bool         // whether it ever did, once arrivals is closed
	panicked any          // what it panicked with, once arrivals is closed
	cancel   context.CancelFunc
}

// attach opens the stream of the run in flight behind an offset.
func (r *reader) attach(ctx context.Context, after int64) *pump {
	token := r.who.Token()
	return newPump(ctx, func(ctx context.Context) (upstream.Stream, error) {
		return r.hub.opts.Source.Stream(ctx, token, r.id, after)
	})
}

// newPump opens a stream and reads it until it ends, or ctx does, or it is closed.
func newPump(ctx context.Context, open func(context.Context) (upstream.Stream, error)) *pump {
	ctx, cancel := context.WithCancel(ctx)
	p := &pump{arrivals: make(chan arrival, 64), cancel: cancel}
	go func() {
		defer close(p.arrivals)
		defer func() { p.panicked = recover() }() // for whoever reads to handle
		st, err := open(ctx)
		if err != nil {
			p.err = err
			return
		}
		defer st.Close()
		p.opened = true
		for a := (arrival{opened: true}); ; {
			select {
			case p.arrivals <- a:
			case <-ctx.Done():
				p.err = ctx.Err()
				return
			}
			item, err := st.Next(ctx)
			if err != nil {
				p.err = err
				return
			}
			a = arrival{item: item}
		}
	}()
	return p
}

// close ends the stream. Nothing of it is left when it returns.
func (p *pump) close() {
	p.cancel()
	for range p.arrivals { // until the goroutine is gone
	}
}
