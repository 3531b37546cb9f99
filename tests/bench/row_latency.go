package main

import (
	"fmt"
	"slices"
	"time"

	"inlaygraph/tests/bench/story"
)

// spread is how long events took to a socket in one round.
type spread struct{ p50, p99 time.Duration }

// timed is a way of sending of which latencies are looked at.
type timed struct {
	name  string
	every time.Duration
	audience
}

func (b *bench) timedWays() []timed {
	chat := story.Chat(50, snapshotBytes)
	return []timed{
		{"patches at 50 a second", 20 * time.Millisecond, audience{viewers: b.viewers, story: chat}},
		{"snapshots of 20 KB at 10 a second", 100 * time.Millisecond, audience{
			viewers: b.viewers, story: chat, document: func(int) story.Document { return story.Everything },
		}},
	}
}

// latency: from an event to everybody's socket, at a fixed rate.
func latency(b *bench) error {
	const goal = 50 * time.Millisecond
	for _, way := range b.timedWays() {
		warm, ticks := b.timedTicks(way)
		st := stage{story: way.story, growing: 1}
		arms := b.only(ours, bareArm, bareAgain)
		if b.has(bareArm) {
			var err error
			if st.payloads, err = b.record(st, way.audience, warm+ticks); err != nil {
				return err
			}
		}
		got := map[string][]spread{}
		for round := range b.timed {
			for i := range arms {
				arm := arms[(i+round)%len(arms)]
				one, err := b.time(arm, st, way)
				if err != nil {
					return err
				}
				got[arm] = append(got[arm], one)
			}
		}
		fmt.Fprintf(b.out, "%s, N = %d:\n\n", way.name, way.viewers)
		b.spreads(arms, got)
		if !b.has(ours) {
			continue
		}
		p50, p99 := medians(got[ours])
		measured := fmt.Sprintf("p50 %s, p99 %s ms", millis(p50), millis(p99))
		if b.has(bareArm) {
			bare50, bare99 := medians(got[bareArm])
			again50, again99 := medians(got[bareAgain])
			measured += fmt.Sprintf("; bare %s and %s, again %s and %s", millis(bare50), millis(bare99), millis(again50), millis(again99))
		}
		b.judge(fmt.Sprintf("event to socket, N = %d, %s", way.viewers, way.name), "p99 under 50 ms", p99 < goal, "%s", measured)
	}
	return nil
}

// timedTicks is how many ticks there are before latencies count, and while they do.
func (b *bench) timedTicks(way timed) (warm, ticks int) {
	return max(int(b.pause/way.every), 1), max(int(b.scale.latency/way.every), 2)
}

// time has an arm send at a rate, after so many ticks as the audience says at once.
func (b *bench) time(arm string, st stage, way timed) (sp spread, err error) {
	warm, ticks := b.timedTicks(way)
	warm += way.ticks
	s, err := b.start(arm, st)
	if err != nil {
		return sp, err
	}
	defer s.close()
	c, err := gather(s, way.audience, warm+ticks, false)
	if err != nil {
		return sp, err
	}
	defer c.load.Close()
	if err := c.play(1, way.ticks); err != nil {
		return sp, err
	}
	if err := c.pace(way.ticks+1, warm, way.every); err != nil {
		return sp, err
	}
	c.timing.Store(true)
	if err := c.pace(warm+1, warm+ticks, way.every); err != nil {
		return sp, err
	}
	c.timing.Store(false)
	if err := c.disperse(warm + ticks); err != nil {
		return sp, err
	}
	var all []time.Duration
	for viewer, own := range c.latencies {
		if way.stalled && viewer == way.viewers-1 {
			continue
		}
		if len(own) != ticks {
			return sp, fmt.Errorf("viewer %d of %s got %d of %d events", viewer, arm, len(own), ticks)
		}
		all = append(all, own...)
	}
	slices.Sort(all)
	return spread{all[len(all)/2], all[len(all)*99/100]}, nil
}

// spreads prints what arms took.
func (b *bench) spreads(arms []string, got map[string][]spread) {
	lines := [][]string{{"arm", "p50, ms", "p99, ms", "p50 in rounds", "p99 in rounds"}}
	for _, arm := range arms {
		p50, p99 := medians(got[arm])
		var each50, each99 string
		for i, s := range got[arm] {
			if i > 0 {
				each50, each99 = each50+", ", each99+", "
			}
			each50, each99 = each50+millis(s.p50), each99+millis(s.p99)
		}
		lines = append(lines, []string{arm, millis(p50), millis(p99), each50, each99})
	}
	b.table(lines...)
}

func medians(spreads []spread) (p50, p99 time.Duration) {
	var all50, all99 []time.Duration
	for _, s := range spreads {
		all50, all99 = append(all50, s.p50), append(all99, s.p99)
	}
	return median(all50), median(all99)
}
