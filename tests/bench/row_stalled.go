package main

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// filling is how many messages of 20 KB are sent at once, so that a viewer that reads nothing has the kernel's buffers full
// and the server's writes to it stand still.
func (b *bench) filling() int {
	if b.name == smoke {
		return 2
	}
	return 200
}

// stalled: one viewer that reads nothing, among many.
func stalled(b *bench) error {
	way := b.timedWays()[1]
	st := stage{story: way.story, growing: 1}
	const calm, again, withOne = "all read", "all read, again", "one reads nothing"
	arms := []string{calm, again, withOne}
	got := map[string][]spread{}
	for round := range b.scale.rounds {
		for i := range arms {
			arm := arms[(i+round)%len(arms)]
			own := way
			own.stalled, own.ticks = arm == withOne, b.filling()
			one, err := b.time(ours, st, own)
			if err != nil {
				return err
			}
			got[arm] = append(got[arm], one)
		}
	}
	b.spreads(arms, got)
	calm50, calm99 := medians(got[calm])
	again50, again99 := medians(got[again])
	one50, one99 := medians(got[withOne])
	noise := max(worst(got[calm]), worst(got[again])) // what two equal runs differ by is no difference
	r50, r99 := float64(2*one50)/float64(calm50+again50), float64(2*one99)/float64(calm99+again99)
	b.judge(fmt.Sprintf("one stalled reader among %d, the others' latency", way.viewers),
		"p50 within 1.2×, p99 within 1.5× or the spread of equal runs", r50 <= 1.2 && (r99 <= 1.5 || one99 <= noise),
		"p50 %s against %s and %s ms (%.2f×), p99 %s against %s and %s (%.2f×)",
		millis(one50), millis(calm50), millis(again50), r50, millis(one99), millis(calm99), millis(again99), r99)
	return stalledMemory(b, way.audience)
}

// stalledMemory is what a viewer that reads nothing makes the server hold, and for how long it does.
func stalledMemory(b *bench, a audience) error {
	filling := b.filling()
	held := func(stalled bool) (bytes int64, closed time.Duration, err error) {
		s, err := b.start(ours, stage{story: a.story, growing: 1})
		if err != nil {
			return 0, 0, err
		}
		defer s.close()
		a.stalled = stalled
		c, err := gather(s, a, filling, false)
		if err != nil {
			return 0, 0, err
		}
		defer c.load.Close()
		if err := c.play(1, filling); err != nil {
			return 0, 0, err
		}
		m, err := s.probe.Memory()
		if err == nil && stalled && b.name != smoke {
			closed, err = untilClosed(c)
		}
		return m.Heap, closed, errors.Join(err, c.disperse(filling))
	}
	without, _, err := held(false)
	if err != nil {
		return err
	}
	with, closed, err := held(true)
	if err != nil {
		return err
	}
	const bound = 1 << 20
	b.judge(fmt.Sprintf("the memory of a stalled reader that was sent %.1f MB", float64(filling*snapshotBytes)/1e6), "bounded: under 1 MB, and let go of after 10 s",
		with-without < bound && closed < 15*time.Second, "%+d KB of HeapAlloc after GC, closed after %.1f s", (with-without)>>10, closed.Seconds())
	return nil
}

func worst(spreads []spread) (p99 time.Duration) {
	for _, s := range spreads {
		p99 = max(p99, s.p99)
	}
	return p99
}

// untilClosed waits until the server has one open file less: the stalled reader's socket.
func untilClosed(c *crowd) (time.Duration, error) {
	folder := fmt.Sprintf("/proc/%d/fd", c.server.cmd.Process.Pid)
	count := func() (int, error) {
		entries, err := os.ReadDir(folder)
		return len(entries), err
	}
	began := time.Now()
	first, err := count()
	for err == nil {
		if time.Since(began) > patience {
			return 0, fmt.Errorf("the stalled reader is still connected after %v", patience)
		}
		time.Sleep(100 * time.Millisecond)
		var now int
		if now, err = count(); now < first {
			return time.Since(began), nil
		}
	}
	return 0, err
}
