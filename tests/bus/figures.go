package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// figures measures what a delivery costs the servers, in CPU time, alone and with 1, 2 and 3 servers on a bus: the same
// viewers, the same conversations. NATS runs in this process and is not counted.
func figures(binary string, viewers, conversations int) error {
	alone := 0.0
	for _, servers := range []int{0, 1, 2, 3} { // 0: one without a bus
		cost, messages, err := measure(binary, viewers, conversations, servers)
		if err != nil {
			return err
		}
		if servers == 0 {
			alone = cost
			fmt.Printf("one server, no bus: %.0f deliveries a second, %.1f µs of CPU each\n", messages, cost)
			continue
		}
		fmt.Printf("%d servers on a bus: %.0f deliveries a second, %.1f µs of CPU each, %.2f times that\n", servers, messages, cost, cost/alone)
	}
	return nil
}

func measure(binary string, viewers, conversations, servers int) (cost, rate float64, err error) {
	dir, err := os.MkdirTemp("", "bus")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	recordings := filepath.Join(dir, "recordings")
	if err := os.Mkdir(recordings, 0o700); err != nil {
		return 0, 0, err
	}
	f := &fleet{binary: binary}
	if servers > 0 {
		nats, err := startCluster(dir)
		if err != nil {
			return 0, 0, err
		}
		defer nats.stop()
		f.bus = nats.url()
	}
	up, ids, err := platform(recordings, conversations, 0)
	if err != nil {
		return 0, 0, err
	}
	defer up.Close()
	f.upstream = up.URL()
	defer f.stop()
	servers = max(servers, 1)
	for i := range servers {
		if err := f.start(i); err != nil {
			return 0, 0, err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	var all []*viewer
	for i := range viewers {
		v := &viewer{fleet: f, conversation: ids[i%len(ids)], at: i / len(ids) % servers, every: 0}
		all = append(all, v)
		group.Go(func() { v.follow(ctx) })
	}
	time.Sleep(5 * time.Second)
	count := func() (messages int, cpu time.Duration, err error) {
		for _, v := range all {
			v.mu.Lock()
			messages += len(v.messages)
			v.mu.Unlock()
		}
		for i := range servers {
			spent, err := f.cpu(i)
			if err != nil {
				return 0, 0, err
			}
			cpu += spent
		}
		return messages, cpu, nil
	}
	messages, cpu, err := count()
	if err != nil {
		return 0, 0, err
	}
	const lasts = 15 * time.Second
	time.Sleep(lasts)
	messagesAfter, cpuAfter, err := count()
	if err != nil {
		return 0, 0, err
	}
	n := float64(messagesAfter - messages)
	return float64((cpuAfter - cpu).Microseconds()) / n, n / lasts.Seconds(), nil
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
