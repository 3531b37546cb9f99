package conversation

import (
	"os"
	"path/filepath"
	"testing"

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
			reaches(t, second.live, p)
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

// Promise 32: the same of NATS that comes back without the latest records, as a machine that lost its power may: places are
// dealt again, to other records.
func TestSharedTailGone(t *testing.T) {
	for name, told := range map[string]int{"shorter than it was": 3, "longer than it was": 50} {
		t.Run(name, func(t *testing.T) {
			s := chat(2, 100)
			p := newFake(s, 5)
			all, server := instances(t, newWorld(p), 3, Options{})
			first := watchAs(t, openAs(t, all[0].Hub, user("a", 0)))
			second := watchAs(t, openAs(t, all[1].Hub, user("b", 0)))
			third := watchAs(t, openAs(t, all[2].Hub, user("c", 0)))
			tell := func(n int) {
				for range n {
					p.play(1)
					reaches(t, first.live, p)
				}
			}
			again := func(change func()) {
				server.stop()
				for _, at := range all {
					eventually(t, func() bool { return at.bus.Ready() != nil })
				}
				change()
				server.start(t)
				for _, at := range all {
					eventually(t, func() bool { return at.bus.Ready() == nil })
				}
			}
			kept := filepath.Join(t.TempDir(), "kept")
			tell(10)
			again(func() { require.NoError(t, os.CopyFS(kept, os.DirFS(server.dir))) })
			tell(20)
			reaches(t, second.live, p)
			reaches(t, third.live, p)
			again(func() {
				require.NoError(t, os.RemoveAll(server.dir))
				require.NoError(t, os.CopyFS(server.dir, os.DirFS(kept)))
				third.live.shared.pause() // one that follows anew
			})
			tell(told)
			reaches(t, second.live, p)
			p.playTo(framesOf(100))
			for _, v := range []*viewer{first, second, third} {
				reaches(t, v.live, p)
				v.leave()
				assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
			}
		})
	}
}
