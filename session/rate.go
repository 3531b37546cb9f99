package session

import (
	"container/list"
	"context"
	"math"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"inlaygraph/coded"
)

// Rates bound what one user may ask for in a time (promise 10; docs/service.md, "Limits"). Whoever shows no token is told
// by the address the request came from instead, an IPv6 address by its /64; a loopback address has no bound then. 0 is
// no bound.
type Rates struct {
	OperationsPerSecond int // operations of every kind, refused ones included
	OperationsBurst     int // how many may come at once; 0: twice OperationsPerSecond
	SendsPerMinute      int // mutations that begin a run, each in its own right; as many may come at once
}

// maxRated is how many users the rates are kept of. Beyond it whoever asked longest ago is forgotten, and begins anew.
const maxRated = 10_000

const (
	messageTooFast  = "too many operations"
	messageTooEager = "too many sends"
)

// sending are the mutations that begin a run.
var sending = map[string]bool{"send": true, "retry": true}

// tooFast is the cause of a refusal that says when to come again.
type tooFast struct{ after time.Duration }

func (e *tooFast) Error() string { return "try again in " + e.after.String() }

// RetryAfter is when the same would be let through, if nothing else came until then.
func (e *tooFast) RetryAfter() time.Duration { return e.after }

// limiters are the rates of those who asked lately. The zero value with Rates is ready.
type limiters struct {
	mu    sync.Mutex
	known map[any]*list.Element // by user, or by netip.Prefix of an address
	order list.List             // of *limited, who asked last in front
	now   func() time.Time      // nil: time.Now
}

type limited struct {
	who               any
	operations, sends *rate.Limiter
}

// of is what who has left. l is locked.
func (l *limiters) of(who any, rates Rates) *limited {
	if e, ok := l.known[who]; ok {
		l.order.MoveToFront(e)
		return e.Value.(*limited)
	}
	burst := rates.OperationsBurst
	if burst == 0 {
		burst = 2 * rates.OperationsPerSecond
	}
	one := &limited{
		who:        who,
		operations: rate.NewLimiter(rate.Limit(rates.OperationsPerSecond), burst),
		sends:      rate.NewLimiter(rate.Limit(float64(rates.SendsPerMinute)/60), rates.SendsPerMinute),
	}
	if l.known == nil {
		l.known = map[any]*list.Element{}
	}
	l.known[who] = l.order.PushFront(one)
	if l.order.Len() > maxRated {
		last := l.order.Back()
		l.order.Remove(last)
		delete(l.known, last.Value.(*limited).who)
	}
	return one
}

// take takes n of what which picks, or says after how long there would be as many.
func (l *limiters) take(who any, rates Rates, n int, which func(*limited) *rate.Limiter) (after time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.now != nil {
		now = l.now()
	}
	limiter := which(l.of(who, rates))
	reserved := limiter.ReserveN(now, n)
	if !reserved.OK() { // more at once than there ever are
		return time.Duration(float64(limiter.Burst()) / float64(limiter.Limit()) * float64(time.Second)), false
	}
	if after = reserved.DelayFrom(now); after > 0 {
		reserved.CancelAt(now)
		return after, false
	}
	return 0, true
}

type ratedKey struct{}

// rated marks ctx with whose rate is used up by what runs under it. Without a mark nothing is bounded.
func (g *Gate) rated(ctx context.Context, s *Session, r *http.Request) context.Context {
	if g.Verifier != nil {
		return context.WithValue(ctx, ratedKey{}, any(user{s.Tenant, s.Subject}))
	}
	if who, ok := addressOf(r); ok {
		return context.WithValue(ctx, ratedKey{}, any(who))
	}
	return ctx
}

// addressOf tells callers without a token apart. ok is false on loopback. Addresses that cannot be read count as one.
func addressOf(r *http.Request) (who netip.Prefix, ok bool) {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Prefix{}, true
	}
	address = address.Unmap().WithZone("")
	if address.IsLoopback() {
		return netip.Prefix{}, false
	}
	bits := 32
	if address.Is6() {
		bits = 64
	}
	who, err = address.Prefix(bits)
	return who, err == nil
}

// Operation is asked before a document is looked at, under a context that Init returned.
func (g *Gate) Operation(ctx context.Context) error {
	who := ctx.Value(ratedKey{})
	if who == nil || g.Rates.OperationsPerSecond == 0 {
		return nil
	}
	after, ok := g.limiters.take(who, g.Rates, 1, func(l *limited) *rate.Limiter { return l.operations })
	return refusedRate(messageTooFast, after, ok)
}

// Mutation is asked before a mutation is executed, with the names of its root fields, one for each time that it is to be
// done.
func (g *Gate) Mutation(ctx context.Context, fields []string) error {
	n := 0
	for _, name := range fields {
		if sending[name] {
			n++
		}
	}
	who := ctx.Value(ratedKey{})
	if n == 0 || who == nil || g.Rates.SendsPerMinute == 0 {
		return nil
	}
	after, ok := g.limiters.take(who, g.Rates, n, func(l *limited) *rate.Limiter { return l.sends })
	return refusedRate(messageTooEager, after, ok)
}

func refusedRate(message string, after time.Duration, ok bool) error {
	if ok {
		return nil
	}
	seconds := int(max(math.Ceil(after.Seconds()), 1))
	return coded.Wrap(coded.RateLimited, message+", try again in "+strconv.Itoa(seconds)+" s", &tooFast{after})
}
