package conversation

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/bus"
	"inlaygraph/coded"
	"inlaygraph/tests/gen"
)

// Promise 32: while the bus is away what is in memory is served, what needs it is refused, and when it is back everybody
// goes on without a gap, a double or a reset.
func TestSharedBusAway(t *testing.T) {
	s := chat(2, 60)
	p := newFake(s, 5)
	w := newWorld(p, newFake(tale("other").told(), 0))
	all, server := instances(t, w, 2, Options{})
	first := watchAs(t, openAs(t, all[0].Hub, user("a", 0)))
	second := watchAs(t, openAs(t, all[1].Hub, user("b", 0)))
	p.playTo(30)
	reaches(t, first.live, p)
	reaches(t, second.live, p)
	server.stop()
	for _, at := range all {
		eventually(t, func() bool { return at.bus.Ready() != nil })
	}
	p.play(10)
	for _, at := range all {
		v := openAs(t, at.Hub, user("c", 0))
		assert.Greater(t, sizeOf(v.Conversation()), 30)
		_, err := at.Open(t.Context(), user("c", 0), "other")
		e := new(coded.Error)
		require.ErrorAs(t, err, &e)
		assert.Equal(t, coded.UpstreamUnavailable, e.Code)
		_, err = at.Cancel(t.Context(), user("c", 0), conv)
		require.ErrorAs(t, err, &e)
		assert.Equal(t, coded.UpstreamUnavailable, e.Code)
	}
	server.start(t)
	for p.at() < framesOf(60)-1 {
		p.play(1)
		time.Sleep(10 * time.Millisecond)
	}
	reaches(t, first.live, p)
	p.playTo(framesOf(60))
	finish(t, p, 0, first, second)
	assert.Equal(t, "cancel send", may(openAs(t, all[1].Hub, user("c", 0)).Live))
}

// Promise 33: a server that is started again on its own files goes on where it was, and cursors hold.
func TestSharedRestart(t *testing.T) {
	s := chat(2, 30)
	p := newFake(s, framesOf(30)+5)
	w := newWorld(p)
	opts := bus.Options{URL: bus.Embedded, Dir: t.TempDir()}
	b := joinBus(t, opts)
	h := hubOn(t, w, Options{Bus: b})
	v := watchAs(t, openAs(t, h, user("a", 0)))
	p.playTo(framesOf(30) + 10)
	reaches(t, v.live, p)
	v.done(0)
	kept := v.copy
	h.Close()
	b.Close()
	p.set(func() { p.latency = 20 * time.Millisecond })
	p.called()
	again := hubOn(t, w, Options{Bus: joinBus(t, opts)})
	l := openAs(t, again, user("a", 0))
	c := l.Changes(everything, kept.cursor, 0)
	defer c.Close()
	m, err := c.Next(t.Context())
	require.NoError(t, err)
	kept.take(t, m)
	p.playTo(len(s.frames))
	reaches(t, l.Live, p)
	kept.next(t, c)
	assert.Equal(t, rowsOf(l.Live, everything), kept.rows)
	assert.Equal(t, 1, kept.resets)
	assert.Zero(t, p.called()["rows"], "the window is not read again")
}

