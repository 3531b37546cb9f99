package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"inlaygraph/tests/bench/feed"
	"inlaygraph/tests/bench/probe"
	"inlaygraph/tests/bench/script"
	"inlaygraph/tests/bench/story"
)

// bench is one run.
type bench struct {
	scale
	ctx  context.Context
	out  io.Writer
	arms []string

	root     string // of the project
	dir      string // temporary, for programs and sockets
	sockets  int
	verdicts []verdict
}

// The arms.
const (
	ours      = "ours"
	bareArm   = "bare"
	bareAgain = "bare again"
	stock     = "stock"
	yoga      = "yoga"
)

// has tells whether an arm is to be measured.
func (b *bench) has(arm string) bool {
	return slices.Contains(b.arms, strings.TrimSuffix(arm, " again"))
}

// isSlow tells which arms get less work.
func isSlow(arm string) bool { return arm == stock || arm == yoga }

// probed is the file that the real server is built with.
const probed = `package main

import "inlaygraph/tests/bench/probe"

func init() { probe.Start() }
`

// build makes the programs that are to be measured.
func (b *bench) build() (err error) {
	if b.dir, err = os.MkdirTemp("", "bench"); err != nil {
		return err
	}
	_, file, _, _ := runtime.Caller(0)
	b.root = filepath.Join(filepath.Dir(file), "..", "..")
	source, overlay := filepath.Join(b.dir, "probed.go"), filepath.Join(b.dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(b.root, "bench_probed.go"): source}})
	if err != nil {
		return err
	}
	if err := errors.Join(os.WriteFile(source, []byte(probed), 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		return err
	}
	if b.has(ours) {
		err = b.goBuild(b.root, ours, "-overlay", overlay)
	}
	if b.has(stock) && err == nil {
		err = b.goBuild(filepath.Join(b.root, "tests/bench/stock"), stock)
	}
	return err
}

func (b *bench) goBuild(dir, name string, flags ...string) error {
	command := exec.CommandContext(b.ctx, "go", append(append([]string{"build", "-o", filepath.Join(b.dir, name)}, flags...), ".")...)
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", name, err, out)
	}
	return nil
}

// server is a process that is measured, and what tells it what there is to send.
type server struct {
	arm    string
	cmd    *exec.Cmd
	addr   string
	probe  *probe.Client
	tick   func(k int) error // have it send the k-th change
	says   func(texts ...string) error
	closes []func()
	ended  chan struct{}
	log    strings.Builder // what it printed, once ended
}

// stage is what a server serves.
type stage struct {
	story    *story.Story
	growing  int      // how many of the story's turns grow at a tick, from the first
	payloads [][]byte // what the bare broadcast sends, from tick 0 on
	flags    []string // of the real server
}

// start starts an arm.
func (b *bench) start(arm string, st stage) (s *server, err error) {
	s = &server{arm: arm, ended: make(chan struct{})}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if arm == ours {
		platform, err := script.Serve(st.story)
		if err != nil {
			return s, err
		}
		s.closes = append(s.closes, func() { _ = platform.Close() })
		s.says = func(texts ...string) error { return platform.Say(st.story.ID, texts...) }
		s.tick = func(k int) error {
			texts := make([]string, st.growing)
			for turn := range texts {
				texts[turn] = story.Token(turn, k)
			}
			return s.says(texts...)
		}
		args := []string{"serve", "--listen", "127.0.0.1:0", "--upstream", platform.URL(), "--insecure"}
		return s, b.run(s, filepath.Join(b.dir, ours), append(args, st.flags...)...)
	}
	teller, err := feed.Listen()
	if err != nil {
		return s, err
	}
	s.closes = append(s.closes, teller.Close)
	if arm == stock || arm == yoga {
		s.tick = func(k int) error { return teller.Tell(story.Grow(k)) }
		if err := teller.Tell(st.story.Hello()); err != nil {
			return s, err
		}
		if arm == stock {
			return s, b.run(s, filepath.Join(b.dir, stock), teller.Addr())
		}
		folder := filepath.Join(b.root, "tests/bench")
		return s, b.run(s, "node", filepath.Join(folder, "yoga/server.mjs"), teller.Addr(), filepath.Join(folder, "stock/schema.graphqls"))
	}
	s.tick = func(k int) error { return teller.Tell(st.payloads[k]) }
	if err := s.tick(0); err != nil {
		return s, err
	}
	self, err := os.Executable()
	if err != nil {
		return s, err
	}
	return s, b.run(s, self, "bare", teller.Addr())
}

var serves = regexp.MustCompile(`serves http://([^/]+)/graphql`)

// run starts the process of s and waits until it serves.
func (b *bench) run(s *server, program string, args ...string) error {
	b.sockets++
	socket := filepath.Join(b.dir, fmt.Sprint(b.sockets))
	s.cmd = exec.CommandContext(b.ctx, program, args...)
	s.cmd.Env = append(os.Environ(), probe.Socket+"="+socket, "NODE_ENV=production")
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		close(s.ended)
		return err
	}
	started, addr := make(chan error, 1), make(chan string, 1)
	go func() {
		defer close(s.ended)
		// The system ends the process with the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := s.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		for lines := bufio.NewReader(stderr); ; {
			line, err := lines.ReadString('\n')
			s.log.WriteString(line)
			if err != nil {
				break
			}
			if m := serves.FindStringSubmatch(line); m != nil {
				addr <- m[1]
			}
		}
		fmt.Fprintln(&s.log, s.cmd.Wait())
	}()
	if err := <-started; err != nil {
		return err
	}
	select {
	case s.addr = <-addr:
	case <-s.ended:
		return s.blame(errors.New("it does not serve"))
	case <-time.After(30 * time.Second):
		return fmt.Errorf("%s does not serve", s.arm)
	}
	s.probe = probe.Dial(socket)
	return nil
}

// blame adds to what a viewer says that went wrong what the server printed, if it has ended.
func (s *server) blame(err error) error {
	select {
	case <-s.ended:
		return fmt.Errorf("%w; %s ended:\n%.10000s", err, s.arm, s.log.String())
	case <-time.After(time.Second): // it may be about to
		return err
	}
}

// close ends the process and what it is told by.
func (s *server) close() {
	if s.probe != nil {
		s.probe.Close()
	}
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill()
	}
	if s.cmd != nil {
		<-s.ended
	}
	for _, end := range s.closes {
		end()
	}
}
