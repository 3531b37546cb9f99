package conversation

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/projection"
)

// Promise 27: whoever looks from whichever instance sees the same, and upstream is read once.
func TestSharedByAll(t *testing.T) {
	s := chat(3, 20)
	p := newFake(s, framesOf(20)+9)
	all, _ := instances(t, newWorld(p), 3, Options{})
	var viewers []*viewer
	for i, at := range all {
		name := string(rune('a' + i))
		l := openAs(t, at.Hub, user(name, 0))
		reaches(t, l.Live, p)
		viewers = append(viewers, watchAs(t, l), watchAs(t, l))
	}
	for p.at() < 2*framesOf(20) {
		p.play(1)
		time.Sleep(time.Millisecond)
	}
	for _, v := range viewers {
		reaches(t, v.live, p)
	}
	owners := 0
	for _, at := range all {
		if at.owns() {
			owners++
		}
	}
	assert.Equal(t, 1, owners)
	assert.Equal(t, 1, p.most, "one stream at a time")
	late := watchAs(t, openAs(t, all[1].Hub, user("z", 0)))
	facts := factsOf(t, late.live.Conversation(), true)
	for _, v := range viewers {
		assert.Equal(t, facts, factsOf(t, v.live.Conversation(), true))
	}
	finish(t, p, 0, append(viewers, late)...)
}

// Promise 29: the death of the instance that reads is seen within its lease; another goes on behind the last frame that
// was folded, and no viewer of it loses, doubles or goes back.
func TestSharedTakeover(t *testing.T) {
	s := chat(2, 60)
	p := newFake(s, 5)
	all, _ := instances(t, newWorld(p), 3, Options{})
	first := watchAs(t, openAs(t, all[0].Hub, user("a", 0)))
	require.True(t, all[0].owns())
	second := watchAs(t, openAs(t, all[1].Hub, user("b", 0)))
	third := watchAs(t, openAs(t, all[2].Hub, user("c", 0)))
	for p.at() < 30 {
		p.play(1)
		time.Sleep(2 * time.Millisecond)
	}
	reaches(t, first.live, p)
	all[0].kill()
	p.play(10)
	killed := time.Now()
	eventually(t, func() bool { return all[1].owns() || all[2].owns() })
	reaches(t, second.live, p)
	t.Logf("taken over after %v", time.Since(killed))
	p.playTo(framesOf(60))
	reaches(t, second.live, p)
	p.attachedBehind(t, 30)
	finish(t, p, 0, second, third)
	first.leave()
}

// attachedBehind: upstream was gone on with behind a frame, not read anew.
func (p *fake) attachedBehind(t *testing.T, offset int64) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	require.NotEmpty(t, p.attached)
	assert.GreaterOrEqual(t, p.attached[len(p.attached)-1], offset)
	assert.Equal(t, 1, p.calls["rows"], "the window was read once")
}

// Promise 29: an instance whose viewers have left gives the reading up, and one that has some goes on with its own token.
func TestSharedYield(t *testing.T) {
	s := chat(1, 60)
	p := newFake(s, 5)
	all, _ := instances(t, newWorld(p), 2, Options{Linger: 100 * time.Millisecond})
	first := watchAs(t, openAs(t, all[0].Hub, user("a", 0)))
	require.True(t, all[0].owns())
	second := watchAs(t, openAs(t, all[1].Hub, user("b", 0)))
	p.playTo(20)
	reaches(t, second.live, p)
	p.with("stream")
	first.leave()
	p.playTo(30)
	eventually(t, all[1].owns)
	reaches(t, second.live, p)
	eventually(t, func() bool { return p.open() == 1 })
	assert.Equal(t, []string{"b"}, p.with("stream"))
	p.playTo(framesOf(60))
	finish(t, p, 0, second)
	assert.Equal(t, 1, p.most)
}

// Promise 30: a cursor that one instance gave holds on another, which had not followed that slice, or nothing at all.
func TestSharedCursor(t *testing.T) {
	s := chat(2, 60)
	p := newFake(s, 5)
	w := newWorld(p)
	all, server := instances(t, w, 2, Options{})
	first := watchAs(t, openAs(t, all[0].Hub, user("a", 0)))
	second := watchAs(t, openAs(t, all[1].Hub, user("b", 0)))
	p.playTo(30)
	reaches(t, second.live, p)
	third := instanceOn(t, server, w, Options{})
	for _, node := range []projection.RowSlice{everything, {Path: []string{"answer"}}} {
		c := openAs(t, all[0].Hub, user("a", 0)).Changes(node, "", 0)
		var mine copied
		mine.next(t, c)
		cursor := mine
		c.Close()
		p.play(5)
		reaches(t, second.live, p)
		for _, at := range []instance{all[1], third} {
			l := openAs(t, at.Hub, user("a", 0))
			reaches(t, l.Live, p)
			again := l.Changes(node, cursor.cursor, 0)
			mine = cursor
			mine.rows = append(mine.rows[:0:0], cursor.rows...)
			mine.next(t, again)
			again.Close()
			assert.Equal(t, rowsOf(l.Live, node), mine.rows)
			assert.Equal(t, 1, mine.resets, "it went on")
		}
	}
	finish(t, p, 0, first, second)
}

// Promise 27: a message in the conversation at an instance that does not read it is answered there, and everybody follows
// its run.
func TestSharedSend(t *testing.T) {
	s := chat(3, 20)
	p := newFake(s, framesOf(20))
	all, _ := instances(t, newWorld(p), 2, Options{Linger: 100 * time.Millisecond})
	first := watchAs(t, openAs(t, all[0].Hub, user("a", 0)))
	second := watchAs(t, openAs(t, all[1].Hub, user("b", 0)))
	for turn := 2; turn <= 3; turn++ {
		sent := goOn(t, all[1-turn%2].Hub, "c")
		assert.Equal(t, conv, sent.Conversation.ID())
		assert.Equal(t, projection.ChatStreaming, sent.Conversation.Snapshot().Status())
		for p.at() < turn*framesOf(20) {
			p.play(1)
			time.Sleep(time.Millisecond)
		}
		reaches(t, first.live, p)
		reaches(t, second.live, p)
	}
	assert.Equal(t, "cancel send", may(first.live))
	finish(t, p, 0, first, second)
}

// A conversation that begins with a message at one instance is there at the other.
func TestSharedSendBegins(t *testing.T) {
	s := tale("new")
	s.turn(1, 20)
	p := newFake(s.told(), 0)
	w := newWorld(newFake(chat(1, 1), 1))
	w.next = []*fake{p}
	all, _ := instances(t, w, 2, Options{})
	sent, err := all[0].Send(t.Context(), user("a", 0), to("", "hello"))
	require.NoError(t, err)
	assert.Equal(t, "new", sent.Conversation.ID())
	p.play(10)
	v, err := all[1].Open(t.Context(), user("b", 0), "new")
	require.NoError(t, err)
	there := watchAs(t, v)
	p.playTo(len(s.frames))
	finish(t, p, 0, there)
}
