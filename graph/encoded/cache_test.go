package encoded_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/graph/encoded"
	"inlaygraph/projection"
	"inlaygraph/wire"
)

const contents = `subscription { timeline(conversationId: "c1") { id ... on UserRow { content } ... on AssistantRow { content } } }`

// follow subscribes and returns what sends one message and says its text.
func follow(t testing.TB, s *server, text string) func(rows []projection.Row) string {
	t.Helper()
	next, err := s.start(t.Context(), text, nil)
	require.NoError(t, err)
	return func(rows []projection.Row) string {
		s.timelines <- rows
		return string(next().Data)
	}
}

// users are settled rows.
func users(state *projection.State, from, to int) []projection.Row {
	for i := from; i < to; i++ {
		state.Apply(frame(wire.UserMessage, wire.Body{ID: fmt.Sprint("u", i), Content: fmt.Sprint("text ", i), HasContent: true}))
	}
	return state.Snapshot().Timeline()
}

// Promise 7: a selection's first list keeps nothing; its second keeps all. Promise 4: when one row changes one is written.
func TestOneChangedRowIsOneRowWritten(t *testing.T) {
	cache := encoded.NewCache(encoded.DefaultBytes)
	send := follow(t, serve(cache), contents)
	state := projection.New("c1")
	rows := users(state, 0, 50)
	send(rows)
	assert.Zero(t, cache.Stats().Texts)
	send(rows)
	assert.Equal(t, 50, cache.Stats().Texts)
	before := cache.Stats()
	text := send(users(state, 50, 51))
	assert.Contains(t, text, `{"id":"u50","content":"text 50"}`)
	now := cache.Stats()
	assert.EqualValues(t, []uint64{50, 1}, []uint64{now.Hits - before.Hits, now.Misses - before.Misses})
	assert.Equal(t, 51, now.Texts)
}

// Promise 4: equal selections share what was kept, in whatever words and under whatever variables they come.
func TestEqualSelectionsShare(t *testing.T) {
	cache := encoded.NewCache(encoded.DefaultBytes)
	s := serve(cache)
	live := told(t, frame(wire.UserMessage, wire.Body{ID: "u", Content: "hi", HasContent: true}))
	s.conversation = live.Conversation()
	for i, text := range []string{
		`{ conversation(id: "c1") { timeline { id ... on UserRow { content } } } }`,
		`query($no: Boolean = false) { conversation(id: "c1") { timeline { seq @include(if: $no) ...F } } } fragment F on UserRow { id content id }`,
		`{ conversation(id: "c1") { rows: chat { transcript { ... { id } ... on UserRow { id content } ... on OutputRow { name } } } } }`,
	} {
		data, errs := s.ask(t, text, nil)
		require.Empty(t, errs)
		assert.Contains(t, data, `[{"id":"u","content":"hi"}]`)
		assert.Equal(t, 1, cache.Stats().Selections)
		assert.EqualValues(t, max(i-1, 0), cache.Stats().Hits)
	}
	for _, other := range []string{"content id", "id text: content", "id content type"} {
		_, errs := s.ask(t, `{ conversation(id: "c1") { timeline { ... on UserRow { `+other+` } } } }`, nil)
		require.Empty(t, errs)
	}
	assert.Equal(t, 4, cache.Stats().Selections, "order and names make another")
	assert.EqualValues(t, 1, cache.Stats().Hits)
}

