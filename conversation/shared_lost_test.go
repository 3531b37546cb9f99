package conversation

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Promise 32: NATS that comes back without its files deals places from the beginning again. Nobody takes the new log for
// the rest of the old one, however long each has become, nor waits for it to be as long.
func TestSharedFilesGone(t *testing.T) {
	for name, told := range map[string]int{"shorter than it was": 3, "longer than it was": 50} {
		t.Run(name, func(t *testing.T) {
			s := chat(2, 100)
			p := newFake(s, 5)
			all, server := instances(t, newWorld(p), 2, Options{})
			first := watchAs(t, openAs(t, all[0].Hub, user("a", 0)))
			second := watchAs(t, openAs(t, all[1].Hub, user("b", 0)))
			for p.at() < 25 {
				p.play(1)
				reaches(t, first.live, p)
			}
			reaches(t, second.live, p)
			server.stop()
			for _, at := range all {
				eventually(t, func() bool { return at.bus.Ready() != nil })
			}
			require.NoError(t, os.RemoveAll(server.dir))
			server.start(t)
			for _, at := range all {
				eventually(t, func() bool { return at.bus.Ready() == nil })
			}
			for range told {
				p.play(1)
				reaches(t, first.live, p)
			}
			began := time.Now()
			reaches(t, second.live, p)
			t.Log("the follower was there after", time.Since(began))
			p.playTo(framesOf(100))
			for _, v := range []*viewer{first, second} {
				reaches(t, v.live, p)
				v.leave()
				assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
				assert.LessOrEqual(t, v.copy.resets, 2)
			}
		})
	}
}
