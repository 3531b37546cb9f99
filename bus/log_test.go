package bus

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/projection"
)

func skipped(offset int64) *Record {
	return &Record{Kind: Told, Inputs: []projection.Input{projection.Skipped{Offset: offset}}}
}

func offsetOf(r *Record) int64 { return r.Inputs[0].(projection.Skipped).Offset }

// Promises 1 and 2: many writers, each behind what it has seen, and every follower sees one order, with no gap.
func TestOrderedAndFenced(t *testing.T) {
	s := startServer(t, 0)
	const writers, each = 4, 25
	var group sync.WaitGroup
	for w := range writers {
		b := open(t, Options{URL: s.ClientURL()})
		group.Go(func() {
			l := b.Log("tenant", "conversation")
			for i := range each {
				for {
					after, err := l.Last(t.Context())
					if !assert.NoError(t, err) {
						return
					}
					_, err = l.Append(t.Context(), after, skipped(int64(w*each+i)))
					if err == nil {
						break
					}
					if !assert.ErrorIs(t, err, ErrBehind) {
						return
					}
				}
			}
		})
	}
	reader := open(t, Options{URL: s.ClientURL()})
	live := follow(t, reader.Log("tenant", "conversation"), 0)
	group.Wait()
	await(t, func() bool { return len(live.records()) == writers*each })
	later := follow(t, reader.Log("tenant", "conversation"), 0)
	await(t, func() bool { return len(later.records()) == writers*each })
	assert.Equal(t, live.list(), later.list())
	last := map[int64]int64{}
	for i, e := range live.list() {
		assert.False(t, e.Gap, "event %d", i)
		n := offsetOf(e.Record)
		next, known := last[n/each]
		assert.True(t, !known && n%each == 0 || n == next+1, "a writer's records are in its order")
		last[n/each] = n
	}
	middle := live.list()[50].Seq
	rest := follow(t, reader.Log("tenant", "conversation"), middle)
	await(t, func() bool { return len(rest.records()) == writers*each-51 })
	assert.Equal(t, live.list()[51:], rest.list())
}

// Promise 2: whoever has not seen the latest is told, and its record is not there.
func TestBehind(t *testing.T) {
	b := embedded(t)
	l := b.Log("t", "c")
	first, err := l.Append(t.Context(), 0, skipped(1))
	require.NoError(t, err)
	_, err = l.Append(t.Context(), 0, skipped(2))
	require.ErrorIs(t, err, ErrBehind)
	second, err := l.Append(t.Context(), first, skipped(3))
	require.NoError(t, err)
	_, err = l.Append(t.Context(), first, skipped(4))
	require.ErrorIs(t, err, ErrBehind)
	last, err := l.Last(t.Context())
	require.NoError(t, err)
	assert.Equal(t, second, last)
	e := follow(t, l, 0)
	await(t, func() bool { return len(e.records()) == 2 })
	stats := b.Stats()
	assert.EqualValues(t, 2, stats.Behind)
	assert.EqualValues(t, 2, stats.Appended)
	assert.EqualValues(t, 2, stats.Delivered)
	assert.Equal(t, 1, stats.Following)
	assert.Positive(t, stats.Lag)
	assert.True(t, stats.Ready)
}

// Promise 2: the same record, told again because its answer was lost, is there once.
func TestRepeatedAppend(t *testing.T) {
	b := embedded(t)
	l := b.Log("t", "c")
	r := skipped(1)
	first, err := l.Append(t.Context(), 0, r)
	require.NoError(t, err)
	again, err := l.Append(t.Context(), 0, r)
	if err == nil {
		assert.Equal(t, first, again)
	} else {
		require.ErrorIs(t, err, ErrBehind)
	}
	e := follow(t, l, 0)
	await(t, func() bool { return len(e.records()) == 1 })
	assert.Equal(t, r.ID, e.records()[0].ID)
	last, err := l.Last(t.Context())
	require.NoError(t, err)
	assert.Equal(t, first, last)
}

