package transport

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lengthOf is how long the text of a message is.
func lengthOf(t require.TestingT, message string) int {
	var m struct{ Data struct{ Topic *string } }
	require.NoError(t, json.Unmarshal([]byte(message), &m), message)
	require.NotNil(t, m.Data.Topic, message)
	return len(*m.Data.Topic)
}

// Promises 15 and 17: members come and go, a thousand times, while the topic grows. Whoever is there reads no value twice
// and none older than one before, none older than what was there when it came, and in the end the last.
func TestSharedRaces(t *testing.T) {
	const workers, rounds, words = 8, 125, 2000
	s := startSharing(t, Options{})
	topic := s.root.Topic("a")
	var all sync.WaitGroup
	saying := make(chan struct{})
	all.Go(func() {
		defer close(saying)
		for range words {
			topic.Say("x")
			if rand.IntN(4) == 0 {
				time.Sleep(50 * time.Microsecond)
			}
		}
	})
	for range workers {
		all.Go(func() {
			for range rounds {
				before := len(topic.Text())
				r := s.join(t, "ann@acme", watch)
				had := lengthOf(t, r.next())
				assert.GreaterOrEqual(t, had, before)
				for range rand.IntN(4) {
					if text := r.try(); text != "" {
						n := lengthOf(t, text)
						assert.Greater(t, n, had)
						had = n
					}
				}
				r.leave()
				r.quiet()
			}
		})
	}
	for range 3 {
		all.Go(func() {
			r := s.join(t, "bob@acme", watch)
			defer r.leave()
			for had := -1; had < words; {
				n := lengthOf(t, r.next())
				assert.Greater(t, n, had)
				had = n
			}
			<-saying
			r.quiet()
		})
	}
	all.Wait()
	s.empty(t)
	assert.Less(t, topic.Reads.Load(), int64(words+2*workers*rounds))
}

// replay is what a client has that applies news.
type replay struct {
	text   string
	cursor int
	resets int
}

func (r *replay) apply(t require.TestingT, message string) {
	var m struct {
		Data struct {
			News *struct {
				Cursor string
				Reset  bool
				Words  []string
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(message), &m), message)
	require.NotNil(t, m.Data.News, message)
	news := m.Data.News
	at, err := strconv.Atoi(news.Cursor)
	require.NoError(t, err)
	if news.Reset {
		r.text, r.cursor = "", 0
		r.resets++
	}
	require.Equal(t, at-r.cursor, len(news.Words), "no gap and no repeat: %s after %d", message, r.cursor)
	r.text, r.cursor = r.text+strings.Join(news.Words, ""), at
}

const newsQuery = `subscription($after:String){news(name:"a",after:$after){cursor reset words}}`

// Promise 19: changes are complete for everybody, however slow, whenever they come and from wherever they go on.
func TestSharedChanges(t *testing.T) {
	const words = 1500
	for _, forgets := range []bool{false, true} {
		t.Run(fmt.Sprint("forgets ", forgets), func(t *testing.T) {
			s := startSharing(t, Options{})
			topic := s.root.Topic("a")
			var all sync.WaitGroup
			all.Go(func() {
				for i := range words {
					topic.Say(fmt.Sprint(i, " "))
					if rand.IntN(3) == 0 {
						time.Sleep(30 * time.Microsecond)
					}
					if forgets && rand.IntN(300) == 0 {
						topic.Forget()
					}
				}
			})
			for worker := range 10 {
				all.Go(func() {
					var c replay
					for c.cursor < words {
						variables := map[string]any{"after": strconv.Itoa(c.cursor)}
						if c.cursor == 0 || rand.IntN(4) == 0 {
							variables, c = map[string]any{}, replay{}
						}
						r := s.join(t, "ann@acme", newsQuery, variables)
						c.apply(t, r.next()) // at once, whether there is news or not
						for range 1 + rand.IntN(200) {
							if c.cursor == words {
								break
							}
							c.apply(t, r.next())
							if worker < 3 { // too slow
								time.Sleep(time.Millisecond)
							}
						}
						r.leave()
					}
					if !assert.Equal(t, topic.Text(), c.text) || forgets {
						return
					}
					assert.LessOrEqual(t, c.resets, 1)
				})
			}
			all.Wait()
			s.empty(t)
		})
	}
}

// Promise 16: whoever is slower than the stream skips to the newest value, and has one wait at most.
func TestSharedSkips(t *testing.T) {
	s := startSharing(t, Options{})
	topic := s.root.Topic("a")
	fast, slow := s.join(t, "ann@acme", watch), s.join(t, "bob@acme", watch)
	defer fast.leave()
	defer slow.leave()
	fast.expect(topicOf(""))
	for n := 1; n <= 100; n++ {
		topic.Say("x")
		fast.expect(topicOf(strings.Repeat("x", n)))
	}
	slow.settle()
	slow.expect(topicOf(strings.Repeat("x", 100)))
	slow.quiet()
	topic.Replace("y")
	fast.expect(topicOf("y"))
	slow.settle()
	topic.Replace(strings.Repeat("x", 100))
	fast.expect(topicOf(strings.Repeat("x", 100)))
	slow.settle()
	slow.quiet() // what it has
	topic.Replace("z")
	slow.expect(topicOf("z"))
}

// Promise 10: what came back to what a member has is no message, though another value was read for somebody in between.
func TestSharedRepeats(t *testing.T) {
	s := startSharing(t, Options{})
	topic := s.root.Topic("a")
	topic.Say("x")
	first := s.join(t, "ann@acme", watch)
	defer first.leave()
	first.expect(topicOf("x"))
	hold := make(chan struct{})
	topic.Reading = func() { <-hold }
	topic.Replace("y")
	hold <- struct{}{}
	first.expect(topicOf("y"))
	topic.Replace("y")
	hold <- struct{}{}
	eventually(t, "read again", func() bool { return topic.Reads.Load() == 3 })
	topic.Replace("z")
	hold <- struct{}{}
	first.expect(topicOf("z"))
	close(hold)
}

// Promise 19: a member that is slow has some changes wait, catches up from where it stands in one message, and costs the
// others no more than one read for each time that it does.
func TestSharedCatchesUp(t *testing.T) {
	s := startSharing(t, Options{})
	topic := s.root.Topic("a")
	fast, slow := s.join(t, "ann@acme", newsQuery), s.join(t, "bob@acme", newsQuery)
	defer fast.leave()
	defer slow.leave()
	var quick, late replay
	quick.apply(t, fast.next())
	for n := range 100 {
		topic.Say(fmt.Sprint(n))
		quick.apply(t, fast.next())
	}
	assert.EqualValues(t, 101, topic.Reads.Load()-1, "the slow one joined with a read of its own")
	slow.settle()
	slow.box.mu.Lock()
	assert.Len(t, slow.member.more, maxWaiting-1)
	slow.box.mu.Unlock()
	for range maxWaiting {
		late.apply(t, slow.next())
	}
	assert.Equal(t, maxWaiting-1, late.cursor)
	late.apply(t, slow.next())
	assert.Equal(t, quick, late)
	assert.LessOrEqual(t, topic.Reads.Load(), int64(101+3))
	topic.Say("all together now")
	quick.apply(t, fast.next())
	late.apply(t, slow.next())
	assert.Equal(t, quick, late)
	fast.quiet()
	slow.quiet()
}

// Promise 19: changes that wait are bounded in bytes, too.
func TestSharedChangesBytes(t *testing.T) {
	s := startSharing(t, Options{})
	topic := s.root.Topic("a")
	fast, slow := s.join(t, "ann@acme", newsQuery), s.join(t, "bob@acme", newsQuery)
	defer fast.leave()
	defer slow.leave()
	fast.next()
	for range 5 {
		topic.Say(strings.Repeat("x", 400_000))
		fast.next()
	}
	slow.settle()
	slow.box.mu.Lock()
	assert.Len(t, slow.member.more, 2, "a megabyte")
	slow.box.mu.Unlock()
	var late replay
	for range 4 {
		late.apply(t, slow.next())
	}
	assert.Equal(t, topic.Text(), late.text)
}

// Promise 9: once a client has completed, nothing of it is begun, whatever waited; and a seat is given back though the
// group is not begun yet.
func TestSharedCompletes(t *testing.T) {
	s := startSharing(t, Options{})
	topic := s.root.Topic("a")
	one, two := s.join(t, "ann@acme", watch), s.join(t, "bob@acme", watch)
	two.expect(topicOf(""))
	topic.Say("x")
	two.expect(topicOf("x"))
	one.settle()
	one.leave()
	one.quiet()
	two.leave()
	two.leave()
	s.empty(t)

	topic.Reading = func() { time.Sleep(time.Millisecond) }
	for range 200 {
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				c := s.join(t, "cy@acme", watch)
				c.leave()
			})
		}
		all.Wait()
	}
	s.empty(t)
}

