package conversation

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream/demo"
	"inlaygraph/upstream/platform"
	"inlaygraph/wire"
)

// playDemo plays every scenario of the demo twice in a bubble and gives a client for it; change may stand
// between the two.
func playDemo(t *testing.T, change func(http.Handler) http.Handler) (*demo.Demo, *platform.Client) {
	t.Helper()
	d, err := demo.New(demo.Options{Loops: 2, Patience: -1})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	handler := d.Handler()
	if change != nil {
		handler = change(handler)
	}
	client, err := platform.New(platform.Options{BaseURL: "http://demo", Transport: inMemory{handler}})
	require.NoError(t, err)
	return d, client
}

// openAll opens every conversation of the demo in a hub of its own, and has them followed.
func openAll(t *testing.T, d *demo.Demo, opts Options) map[string]*Live {
	t.Helper()
	h := NewHub(opts)
	t.Cleanup(h.Close)
	live := map[string]*Live{}
	for _, c := range d.Playing() {
		l, err := h.Open(t.Context(), nobody, c.ConversationID)
		require.NoError(t, err)
		l.Subscribe(nil, 0)
		live[c.ConversationID] = l.Live
	}
	return live
}

func watchAll(t *testing.T, live map[string]*Live) (viewers []*viewer) {
	for _, l := range live {
		viewers = append(viewers, watch(t, l))
	}
	return viewers
}

// withoutPlaceholders leaves out the rows that only live readers have (docs/fold.md, "Parity").
func withoutPlaceholders(f facts) facts {
	f.Rows = slices.DeleteFunc(f.Rows, func(row string) bool {
		return strings.Contains(row, `"complete":false,"content":"",`) && strings.Contains(row, `"reasoning":null`)
	})
	return f
}

// agree compares two readers of every conversation.
func agree(t *testing.T, one, other map[string]*Live, of string) {
	t.Helper()
	for id := range one {
		a, b := factsOf(t, one[id].Conversation(), false), factsOf(t, other[id].Conversation(), false)
		assert.Equal(t, withoutPlaceholders(a), withoutPlaceholders(b), "%s %s", id, of)
	}
}

// demoLasts is longer than two loops of any scenario.
const demoLasts = 3 * time.Minute

// Promises 9 and 10 over HTTP: whoever opens a conversation at whatever moment sees what a reader from the
// start sees, at once and in the end.
func TestReopeningTheDemo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, client := playDemo(t, nil)
		opts := Options{Source: client, IdlePoll: time.Second}
		first := openAll(t, d, opts)
		viewers := watchAll(t, first)
		random := rand.New(rand.NewPCG(1, 2))
		var later []map[string]*Live
		for range 7 {
			time.Sleep(time.Duration(random.IntN(4000)) * time.Millisecond)
			now := openAll(t, d, opts)
			synctest.Wait()
			seen := map[string]*Live{}
			for id, l := range first {
				if l.standing() == now[id].standing() { // else a run has begun that it is still to see
					seen[id] = l
				}
			}
			agree(t, seen, now, "at once")
			later = append(later, now)
		}
		viewers = append(viewers, watchAll(t, later[0])...)
		time.Sleep(demoLasts)
		for i, now := range append(later, openAll(t, d, opts)) {
			agree(t, first, now, fmt.Sprint("of reader ", i))
		}
		for _, v := range viewers {
			v.leave()
			assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
			assert.Equal(t, 1, v.copy.resets)
		}
	})
}

// flaky breaks every stream after some bytes: between frames, in a line, in a character.
type flaky struct {
	http.Handler
	mu     sync.Mutex
	random *rand.Rand
}

func (f *flaky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/stream") {
		f.Handler.ServeHTTP(w, r)
		return
	}
	f.mu.Lock()
	left := f.random.IntN(1500)
	f.mu.Unlock()
	f.Handler.ServeHTTP(&breaking{w.(*memoryWriter), left}, r)
}

type breaking struct {
	*memoryWriter
	left int
}

func (b *breaking) Write(p []byte) (int, error) {
	if len(p) > b.left {
		b.memoryWriter.Write(p[:b.left])
		panic(http.ErrAbortHandler)
	}
	b.left -= len(p)
	return b.memoryWriter.Write(p)
}

// Promise 10 over HTTP: however often every stream breaks, nothing is lost and nothing is there twice.
func TestBreakingTheDemo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := &flaky{random: rand.New(rand.NewPCG(3, 4))}
		d, client := playDemo(t, func(h http.Handler) http.Handler {
			broken.Handler = h
			return broken
		})
		live := openAll(t, d, Options{Source: client, IdlePoll: time.Second, MinBackoff: time.Millisecond})
		viewers := watchAll(t, live)
		time.Sleep(demoLasts)
		whole, err := platform.New(platform.Options{BaseURL: "http://demo", Transport: inMemory{d.Handler()}})
		require.NoError(t, err)
		agree(t, openAll(t, d, Options{Source: whole}), live, "in the end")
		for _, v := range viewers {
			v.leave()
			assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
		}
	})
}

// The same over real sockets, in real time.
func TestDemoOverLoopback(t *testing.T) {
	d, err := demo.New(demo.Options{Loops: 1, Speed: 60})
	require.NoError(t, err)
	require.NoError(t, d.Start("127.0.0.1:0"))
	defer func() { assert.NoError(t, d.Close()) }()
	client, err := platform.New(platform.Options{BaseURL: d.URL()})
	require.NoError(t, err)
	defer client.Close()
	opts := Options{Source: client, IdlePoll: 20 * time.Millisecond}
	live := openAll(t, d, opts)
	viewers := watchAll(t, live)
	for id, l := range live {
		require.Eventually(t, func() bool {
			head, err := client.Head(t.Context(), "", id)
			require.NoError(t, err)
			offset, _ := l.place()
			over := head.Status != wire.Running && head.Status != wire.AwaitingClientTool // the demo answers by itself
			return over && offset == head.LastOffset
		}, 20*time.Second, 10*time.Millisecond, id)
	}
	agree(t, openAll(t, d, opts), live, "in the end")
	for _, v := range viewers {
		v.leave()
		assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
	}
}