// Promise 7: what still grows is not kept, as its next delta supersedes it.
func TestGrowingRowsAreNotKept(t *testing.T) {
	cache := encoded.NewCache(encoded.DefaultBytes)
	s := serve(cache)
	send := follow(t, s, `subscription { timeline(conversationId: "c1") { id ... on AssistantRow { content } ... on OutputRow { value } } }`)
	state := projection.New("c1")
	n, m := wire.Spine{NodeID: "n"}, wire.Spine{NodeID: "m"}
	for i := range 10 {
		state.Apply(frame(wire.MessageDelta, wire.Body{Spine: n, ID: "m", Content: "word ", HasContent: true}))
		state.Apply(frame(wire.OutputDelta, wire.Body{Spine: m, ID: "o", Name: "out", Delta: "word "}))
		assert.Contains(t, send(state.Snapshot().Timeline()), strings.Repeat("word ", i+1))
	}
	assert.Zero(t, cache.Stats().Texts)
	assert.Zero(t, cache.Stats().Misses)
	state.Apply(frame(wire.MessageEnd, wire.Body{Spine: n, ID: "m"}))
	state.Apply(frame(wire.OutputSet, wire.Body{Spine: m, ID: "o", Name: "out", Value: `"done"`, ValueStatus: wire.Final, Complete: true}))
	assert.Contains(t, send(state.Snapshot().Timeline()), "done")
	assert.Equal(t, 2, cache.Stats().Texts)
}

// Promise 6: bounded, and what was not asked for longest goes first.
func TestCacheIsBounded(t *testing.T) {
	const max = 64 << 10
	cache := encoded.NewCache(max)
	send := follow(t, serve(cache), contents)
	all := users(projection.New("c1"), 0, 1_000)
	send(all[:1])
	for i := range all {
		send([]projection.Row{all[0], all[i]})
		require.LessOrEqual(t, cache.Stats().Bytes, max)
	}
	kept := cache.Stats().Texts
	require.Less(t, 50, kept, "an entry counts for its text and some 500 bytes")
	require.Greater(t, 130, kept)
	before := cache.Stats().Misses
	send([]projection.Row{all[0], all[999], all[998]})
	assert.Equal(t, before, cache.Stats().Misses)
	send(all[1:2])
	assert.Equal(t, before+1, cache.Stats().Misses)
}

// Promise 6: what was kept of rows goes with them.
func TestTextsGoWithTheirRows(t *testing.T) {
	cache := encoded.NewCache(encoded.DefaultBytes)
	send := follow(t, serve(cache), contents)
	state := projection.New("c1")
	kept := users(state, 0, 20)
	func() {
		gone := users(projection.New("c2"), 0, 500)
		send(kept)
		send(kept)
		send(gone)
		require.Equal(t, 520, cache.Stats().Texts)
	}()
	send(kept)
	for end := time.Now().Add(30 * time.Second); cache.Stats().Texts > 20 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		runtime.GC()
	}
	assert.Equal(t, 20, cache.Stats().Texts)
	before := cache.Stats()
	send(kept)
	assert.EqualValues(t, 20, cache.Stats().Hits-before.Hits)
	assert.Less(t, cache.Stats().Bytes, 20*1_000)
	runtime.KeepAlive(kept)
}

// Promise 5: a row that comes to the place of one that is gone is not taken for it, however late what was kept of that leaves.
func TestRowsInThePlaceOfOthers(t *testing.T) {
	cache := encoded.NewCache(encoded.DefaultBytes)
	send := follow(t, serve(cache), contents)
	rows := users(projection.New("c1"), 0, 2)
	gone, came := rows[:1], rows[1:]
	send(gone)
	send(gone)
	require.Equal(t, 1, cache.Stats().Texts)

	cache.Misplace(gone[0], came[0])
	require.Equal(t, 1, cache.Stats().Texts)
	before := cache.Stats()
	for range 2 {
		assert.Contains(t, send(came), `{"id":"u1","content":"text 1"}`)
	}
	now := cache.Stats()
	assert.EqualValues(t, []uint64{1, 1}, []uint64{now.Hits - before.Hits, now.Misses - before.Misses})
	assert.Equal(t, 1, now.Texts)
	assert.Equal(t, before.Bytes, now.Bytes, "what lay there has left")

	cache.Drop(came[0]) // the word that the other is gone comes late
	assert.Equal(t, 1, cache.Stats().Texts)
	send(came)
	assert.Equal(t, now.Misses, cache.Stats().Misses)
}