// Promise 7: a member that reads nothing is dropped within the write deadline, costs the others nothing meanwhile, and
// has one value waiting.
func TestSharedStalledReader(t *testing.T) {
	const deadline = time.Second
	s := startSharing(t, Options{WriteTimeout: deadline})
	topic := s.root.Topic("a")
	topic.Say(strings.Repeat("x", 50_000))
	healthy := s.as(t, "ann@acme")
	healthy.subscribe("1", watch)
	healthy.receive()
	stalled := s.dialSlow(t)
	upgrade(t, s, stalled)
	eventually(t, "two members", func() bool { return s.seats.Load() == 2 })
	begin, slowest := time.Now(), time.Duration(0)
	for n := 0; s.seats.Load() == 2 && time.Since(begin) < patience; n++ {
		sent := time.Now()
		topic.Say("x")
		healthy.receive()
		slowest = max(slowest, time.Since(sent))
		time.Sleep(time.Millisecond)
	}
	assert.GreaterOrEqual(t, time.Since(begin), deadline)
	assert.Less(t, slowest, deadline)
	eventually(t, "the stalled one is gone", func() bool { return s.Connections() == 1 })
}

// upgrade has a connection subscribe to the topic as somebody, and read nothing any more.
func upgrade(t *testing.T, s *sharing, conn net.Conn) {
	t.Helper()
	c := s.over(t, conn)
	c.send(`{"type":"connection_init","payload":{"token":"eve@acme"}}`)
	c.expect(`{"type":"connection_ack"}`)
	c.subscribe("1", watch)
}

// Promise 18: whoever leaves, and in whatever order, those who stay get everything.
func TestSharedLeavesInAnyOrder(t *testing.T) {
	s := startSharing(t, Options{})
	topic := s.root.Topic("a")
	for range 50 {
		topic.Replace("x")
		var members []*subscriber
		for range 12 {
			r := s.join(t, "ann@acme", watch)
			r.expect(topicOf("x"))
			members = append(members, r)
		}
		rand.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		for n := 1; len(members) > 0; n++ {
			members[0].leave()
			members = members[1:]
			topic.Say("y")
			for _, r := range members {
				r.expect(topicOf("x" + strings.Repeat("y", n)))
			}
		}
		s.empty(t)
	}
}
