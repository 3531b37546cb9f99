package tests

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/tests/model"
)

// The server is killed (SIGKILL) in the middle of runs, again and again, and started again, while upstream, another process,
// goes on. Its clients come back by themselves with their cursors: each is told one reset for each new server and none
// besides, and in the end everybody has everything that upstream's log has, and what was streamed since.
func TestTheServerIsKilled(t *testing.T) {
	t.Parallel()
	const kills, clients = 3, 24
	p := newTenancy(t)
	p.open("anonymous", "demo")
	var talks []*kept
	for i := range 4 {
		c := p.add("demo", fmt.Sprintf("talk-%d", i), "anonymous")
		c.say(starting...)
		talks = append(talks, c)
	}
	args := []string{"serve", "--upstream", p.http.URL, "--insecure", "--idle-poll-seconds", "1", "--listen"}
	s := start(t, nil, append(args, "127.0.0.1:0")...)

	var all []*roamer
	for i := range clients {
		r := &roamer{url: s.url, operation: rowChanges(), id: talks[i%len(talks)].id, socket: i%2 == 0}
		if i%3 == 0 {
			r.operation = rowChangesAt(`path: ["helper"]`)
		}
		all = append(all, r)
		roam(t, r)
	}
	// everybody waits until every client had its first message of the nth server.
	everybody := func(n int) {
		for i, r := range all {
			eventually(t, patience, func() string {
				if _, visits, failed := r.has(); failed != nil || len(visits) < n {
					return fmt.Sprintf("client %d has connected %d times, not %d: %v", i, len(visits), n, failed)
				}
				return ""
			})
		}
	}
	everybody(1)
	stop := make(chan struct{})
	var telling sync.WaitGroup
	for i, c := range talks {
		telling.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 1))
			for n := 1; ; n++ {
				select {
				case <-stop:
					c.say(banked)
					c.say(stopping...)
					return
				case <-time.After(time.Duration(1+random.IntN(8)) * time.Millisecond):
				}
				c.say(saying(fmt.Sprintf(" %d", n)))
				if random.IntN(12) == 0 {
					c.say(banked, saying("So:"))
				}
			}
		})
	}
	for n := range kills {
		time.Sleep(time.Duration(100+rand.IntN(200)) * time.Millisecond)
		require.NoError(t, s.cmd.Process.Signal(syscall.SIGKILL))
		<-s.exited
		time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond) // upstream goes on
		s = start(t, nil, append(args, hostOf(s))...)
		everybody(n + 2)
	}
	time.Sleep(200 * time.Millisecond)
	close(stop)
	telling.Wait()

	for i, r := range all {
		f := timeline("")
		if i%3 == 0 {
			f = rowsAt(`path: ["helper"]`)
		}
		c := talks[i%len(talks)]
		var rows string
		eventually(t, patience, func() string {
			rows, _, _ = r.has()
			if want := f.read(t, s, r.id); !same(want, rows) {
				return fmt.Sprintf("client %d has\n%s\na query reads\n%s", i, rows, want)
			}
			return ""
		})
		if i%3 != 0 {
			require.Empty(t, model.Diff(model.Fold(c.records()).Timeline, withoutTypename(t, rows)), "client %d", i)
		}
		_, visits, failed := r.has()
		require.NoError(t, failed)
		require.Len(t, visits, kills+1, "client %d", i)
		for n, o := range visits {
			o.Kept = "" // of another server, where the cursor means nothing
			require.NoError(t, Validate(o), "client %d, server %d", i, n+1)
			require.Equal(t, 1, resets(t, o.Changes), "client %d, server %d: one reset, the first message", i, n+1)
			require.True(t, isOneReset(o.Changes[0]))
			tally.held.Add(1)
		}
	}
	require.Equal(t, 0, s.stop(t))
	assert.NotContains(t, s.stderr.String(), `"level":"ERROR"`)
}
