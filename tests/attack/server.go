package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"inlaygraph/tests/bench/probe"
)

// patience is how long the server may take for what does not depend on an attack's size.
const patience = time.Minute

// program is the server's, built once.
type program struct {
	dir string
	n   int
}

// probed is the file that the server is built with, so that it can be asked what it holds.
const probed = `package main

import "inlaygraph/tests/bench/probe"

func init() { probe.Start() }
`

func build(ctx context.Context) (p *program, err error) {
	p = &program{}
	if p.dir, err = os.MkdirTemp("", "attack"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			p.remove()
		}
	}()
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(file), "..", "..")
	source, overlay := filepath.Join(p.dir, "probed.go"), filepath.Join(p.dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "attack_probed.go"): source}})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.WriteFile(source, []byte(probed), 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", filepath.Join(p.dir, "server"), ".")
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the server: %w\n%s", err, out)
	}
	return p, nil
}

func (p *program) remove() { _ = os.RemoveAll(p.dir) }

// server is the process under attack.
type server struct {
	cmd   *exec.Cmd
	url   string
	probe *probe.Client
	ended chan struct{}

	mu  sync.Mutex
	log strings.Builder
}

var serves = regexp.MustCompile(`serves (http://[^/]+/graphql)`)

// start starts the server over a platform. env are more variables of its environment.
func (p *program) start(ctx context.Context, upstream *platform, env []string, flags ...string) (*server, error) {
	p.n++
	socket := filepath.Join(p.dir, fmt.Sprint(p.n))
	s := &server{ended: make(chan struct{})}
	args := append([]string{"serve", "--listen", "127.0.0.1:0", "--upstream", "http://" + upstream.addr}, flags...)
	s.cmd = exec.CommandContext(ctx, filepath.Join(p.dir, "server"), args...)
	s.cmd.Env = append(append(os.Environ(), probe.Socket+"="+socket), env...)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	started, serving := make(chan error, 1), make(chan string, 1)
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
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			s.note(lines.Text())
			if m := serves.FindStringSubmatch(lines.Text()); m != nil {
				serving <- m[1]
			}
		}
		s.note(fmt.Sprint(s.cmd.Wait()))
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	select {
	case s.url = <-serving:
		s.probe = probe.Dial(socket)
		return s, nil
	case <-s.ended:
	case <-time.After(patience):
	}
	s.close()
	return nil, fmt.Errorf("the server does not serve:\n%s", s.said())
}

func (s *server) note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.log.Len() < 10_000 {
		fmt.Fprintln(&s.log, line)
	}
}

func (s *server) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// alive is an error once the process has ended.
func (s *server) alive() error {
	select {
	case <-s.ended:
		return fmt.Errorf("the server ended:\n%s", s.said())
	default:
		return nil
	}
}

func (s *server) close() {
	if s.probe != nil {
		s.probe.Close()
	}
	_ = s.cmd.Process.Kill()
	<-s.ended
}

// peak is the most resident memory that the process ever had, in bytes.
func (s *server) peak() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		var kb int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kb); n == 1 {
			return kb << 10, nil
		}
	}
	return 0, errors.New("the system does not tell the peak of a process")
}
