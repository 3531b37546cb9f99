package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// figures measures what a delivery costs the servers, in CPU time, alone and with 1, 2 and 3 servers on a bus: the same
// viewers, the same conversations. A delivery is one frame of upstream's brought to one viewer, however many of them are
// in one message. NATS runs in this process and is not counted.
func figures(s setting) error {
	alone := 0.0
	for _, servers := range []int{0, 1, 2, 3} { // 0: one without a bus
		r, err := measure(s, servers)
		if err != nil {
			return err
		}
		what := "alone"
		if servers == 0 {
			alone = r.cost
		} else {
			what = fmt.Sprintf("%d on a bus", servers)
		}
		fmt.Printf("figures: bus: servers %s, viewers %d, conversations %d, speed %g: deliveries a second %.0f in %.0f messages, CPU of the servers %.1f %% of a core, %.1f µs a delivery, %.2f times alone\n",
			what, s.viewers, s.conversations, s.speed, r.deliveries, r.messages, 100*r.cpu, r.cost, r.cost/alone)
	}
	return nil
}

// measured is what happened a second.
type measured struct {
	deliveries, messages float64
	cpu                  float64 // seconds
	cost                 float64 // microseconds a delivery
}

func measure(s setting, servers int) (r measured, err error) {
	dir, err := os.MkdirTemp("", "bus")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	recordings := filepath.Join(dir, "recordings")
	if err := os.Mkdir(recordings, 0o700); err != nil {
		return r, err
	}
	f := &fleet{binary: s.binary}
	if servers > 0 {
		nats, err := startCluster(dir)
		if err != nil {
			return r, err
		}
		defer nats.stop()
		f.bus = nats.url()
	}
	up, ids, err := platform(recordings, s.conversations, 0, s.speed)
	if err != nil {
		return r, err
	}
	defer up.Close()
	f.upstream = up.URL()
	defer f.stop()
	servers = max(servers, 1)
	for i := range servers {
		if err := f.start(i); err != nil {
			return r, err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	var all []*viewer
	for i := range s.viewers {
		v := &viewer{fleet: f, conversation: ids[i%len(ids)], at: i / len(ids) % servers, every: 0}
		all = append(all, v)
		group.Go(func() { v.follow(ctx) })
	}
	time.Sleep(5 * time.Second)
	before, err := f.count(all, servers)
	if err != nil {
		return r, err
	}
	const lasts = 26 * time.Second // one run of the demo
	time.Sleep(lasts)
	after, err := f.count(all, servers)
	if err != nil {
		return r, err
	}
	r.deliveries = float64(after.frames-before.frames) * float64(s.viewers) / float64(s.conversations) / lasts.Seconds()
	r.messages = float64(after.messages-before.messages) / lasts.Seconds()
	r.cpu = (after.cpu - before.cpu).Seconds() / lasts.Seconds()
	r.cost = 1e6 * r.cpu / r.deliveries
	return r, nil
}

// counted is what happened since the servers began.
type counted struct {
	frames, messages int
	cpu              time.Duration
}

// count adds up what the viewers received, and what the servers did.
func (f *fleet) count(all []*viewer, servers int) (c counted, err error) {
	for _, v := range all {
		v.mu.Lock()
		c.messages += len(v.messages)
		v.mu.Unlock()
	}
	for i := range servers {
		spent, err := f.cpu(i)
		if err != nil {
			return c, err
		}
		frames, err := f.frames(i)
		if err != nil {
			return c, err
		}
		c.cpu += spent
		c.frames += frames
	}
	return c, nil
}

// frames is how many frames a server has read of upstream.
func (f *fleet) frames(i int) (n int, err error) {
	res, err := http.Get(strings.TrimSuffix(f.url(i), "graphql") + "metrics")
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if name, value, _ := strings.Cut(lines.Text(), " "); strings.HasPrefix(name, "inlay_frames_total{") {
			v, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return 0, err
			}
			n += int(v)
		}
	}
	return n, nil
}

// cpu is how much CPU time a server has used, as Linux tells it.
func (f *fleet) cpu(i int) (time.Duration, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", f.servers[i].Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc says %q", text)
	}
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(fields[12])
	if err != nil {
		return 0, err
	}
	return time.Duration(user+system) * 10 * time.Millisecond, nil // ticks of a hundredth of a second
}