// Promise 3: a record that is longer than a message may be arrives whole.
func TestLongRecord(t *testing.T) {
	b := embedded(t)
	l := b.Log("t", "c")
	r := &Record{Kind: Told}
	for i := range 40 {
		r.Inputs = append(r.Inputs, frame(t, fmt.Sprintf(`{"type":"message.delta","offset":%d,"node_id":"n","content":%q}`, i+1, strings.Repeat("x", 100_000))))
	}
	last, err := l.Append(t.Context(), 0, r)
	require.NoError(t, err)
	e := follow(t, l, 0)
	await(t, func() bool { return len(e.records()) == 1 })
	got := e.records()[0]
	got.ID, r.ID = "", ""
	want, err := r.encode()
	require.NoError(t, err)
	text, err := got.encode()
	require.NoError(t, err)
	assert.Equal(t, want, text)
	assert.Greater(t, len(e.list()), 5)
	assert.Equal(t, last, e.list()[len(e.list())-1].Seq)
}

// raw publishes a message of anybody's making on a conversation's log.
func raw(t *testing.T, b *Bus, l *Log, header nats.Header, text string) {
	t.Helper()
	_, err := b.js.PublishMsg(t.Context(), &nats.Msg{Subject: l.subject, Header: header, Data: []byte(text)})
	require.NoError(t, err)
}

// Promises 3 and 6: what is foreign, malformed, torn or newer is passed over and counted, and what follows it is read.
func TestForeignMessages(t *testing.T) {
	b := embedded(t)
	l := b.Log("t", "c")
	stream, err := b.js.Stream(t.Context(), l.stream)
	require.NoError(t, err)
	base := stream.CachedInfo().State.LastSeq
	header := func(format, behind, part, id string) nats.Header {
		h := nats.Header{}
		expected := ""
		if n, err := strconv.ParseUint(behind, 10, 64); err == nil {
			expected = strconv.FormatUint(base+n, 10)
		}
		for name, value := range map[string]string{headerFormat: format, jetstream.ExpectedLastSubjSeqHeader: expected, headerPart: part, nats.MsgIdHdr: id} {
			if value != "" {
				h.Set(name, value)
			}
		}
		return h
	}
	good := `{"kind":"show","by":"x"}` + "\n"
	for _, m := range []struct {
		header nats.Header
		text   string
	}{
		{nil, "hello"},
		{header("x", "1", "", "a"), good},
		{header("1", "", "", "b"), good},
		{header("1", "3", "", "c"), "{}"},
		{header("1", "4", "2/3", "d/2"), good},
		{header("1", "5", "4/3", "e/4"), good},
		{header("1", "6", "1/2", "f/1"), good}, // and no second part
		{header("2", "7", "", "g"), "?"},
		{header("1", "8", "", "h"), good},
	} {
		raw(t, b, l, m.header, m.text)
	}
	e := follow(t, l, 0)
	await(t, func() bool { return len(e.list()) == 9 })
	for i, one := range e.list() {
		assert.Equal(t, i == 8, one.Record != nil, "message %d", i)
		assert.Equal(t, i == 7, one.Newer, "message %d", i)
		assert.False(t, one.Gap, "message %d", i)
	}
	assert.Equal(t, map[string]int64{reasonForeign: 3, reasonMalformed: 2, reasonTorn: 1, reasonNewer: 1}, b.Stats().Rejected)
	_, err = l.Append(t.Context(), base+9, skipped(1))
	require.NoError(t, err)
}

// Promises 4 and 10: what was cut off is told as a gap, and an append behind it as it should be.
func TestGap(t *testing.T) {
	b := embedded(t)
	l := b.Log("t", "c")
	var at []uint64
	after := uint64(0)
	for i := range 5 {
		seq, err := l.Append(t.Context(), after, skipped(int64(i)))
		require.NoError(t, err)
		after = seq
		at = append(at, seq)
	}
	require.NoError(t, l.Cut(t.Context(), at[3]))
	e := follow(t, l, at[1])
	await(t, func() bool { return len(e.records()) == 2 })
	assert.True(t, e.list()[0].Gap)
	assert.False(t, e.list()[1].Gap)
	assert.EqualValues(t, 1, b.Stats().Gaps)
	_, err := l.Append(t.Context(), after, skipped(9))
	require.NoError(t, err)
}