// Promise 32: what stands on a conversation's log that no instance wrote changes nothing and is counted; what a newer
// server wrote ends who follows here, and is not served as if it were known.
func TestSharedForeign(t *testing.T) {
	s := chat(1, 30)
	p := newFake(s, 5)
	all, server := instances(t, newWorld(p), 2, Options{})
	first := watchAs(t, openAs(t, all[0].Hub, user("a", 0)))
	second := watchAs(t, openAs(t, all[1].Hub, user("b", 0)))
	nc, err := nats.Connect(server.ClientURL())
	require.NoError(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	subject := subjectOf(t, js)
	for i := range 20 {
		_, err := js.Publish(t.Context(), subject, []byte(strings.Repeat("x", i)))
		require.NoError(t, err)
		p.play(1)
	}
	reaches(t, first.live, p)
	reaches(t, second.live, p)
	assert.EqualValues(t, 20, all[1].bus.Stats().Rejected["foreign"])
	stream, err := js.Stream(t.Context(), streamOf(t, js))
	require.NoError(t, err)
	last, err := stream.GetLastMsgForSubject(t.Context(), subject)
	require.NoError(t, err)
	msg := nats.NewMsg(subject)
	msg.Header.Set("Inlay-Format", "99")
	_, err = js.PublishMsg(t.Context(), msg, jetstream.WithExpectLastSequencePerSubject(last.Sequence), jetstream.WithMsgID("newer"))
	require.NoError(t, err)
	for _, v := range []*viewer{first, second} {
		eventually(t, v.ended.Load)
		e := new(coded.Error)
		require.ErrorAs(t, v.err, &e)
		assert.Equal(t, coded.UpstreamUnavailable, e.Code)
	}
}

// Promise 32: while the bus takes nothing more, what is there is read and followed, what needs it is refused soon, and with
// room again everybody goes on.
func TestSharedFull(t *testing.T) {
	s := chat(2, 60)
	p := newFake(s, 5)
	all, server := instances(t, newWorld(p), 2, Options{})
	first := watchAs(t, openAs(t, all[0].Hub, user("a", 0)))
	second := watchAs(t, openAs(t, all[1].Hub, user("b", 0)))
	p.playTo(30)
	reaches(t, first.live, p)
	reaches(t, second.live, p)
	nc, err := nats.Connect(server.ClientURL())
	require.NoError(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	stream, err := js.Stream(t.Context(), streamOf(t, js))
	require.NoError(t, err)
	config := stream.CachedInfo().Config
	full := config
	full.Discard, full.MaxBytes = jetstream.DiscardNew, 1024 // as a disk that is full
	_, err = js.UpdateStream(t.Context(), full)
	require.NoError(t, err)
	p.play(10)
	for _, at := range all {
		v := openAs(t, at.Hub, user("c", 0))
		assert.Greater(t, sizeOf(v.Conversation()), 30)
		_, err := at.Cancel(t.Context(), user("c", 0), conv)
		e := new(coded.Error)
		require.ErrorAs(t, err, &e)
		assert.Equal(t, coded.UpstreamUnavailable, e.Code)
	}
	assert.False(t, first.ended.Load())
	_, err = js.UpdateStream(t.Context(), config)
	require.NoError(t, err)
	reaches(t, first.live, p)
	p.playTo(framesOf(60))
	finish(t, p, 0, first, second)
}

// Promise 32: a log that has lost its beginning alone, as the oldest records go, is begun anew by who joins, at once.
func TestSharedLogCut(t *testing.T) {
	s := chat(1, 60)
	p := newFake(s, 5)
	w := newWorld(p)
	all, server := instances(t, w, 1, Options{})
	first := watchAs(t, openAs(t, all[0].Hub, user("a", 0)))
	for p.at() < 20 {
		p.play(1)
		reaches(t, first.live, p)
	}
	nc, err := nats.Connect(server.ClientURL())
	require.NoError(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	stream, err := js.Stream(t.Context(), streamOf(t, js))
	require.NoError(t, err)
	require.NoError(t, stream.Purge(t.Context(), jetstream.WithPurgeKeep(3)))
	began := time.Now()
	second := watchAs(t, openAs(t, instanceOn(t, server, w, Options{}).Hub, user("b", 0)))
	reaches(t, second.live, p)
	assert.Less(t, time.Since(began), 15*time.Second)
	p.playTo(30)
	finish(t, p, 1, first)
	finish(t, p, 0, second)
}

// Promise 27: no token is on the bus, whoever does what.
func TestSharedNoTokens(t *testing.T) {
	s := waits("c1")
	p := newFake(s, untilWaiting(1))
	all, server := instances(t, newWorld(p), 2, Options{})
	const token = "the-token-of-ann"
	first := watchAs(t, openAs(t, all[0].Hub, user(token, 0)))
	second := watchAs(t, openAs(t, all[1].Hub, user(token, 0)))
	require.NoError(t, submit(t, all[1].Hub, token, "c1", "out of c1"))
	p.playTo(len(s.frames))
	finish(t, p, 0, first, second)
	_, err := all[0].Send(t.Context(), user(token, 0), to(conv, "more").as("r1"))
	require.Error(t, err, "the story has no more runs")
	nc, err := nats.Connect(server.ClientURL())
	require.NoError(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	seen := 0
	for info := range js.ListStreams(t.Context()).Info() {
		stream, err := js.Stream(t.Context(), info.Config.Name)
		require.NoError(t, err)
		for seq := info.State.FirstSeq; seq > 0 && seq <= info.State.LastSeq; seq++ {
			msg, err := stream.GetMsg(t.Context(), seq)
			if err != nil {
				require.ErrorIs(t, err, jetstream.ErrMsgNotFound) // it was cut off
				continue
			}
			seen++
			assert.NotContains(t, string(msg.Data), token)
			assert.NotContains(t, msg.Subject, token)
			for name, values := range msg.Header {
				assert.NotContains(t, name+strings.Join(values, " "), token)
			}
		}
	}
	assert.Greater(t, seen, 5)
}

// streamOf is the one stream that has messages, and subjectOf what it has them of.
func streamOf(t *testing.T, js jetstream.JetStream) string {
	t.Helper()
	for info := range js.ListStreams(t.Context()).Info() {
		if strings.HasPrefix(info.Config.Name, "INLAY_") && info.State.Msgs > 0 {
			return info.Config.Name
		}
	}
	require.Fail(t, "no stream has messages")
	return ""
}

func subjectOf(t *testing.T, js jetstream.JetStream) string {
	t.Helper()
	stream, err := js.Stream(t.Context(), streamOf(t, js))
	require.NoError(t, err)
	info, err := stream.Info(t.Context(), jetstream.WithSubjectFilter(">"))
	require.NoError(t, err)
	for subject := range info.State.Subjects {
		return subject
	}
	require.Fail(t, "the stream has no subject")
	return ""
}

// Promise 32: a log that was lost is begun anew from upstream, with one reset for those who were there.
func TestSharedLogLost(t *testing.T) {
	s := chat(2, 30)
	p := newFake(s, 5)
	w := newWorld(p)
	all, server := instances(t, w, 2, Options{})
	first := watchAs(t, openAs(t, all[0].Hub, user("a", 0)))
	second := watchAs(t, openAs(t, all[1].Hub, user("b", 0)))
	p.playTo(20)
	reaches(t, first.live, p)
	reaches(t, second.live, p)
	nc, err := nats.Connect(server.ClientURL())
	require.NoError(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	stream, err := js.Stream(t.Context(), streamOf(t, js))
	require.NoError(t, err)
	require.NoError(t, stream.Purge(t.Context()))
	p.play(5)
	reaches(t, first.live, p)
	reaches(t, second.live, p)
	third := watchAs(t, openAs(t, instanceOn(t, server, w, Options{}).Hub, user("c", 0)))
	p.playTo(framesOf(30))
	for _, v := range []*viewer{first, second, third} {
		reaches(t, v.live, p)
		v.leave()
		assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
		assert.LessOrEqual(t, v.copy.resets, 2)
	}
}

// Promise 28: a log that has grown long is begun anew between runs, and whoever joins then has the same.
func TestSharedLongLog(t *testing.T) {
	s := chat(4, 60)
	p := newFake(s, framesOf(60))
	w := newWorld(p)
	all, server := instances(t, w, 2, Options{LongLog: 100, IdlePoll: 50 * time.Millisecond})
	first := watchAs(t, openAs(t, all[0].Hub, user("a", 0)))
	second := watchAs(t, openAs(t, all[1].Hub, user("b", 0)))
	for turn := 2; turn <= 4; turn++ {
		p.playTo(turn*framesOf(60) - 1)
		eventually(t, func() bool { return p.open() == 1 })
		p.playTo(turn * framesOf(60))
		reaches(t, first.live, p)
		reaches(t, second.live, p)
	}
	eventually(t, func() bool {
		return all[0].Stats().Reloads+all[1].Stats().Reloads > 0
	})
	third := watchAs(t, openAs(t, instanceOn(t, server, w, Options{}).Hub, user("c", 0)))
	for _, v := range []*viewer{first, second, third} {
		reaches(t, v.live, p)
		v.leave()
		assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
	}
}

// Promise 28: whatever a platform tells, every instance has the same rows at the same places, whether it was there from the
// start or has joined, and whoever widened the window.
func TestSharedSame(t *testing.T) {
	server := startNATS(t)
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		if n++; n > 12 { // each takes its time
			return
		}
		run := gen.NewRunOf(r, gen.Style{IDs: true, Seqs: true, Activations: true, Times: true})
		s := drawn(run)
		p := newFake(s, rapid.IntRange(1, len(s.frames)).Draw(r, "sent"))
		w := newWorld(p)
		prefix := rapid.StringMatching("[a-z]{12}").Draw(r, "tenant")
		opts := Options{WindowRows: rapid.IntRange(1, 10).Draw(r, "window"), MaxWindowRows: 12, IdlePoll: 20 * time.Millisecond}
		var lives []*Live
		join := func() instance {
			b, err := bus.Open(t.Context(), bus.Options{URL: server.ClientURL(), MaxBytes: 256 << 20})
			require.NoError(t, err)
			t.Cleanup(b.Close)
			o := opts
			o.Bus = b
			at := instance{hubOn(t, w, o), b}
			v, err := at.Open(t.Context(), userOf(prefix, "u", 0), p.id())
			require.NoError(t, err)
			sub := v.Subscribe(timelineSlice, 0)
			t.Cleanup(sub.Close)
			lives = append(lives, v.Live)
			return at
		}
		a, b := join(), join()
		for p.at() < len(s.frames) {
			p.play(rapid.IntRange(1, 10).Draw(r, "some"))
			if rapid.Bool().Draw(r, "widen") {
				_, err := []instance{a, b}[p.at()%2].LoadEarlier(t.Context(), userOf(prefix, "u", 0), p.id(), 3)
				if e, ok := err.(*coded.Error); ok && e.Code == coded.Conflict {
					err = nil
				}
				require.NoError(t, err)
			}
		}
		reachesStatus(t, lives[0], p)
		join()
		eventually(t, func() bool {
			one := said(t, factsOf(t, lives[0].Conversation(), true))
			for _, l := range lives[1:] {
				if said(t, factsOf(t, l.Conversation(), true)) != one {
					return false
				}
			}
			return true
		})
	})
}

// reachesStatus waits until the run's end is there.
func reachesStatus(t *testing.T, l *Live, p *fake) {
	t.Helper()
	eventually(t, func() bool { return l.Conversation().Snapshot().Status() == statusOf(p) })
}
