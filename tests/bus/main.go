package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"inlaygraph/upstream/demo"
	"inlaygraph/upstream/recording"
)

func main() {
	var s setting
	flag.IntVar(&s.viewers, "viewers", 300, "viewers in all")
	flag.IntVar(&s.conversations, "conversations", 30, "conversations")
	flag.IntVar(&s.loops, "loops", 4, "runs of each conversation, 25 s each")
	flag.StringVar(&s.binary, "binary", "", "the server's program")
	flag.Float64Var(&s.speed, "speed", 1, "how many times faster than people read upstream plays, for --figures")
	costs := flag.Bool("figures", false, "measure what a delivery costs instead")
	flag.Parse()
	run := play
	if *costs {
		run = figures
	}
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// setting is what one run is of.
type setting struct {
	binary                        string
	viewers, conversations, loops int
	speed                         float64
}

// scenarios are the demo's that fill a run with tokens.
var scenarios = []string{"fanout", "subagents", "chat"}

// platform starts a demo with so many conversations.
func platform(dir string, conversations, loops int, speed float64) (*demo.Demo, []string, error) {
	var ids []string
	for i := range conversations {
		name := scenarios[i%len(scenarios)]
		text, err := os.ReadFile(filepath.Join("../../upstream/demo/scenarios", name+".ndjson"))
		if err != nil {
			return nil, nil, err
		}
		id := fmt.Sprintf("%s-%02d", name, i)
		ids = append(ids, id)
		text = []byte(strings.ReplaceAll(string(text), "demo-"+name, id))
		if err := os.WriteFile(filepath.Join(dir, id+".ndjson"), text, 0o600); err != nil {
			return nil, nil, err
		}
	}
	recordings, err := recording.Load(dir, 1<<20)
	if err != nil {
		return nil, nil, err
	}
	d, err := demo.New(demo.Options{Recordings: recordings, Loops: loops, Rest: time.Second, Speed: speed})
	if err != nil {
		return nil, nil, err
	}
	return d, ids, d.Start("127.0.0.1:0")
}

func play(s setting) error {
	dir, err := os.MkdirTemp("", "bus")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	recordings := filepath.Join(dir, "recordings")
	if err := os.Mkdir(recordings, 0o700); err != nil {
		return err
	}
	nats, err := startCluster(dir)
	if err != nil {
		return err
	}
	defer nats.stop()
	up, ids, err := platform(recordings, s.conversations, s.loops, 1)
	if err != nil {
		return err
	}
	defer up.Close()
	f := &fleet{binary: s.binary, upstream: up.URL(), bus: nats.url()}
	defer f.stop()
	for i := range 3 {
		if err := f.start(i); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var all []*viewer
	var group sync.WaitGroup
	for i := range s.viewers {
		v := &viewer{fleet: f, conversation: ids[i%len(ids)], at: i / len(ids) % 3, every: 200}
		all = append(all, v)
		group.Go(func() { v.follow(ctx) })
	}
	time.Sleep(8 * time.Second)
	if err := disturb(f, nats, all); err != nil {
		return err
	}
	problems, err := verdict(f, ids, all)
	if err != nil {
		return err
	}
	cancel()
	group.Wait()
	return report(all, problems)
}

// patience is how long a busy machine may take until everybody has everything.
const patience = 2 * time.Minute

// verdict waits until all is quiet and compares. What is only late is not lost: it looks again, as long as there is patience.
func verdict(f *fleet, ids []string, all []*viewer) (problems []string, err error) {
	for end := time.Now().Add(patience); ; {
		if err := quiet(all); err != nil {
			return nil, err
		}
		if problems = f.compare(ids, all); len(problems) == 0 || time.Now().After(end) {
			return problems, nil
		}
		time.Sleep(5 * time.Second)
	}
}

// disturb breaks one thing after the other.
func disturb(f *fleet, nats *cluster, all []*viewer) error {
	step := func(what string, rest time.Duration) {
		fmt.Printf("%s  %s\n", time.Now().Format("15:04:05.000"), what)
		time.Sleep(rest)
	}
	killed := time.Now()
	f.kill(0)
	step("server 1 is killed", 12*time.Second)
	fmt.Printf("figures: instances: silence of viewers at other servers when one was killed: %s\n", silence(all, killed, killed.Add(10*time.Second), 0))
	if err := f.start(0); err != nil {
		return err
	}
	step("server 1 is back", 4*time.Second)
	stopped := time.Now()
	nats.servers[1].Shutdown()
	step("NATS server 2 stops", 8*time.Second)
	fmt.Printf("figures: instances: silence when one of three NATS servers stopped: %s\n", silence(all, stopped, stopped.Add(8*time.Second), -1))
	if err := nats.start(1); err != nil {
		return err
	}
	step("NATS server 2 is back", 6*time.Second)
	f.freeze(1)
	step("server 2 is frozen", 8*time.Second)
	f.thaw(1)
	step("server 2 goes on", 4*time.Second)
	for i := range 3 {
		f.end(i)
		if err := f.start(i); err != nil {
			return err
		}
		step(fmt.Sprintf("server %d was restarted", i+1), 5*time.Second)
	}
	return nil
}

// silence is how long viewers heard nothing, from a moment on, within a time: of those not connected to a server.
func silence(all []*viewer, from, to time.Time, not int) string {
	var gaps []time.Duration
	for _, v := range all {
		if gap, ok := v.longest(from, to, not); ok {
			gaps = append(gaps, gap)
		}
	}
	if len(gaps) == 0 {
		return "nobody"
	}
	slices.Sort(gaps)
	return fmt.Sprintf("p50 %v, p99 %v, most %v", gaps[len(gaps)/2].Round(time.Millisecond), gaps[len(gaps)*99/100].Round(time.Millisecond), gaps[len(gaps)-1].Round(time.Millisecond))
}

// quiet waits until nobody has heard anything for a while. The platform's runs have an end.
func quiet(all []*viewer) error {
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); {
		latest := time.Time{}
		for _, v := range all {
			if at := v.heard(); at.After(latest) {
				latest = at
			}
		}
		if time.Since(latest) > 8*time.Second {
			return nil
		}
		time.Sleep(time.Second)
	}
	return errors.New("it does not come to rest")
}