// Promise 5: names that look alike are apart, and none reaches another subject.
func TestApart(t *testing.T) {
	names := [][2]string{{"a", "b"}, {"ab", ""}, {"", "ab"}, {"a.b", "c"}, {"a", "b.c"}, {"*", ">"}, {">", "*"}, {"a b", "\n"}, {"\x01a", "b"}, {"t", "../x"}}
	seen := map[string]bool{}
	for _, name := range names {
		stream, subject := subjectOf("", name[0], name[1])
		assert.Regexp(t, `^INLAY_[01]\d$`, stream)
		assert.Regexp(t, `^inlay\.log\.[01]\d\.[a-z2-7]{40}$`, subject)
		assert.Equal(t, stream[6:], subject[10:12])
		assert.False(t, seen[subject])
		seen[subject] = true
	}
	b := embedded(t)
	for i, name := range names {
		_, err := b.Log(name[0], name[1]).Append(t.Context(), 0, skipped(int64(i)))
		require.NoError(t, err)
	}
	for i, name := range names {
		e := follow(t, b.Log(name[0], name[1]), 0)
		await(t, func() bool { return len(e.records()) == 1 })
		assert.EqualValues(t, i, offsetOf(e.records()[0]))
	}
}

// Promise 9: without the server every call answers soon, what was appended meanwhile is nowhere, and when it is back
// following goes on without a gap or a double.
func TestOutage(t *testing.T) {
	s := startServer(t, 0)
	b := open(t, Options{URL: s.ClientURL(), AppendLimit: time.Second})
	l := b.Log("t", "c")
	e := follow(t, l, 0)
	seq, err := l.Append(t.Context(), 0, skipped(1))
	require.NoError(t, err)
	await(t, func() bool { return len(e.records()) == 1 })
	s.stop()
	await(t, func() bool { return b.Ready() != nil })
	_, err = l.Append(t.Context(), seq, skipped(2))
	require.ErrorIs(t, err, ErrAway)
	_, err = l.Last(t.Context())
	require.ErrorIs(t, err, ErrAway)
	_, err = l.Follow(t.Context(), 0, func(Event) {})
	require.ErrorIs(t, err, ErrAway)
	s.start(t, 0)
	await(t, func() bool { return b.Ready() == nil })
	for i := range 3 {
		seq, err = l.Append(t.Context(), seq, skipped(int64(3+i)))
		require.NoError(t, err)
	}
	await(t, func() bool { return len(e.records()) == 4 })
	for i, r := range e.records() {
		assert.EqualValues(t, []int64{1, 3, 4, 5}[i], offsetOf(r))
		assert.False(t, e.list()[i].Gap)
	}
	assert.EqualValues(t, 1, b.Stats().Outages)
}

// Promise 9: a full bus refuses what is appended at once, and what it has is read on.
func TestFull(t *testing.T) {
	b := open(t, Options{URL: Embedded, Dir: t.TempDir(), MaxBytes: 16 << 20})
	l := b.Log("t", "c")
	stream, err := b.js.Stream(t.Context(), l.stream)
	require.NoError(t, err)
	config := stream.CachedInfo().Config
	config.Discard, config.MaxBytes = jetstream.DiscardNew, 100_000 // as a full disk does
	_, err = b.js.UpdateStream(t.Context(), config)
	require.NoError(t, err)
	r := skipped(1)
	r.Inputs = append(r.Inputs, frame(t, fmt.Sprintf(`{"type":"message.delta","offset":1,"node_id":"n","content":%q}`, strings.Repeat("x", 60_000))))
	seq, err := l.Append(t.Context(), 0, r)
	require.NoError(t, err)
	r.ID = ""
	began := time.Now()
	_, err = l.Append(t.Context(), seq, r)
	require.ErrorIs(t, err, ErrRefused)
	assert.Less(t, time.Since(began), b.opts.AppendLimit)
	e := follow(t, l, 0)
	await(t, func() bool { return len(e.records()) == 1 })
}
