package bus

import (
	"maps"
	"sync"
	"time"
)

// Stats are what a bus counted since it was opened, and who is there now.
type Stats struct {
	// Ready tells whether the bus can be used now, Instances how many use it, this one included.
	Ready     bool
	Instances int
	// Following is how many conversations' logs are followed now.
	Following int
	// Appended is how many records were appended, Inputs how many inputs they had, Bytes how long they were.
	Appended, Inputs, Bytes int64
	// Behind is how many appends came too late: somebody else had appended first.
	Behind int64
	// Failed is how many appends the bus did not take.
	Failed int64
	// Delivered is how many records came from the bus, this instance's own included.
	Delivered int64
	// Lag is how long the latest record was under way to here, by the clocks of the bus and of this process.
	Lag time.Duration
	// Rejected is how many messages were passed over, by reason.
	Rejected map[string]int64
	// Gaps is how often records were missing.
	Gaps int64
	// Outages is how often the connection was lost.
	Outages int64
}

type counts struct {
	mu      sync.Mutex
	stats   Stats
	records int64 // that were given an id
}

func (c *counts) add(f func(*Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.stats)
}

func (c *counts) reject(reason string) {
	c.add(func(s *Stats) {
		if s.Rejected == nil {
			s.Rejected = map[string]int64{}
		}
		s.Rejected[reason]++
	})
}

// Stats counts.
func (b *Bus) Stats() Stats {
	b.counts.mu.Lock()
	s := b.counts.stats
	s.Rejected = maps.Clone(s.Rejected)
	b.counts.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	s.Ready = b.why == nil
	s.Instances = b.peers.count()
	return s
}

// Outages is how often the connection was lost.
func (b *Bus) Outages() int64 {
	b.counts.mu.Lock()
	defer b.counts.mu.Unlock()
	return b.counts.stats.Outages
}
