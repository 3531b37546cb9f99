package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// settle is how long a server is left alone before it is asked what it used.
const settle = 50 * time.Millisecond

// cost is what an arm needed in one round.
type cost struct {
	cpu   time.Duration // of a delivery
	bytes int64         // of a message
	top   string        // where the time went, if that was asked for
}

// maxTicks bounds how much the text grows: messages are to stay about as long as they begin.
const maxTicks = 200

// ticksOf is how often an arm is to send.
func (b *bench) ticksOf(arm string, a audience) (warm, ticks int) {
	work := b.work
	if isSlow(arm) {
		work = b.slowWork
	}
	ticks = a.ticks
	if ticks == 0 {
		ticks = min(max(work/a.viewers, 3), maxTicks)
	}
	return max(ticks/5, 2), ticks
}

// measure has an arm send to everybody, each tick once the one before has arrived.
func (b *bench) measure(arm string, st stage, a audience, profile bool) (c cost, err error) {
	warm, ticks := b.ticksOf(arm, a)
	s, err := b.start(arm, st)
	if err != nil {
		return c, err
	}
	defer s.close()
	crowd, err := gather(s, a, warm+ticks, true)
	if err != nil {
		return c, err
	}
	defer crowd.load.Close()
	if err := crowd.play(1, warm); err != nil {
		return c, err
	}
	time.Sleep(settle)
	if profile {
		if err := s.probe.StartProfile(); err != nil {
			return c, err
		}
	}
	messages, size := crowd.messages.Load(), crowd.bytes.Load()
	before, err := s.probe.Usage()
	if err != nil {
		return c, err
	}
	if err := crowd.play(warm+1, warm+ticks); err != nil {
		return c, err
	}
	time.Sleep(settle)
	after, err := s.probe.Usage()
	if err != nil {
		return c, err
	}
	n := crowd.messages.Load() - messages
	if n != int64(ticks*a.viewers) {
		return c, fmt.Errorf("%s: %d messages instead of %d", arm, n, ticks*a.viewers)
	}
	c.cpu, c.bytes = (after.CPU-before.CPU)/time.Duration(n), (crowd.bytes.Load()-size)/n
	if profile {
		if c.top, err = b.top(s); err != nil {
			return c, err
		}
	}
	return c, crowd.disperse(warm + ticks)
}

// record has the real server send to one viewer, and returns the payloads, for the bare broadcast to send.
func (b *bench) record(st stage, a audience, ticks int) (payloads [][]byte, err error) {
	s, err := b.start(ours, st)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return recordFrom(s, a, ticks)
}

// rounds measures arms in turns, and returns what each needed, by round.
func (b *bench) rounds(arms []string, one func(arm string) (cost, error)) (map[string][]cost, error) {
	costs := map[string][]cost{}
	for round := range b.scale.rounds {
		for i := range arms {
			arm := arms[(i+round)%len(arms)]
			c, err := one(arm)
			if err != nil {
				return nil, err
			}
			costs[arm] = append(costs[arm], c)
		}
	}
	return costs, nil
}

// only are those of arms that are to be measured.
func (b *bench) only(arms ...string) []string {
	return slices.DeleteFunc(arms, func(arm string) bool { return !b.has(arm) })
}

// explain measures the real server once more, and prints where its time goes.
func (b *bench) explain(st stage, a audience) error {
	if b.name == smoke {
		return nil
	}
	c, err := b.measure(ours, st, a, true)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "A goal was missed. Where the real server's time goes:\n\n```\n%s```\n\n", c.top)
	return nil
}

// top ends a profile of the real server, and returns the functions in which most of the time went.
func (b *bench) top(s *server) (string, error) {
	profile, err := s.probe.StopProfile()
	if err != nil {
		return "", err
	}
	return b.pprof(profile)
}

// pprof returns the most costly functions of a profile of the real server.
func (b *bench) pprof(profile []byte, flags ...string) (string, error) {
	file := filepath.Join(b.dir, "profile")
	if err := os.WriteFile(file, profile, 0o600); err != nil {
		return "", err
	}
	var out, problems bytes.Buffer
	args := append([]string{"tool", "pprof", "-top", "-nodecount=22"}, flags...)
	command := exec.CommandContext(b.ctx, "go", append(args, filepath.Join(b.dir, ours), file)...)
	command.Stdout, command.Stderr = &out, &problems
	if err := command.Run(); err != nil {
		return "", errors.Join(err, errors.New(problems.String()))
	}
	return out.String(), nil
}

// median is of what is not empty.
func median[T int64 | float64 | time.Duration](values []T) T {
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

func cpus(costs []cost) []time.Duration {
	var all []time.Duration
	for _, c := range costs {
		all = append(all, c.cpu)
	}
	return all
}

// ratio is the median over rounds of how much more a needed than b.
func ratio(a, b []cost) float64 {
	var all []float64
	for i := range min(len(a), len(b)) {
		all = append(all, float64(a[i].cpu)/float64(b[i].cpu))
	}
	return median(all)
}

// mean is what two arms needed together, by round.
func mean(a, b []cost) []cost {
	var all []cost
	for i := range min(len(a), len(b)) {
		all = append(all, cost{cpu: (a[i].cpu + b[i].cpu) / 2})
	}
	return all
}
