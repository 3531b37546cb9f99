package conversation

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Promise 27: what a stream says within Gather of a record is one record, in its order, at every instance.
func TestSharedGathers(t *testing.T) {
	const gather = time.Second
	p := newFake(chat(1, 60), 5)
	all, _ := instances(t, newWorld(p), 2, Options{Gather: gather})
	first := watchAs(t, openAs(t, all[0].Hub, user("a", 0)))
	second := watchAs(t, openAs(t, all[1].Hub, user("b", 0)))
	reaches(t, first.live, p)
	before := all[0].bus.Stats()
	began := time.Now()
	for range 40 {
		p.play(1)
		time.Sleep(2 * time.Millisecond)
	}
	reaches(t, first.live, p)
	reaches(t, second.live, p)
	after := all[0].bus.Stats()
	assert.LessOrEqual(t, after.Appended-before.Appended, int64(2+time.Since(began)/gather))
	assert.EqualValues(t, 40, after.Inputs-before.Inputs)
	p.playTo(framesOf(60))
	finish(t, p, 0, first, second)
}

// Promise 27: what a stream says first waits for nothing, and nothing that is gathered holds up a hub that closes.
func TestSharedGathersAtOnceAtFirst(t *testing.T) {
	p := newFake(chat(1, 10), 5)
	all, _ := instances(t, newWorld(p), 1, Options{Gather: time.Hour})
	first := watchAs(t, openAs(t, all[0].Hub, user("a", 0)))
	reaches(t, first.live, p)
	p.play(2)
}
