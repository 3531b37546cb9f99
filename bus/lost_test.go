package bus

import (
	"math"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Promise 4: a log of a server that lost its files, or whose stream somebody deleted, goes on at places of its own: whoever
// followed the lost one gets the whole of the new one, behind a gap, though it was written up to the same number of records.
func TestLost(t *testing.T) {
	for name, lose := range map[string]func(*testing.T, *natsServer, *Bus, *Log){
		"files": func(t *testing.T, s *natsServer, b *Bus, _ *Log) {
			s.stop()
			await(t, func() bool { return b.Ready() != nil })
			require.NoError(t, os.RemoveAll(s.dir))
			s.start(t, 0)
			await(t, func() bool { return b.Ready() == nil })
		},
		"stream": func(t *testing.T, _ *natsServer, b *Bus, l *Log) {
			require.NoError(t, b.js.DeleteStream(t.Context(), l.stream))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t, 0)
			b := open(t, Options{URL: s.ClientURL()})
			l := b.Log("t", "c")
			e := follow(t, l, 0)
			after := uint64(0)
			for i := range 5 {
				var err error
				after, err = l.Append(t.Context(), after, skipped(int64(i)))
				require.NoError(t, err)
			}
			await(t, func() bool { return len(e.records()) == 5 })
			lose(t, s, b, l)
			last, err := l.Last(t.Context())
			require.NoError(t, err)
			require.Zero(t, last)
			lost := after
			after = 0
			for i := range 7 {
				after, err = l.Append(t.Context(), after, skipped(int64(10+i)))
				require.NoError(t, err)
				assert.Greater(t, after, lost)
			}
			await(t, func() bool { return len(e.records()) == 12 })
			for i, one := range e.list() {
				assert.Equal(t, i == 5, one.Gap, i)
			}
			assert.EqualValues(t, 16, offsetOf(e.records()[11]))
		})
	}
}

// Promise 4: also where the clock was set back.
func TestFirstPlace(t *testing.T) {
	b := &Bus{}
	now := time.Now()
	b.saw(b.firstPlace(now) + 1000)
	assert.Equal(t, b.highest.Load()+1, b.firstPlace(now))
	assert.Equal(t, b.highest.Load()+1, b.firstPlace(time.Unix(-5, 0)))
	assert.Greater(t, b.firstPlace(now.Add(time.Hour)), b.highest.Load()+1)
	assert.Less(t, b.firstPlace(now.Add(100*365*24*time.Hour)), uint64(math.MaxInt64))
}