// Promise 6: a row that stays, whose text leaves and is kept again, again and again, holds no more than at first.
func TestTextsThatComeAndGoLeaveNothing(t *testing.T) {
	const max = 64 << 10
	cache := encoded.NewCache(max)
	send := follow(t, serve(cache), contents)
	rows := users(projection.New("c1"), 0, 500) // some five times what is kept
	held := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for range 3 {
		send(rows)
	}
	before := held()
	for range 200 {
		send(rows)
	}
	assert.EqualValues(t, 202*len(rows), cache.Stats().Misses, "each was out again when its turn came")
	assert.Less(t, held()-before, int64(1<<20)) // with a trace of each time it would be some 5 MB
	runtime.KeepAlive(rows)
}

// Promise 7: one row does not take the place of all others.
func TestLongTextsAreNotKept(t *testing.T) {
	for _, c := range []struct{ max, text, kept int }{
		{encoded.DefaultBytes, 500_000, 1}, {encoded.DefaultBytes, 1<<20 + 1, 0}, {1 << 20, 20_000, 1}, {1 << 20, 70_000, 0}, {0, 1, 0},
	} {
		cache := encoded.NewCache(c.max)
		send := follow(t, serve(cache), contents)
		rows := told(t, frame(wire.UserMessage, wire.Body{ID: "u", Content: strings.Repeat("x", c.text), HasContent: true})).Conversation().Timeline()
		first := send(rows)
		for range 3 {
			require.Equal(t, first, send(rows))
		}
		assert.Equal(t, c.kept, cache.Stats().Texts, "%+v", c)
	}
}

// Promise 6: clients that never send a selection twice.
func TestSelectionsAreBounded(t *testing.T) {
	cache := encoded.NewCache(encoded.DefaultBytes)
	s := serve(cache)
	s.conversation = told(t, frame(wire.UserMessage, wire.Body{ID: "u", Content: "hi", HasContent: true})).Conversation()
	for i := range 600 {
		data, errs := s.ask(t, fmt.Sprintf(`{ conversation(id: "c1") { timeline { a%d: id } } }`, i), nil)
		require.Empty(t, errs)
		require.Equal(t, fmt.Sprintf(`{"conversation":{"timeline":[{"a%d":"u"}]}}`, i), data)
	}
	assert.Equal(t, 512, cache.Stats().Selections)
	assert.Zero(t, cache.Stats().Texts)

	long := `{ conversation(id: "c1") { timeline { a` + strings.Repeat("a", 2_000) + `: id } } }`
	for range 3 {
		_, errs := s.ask(t, long, nil)
		require.Empty(t, errs)
	}
	assert.Zero(t, cache.Stats().Texts, "too long to be told from others")
}

// Promise 5: rows of one id and place are told apart by their values. With -race: whoever asks, whenever.
func TestCacheIsSharedAtOnce(t *testing.T) {
	var timelines [][]projection.Row
	var want []string
	plain := serve(nil)
	send := follow(t, plain, contents)
	for conversation := range 4 {
		state := projection.New("c1")
		for i := range 20 {
			state.Apply(frame(wire.MessageEnd, wire.Body{ID: fmt.Sprint("m", i), Content: fmt.Sprint(conversation, " says ", i), HasContent: true}))
			timelines = append(timelines, state.Snapshot().Timeline())
			want = append(want, send(timelines[len(timelines)-1]))
		}
	}
	cache := encoded.NewCache(40 << 10) // some are always on their way out
	var all sync.WaitGroup
	for worker := range 8 {
		send := follow(t, serve(cache), contents)
		all.Go(func() {
			for i := range 400 {
				n := (worker*31 + i*7) % len(timelines)
				if got := send(timelines[n]); got != want[n] {
					t.Errorf("want %s\ngot  %s", want[n], got)
					return
				}
			}
		})
	}
	all.Wait()
	assert.NotZero(t, cache.Stats().Hits)
}
