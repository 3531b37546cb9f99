package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"inlaygraph/tests"
)

// crowd is everybody who follows the server, and what they found wrong.
type crowd struct {
	settings
	server *server
	up     *upstream
	r      *report
	faults *faults
	http   *http.Client

	still   atomic.Bool // nobody begins anything
	cancel  context.CancelFunc
	clients sync.WaitGroup
	all     []*subscriber

	mu    sync.Mutex
	talks map[*user]*talk
}

// socketHolds is how many subscriptions a WebSocket of the crowd has.
const socketHolds = 4

func newCrowd(s settings, server *server, up *upstream, r *report) *crowd {
	return &crowd{
		settings: s, server: server, up: up, r: r, faults: newFaults(), talks: map[*user]*talk{},
		http: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 8}},
	}
}

func (c *crowd) isQuiet() bool { return c.still.Load() }

// gather has everybody come.
func (c *crowd) gather(ctx context.Context) error {
	for _, who := range c.up.users {
		c.goOn(ctx, who)
		if c.conversation(who) == "" {
			return errors.Join(fmt.Errorf("%s can't begin a conversation", who.canary()), c.faults.err())
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	next := 0
	for n := uint64(0); next < c.subscribers; n++ {
		one := &client{
			crowd: c, who: c.up.users[int(n)%len(c.up.users)], socket: n%(socketHolds+1) == 0, narrow: n%4 == 0, dice: rand.New(rand.NewPCG(c.seed, 1000+n)),
		}
		holds := 1
		if one.socket {
			holds = min(socketHolds, c.subscribers-next)
			c.r.sockets++
		} else {
			c.r.streams++
		}
		for range holds {
			k := kinds[(next+int(n)/7)%len(kinds)]
			one.subs = append(one.subs, &subscriber{kind: k, who: one.who, client: one, interval: []int{300, 1000, 2000}[one.dice.IntN(3)]})
			next++
		}
		c.all = append(c.all, one.subs...)
		c.clients.Go(func() {
			sleep(ctx, time.Duration(one.dice.IntN(3000))*time.Millisecond)
			one.run(ctx)
		})
	}
	c.r.subscribers = next
	for i, who := range c.up.users {
		c.clients.Go(func() { c.drive(ctx, who) })
		c.clients.Go(func() { c.pry(ctx, who, c.up.users[(i+1+i%3)%len(c.up.users)]) })
	}
	return nil
}

// disperse has everybody leave.
func (c *crowd) disperse() {
	if c.cancel != nil {
		c.cancel()
	}
	c.clients.Wait()
	c.http.CloseIdleConnections()
}

// watch waits until a time, or until something is wrong.
func (c *crowd) watch(ctx context.Context, until time.Time) error {
	select {
	case <-time.After(time.Until(until)):
		return nil
	case <-c.faults.first:
		time.Sleep(time.Second) // for what comes with it
		select {
		case <-c.server.ended:
			return errors.Join(c.faults.err(), errors.New("the server ended:\n"+c.server.said()))
		default:
			return fmt.Errorf("%w\nafter: %s\nthe server said:\n%s", c.faults.err(), c.r, c.server.said())
		}
	case <-c.server.ended:
		return errors.New("the server ended:\n" + c.server.said())
	case <-ctx.Done():
		return ctx.Err()
	}
}

// quietWithin is how long it may take until everybody has what a query reads: those who are away come back, and upstream's
// silence is noticed.
const quietWithin = 180 * time.Second

// quiet lets upstream stand still and waits until everybody has what a query reads.
func (c *crowd) quiet(ctx context.Context) error {
	c.still.Store(true)
	c.up.calm(true)
	time.Sleep(time.Second)
	c.up.stop()
	defer func() {
		c.up.start()
		c.up.calm(false)
		c.still.Store(false)
	}()
	var wrong error
	for began := time.Now(); time.Since(began) < quietWithin; {
		if err := c.watch(ctx, time.Now().Add(500*time.Millisecond)); err != nil {
			return err
		}
		read := map[string]string{}
		var wrongs []error
		for _, s := range c.all {
			value, id := s.value()
			text := s.who.tenant + id + s.query() // of a tenant: another one's is another conversation
			if _, ok := read[text]; !ok {
				read[text] = c.ask(ctx, s.who, s.kind, id)
			}
			if value == "" || read[text] == "" {
				wrongs = append(wrongs, fmt.Errorf("%s: it has %.300q, a query reads %.300q", s, value, read[text]))
				continue
			}
			if err := tests.Validate(tests.Observation{Values: []string{value}, Final: read[text]}); err != nil {
				wrongs = append(wrongs, fmt.Errorf("%s: what it has and what a query reads differ: %s: %.60s", s, differ(value, read[text]), err.Error()))
			}
		}
		if wrong = errors.Join(wrongs...); wrong == nil {
			c.r.compared.Add(int64(len(c.all)))
			return nil
		}
	}
	return fmt.Errorf("everybody is quiet, and still %w", wrong)
}

// ask reads a slice, "" where it can't be read.
func (c *crowd) ask(ctx context.Context, who *user, k kind, id string) string {
	a, err := c.post(ctx, who, k.query(), k.values(id))
	if err != nil || a.code() != "" {
		return ""
	}
	return k.find(a.Data)
}

// post asks for something once.
func (c *crowd) post(ctx context.Context, who *user, query string, variables map[string]any) (*answer, error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.server.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Authorization", "Bearer "+who.token)
	res, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	a := &answer{}
	if err := json.Unmarshal(text, a); err != nil {
		return nil, fmt.Errorf("%w: %.200s", err, text)
	}
	return a, nil
}

// differ tells where two lists of rows, or any two values, first differ.
func differ(a, b string) string {
	var rows [2][]json.RawMessage
	if json.Unmarshal([]byte(a), &rows[0]) != nil || json.Unmarshal([]byte(b), &rows[1]) != nil {
		return fmt.Sprintf("%.1000s and %.1000s", a, b)
	}
	for i := range max(len(rows[0]), len(rows[1])) {
		if i >= len(rows[0]) || i >= len(rows[1]) {
			return fmt.Sprintf("%d and %d rows", len(rows[0]), len(rows[1]))
		}
		if x, y := string(rows[0][i]), string(rows[1][i]); tests.Complete(tests.Observation{Values: []string{x}, Final: y}) != nil {
			return fmt.Sprintf("row %d of %d and %d is %s and %s", i+1, len(rows[0]), len(rows[1]), x, y)
		}
	}
	return "nothing"
}
