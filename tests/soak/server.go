package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
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

// server is the process that is followed.
type server struct {
	url   string // of /graphql
	cmd   *exec.Cmd
	dir   string
	probe *probe.Client
	ended chan struct{}
	mu    sync.Mutex
	log   strings.Builder // the end of what it printed
}

// probed is the file that the server is built with.
const probed = `package main

import "inlaygraph/tests/bench/probe"

func init() { probe.Start() }
`

// evictAfter is when the server lets go of a conversation that nobody asks for.
const evictAfter = 3 * time.Second

func startServer(s settings, upstream string) (*server, error) {
	dir, err := os.MkdirTemp("", "soak")
	if err != nil {
		return nil, err
	}
	v := &server{dir: dir, ended: make(chan struct{})}
	program, err := v.build(s.raced)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	socket := filepath.Join(dir, "probe")
	v.cmd = exec.Command(program, "serve", "--listen", "127.0.0.1:0", "--upstream", upstream, "--jwt-secret", secret,
		"--idle-poll-seconds", "1", "--upstream-idle-seconds", "5", "--write-timeout-seconds", "5", "--init-timeout-seconds", "60", "--max-connections-per-user", "5000",
		"--evict-after-seconds", fmt.Sprint(int(evictAfter.Seconds())), "--log-level", "error")
	// A crowd of few users asks more often than users do: where there is a rate, it is not what is tried here.
	v.cmd.Env = append(os.Environ(), probe.Socket+"="+socket, "INLAY_MAX_OPERATIONS_PER_SECOND_PER_USER=0", "INLAY_MAX_SENDS_PER_MINUTE_PER_USER=0")
	stderr, err := v.cmd.StderrPipe()
	if err == nil {
		err = v.cmd.Start()
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	address := make(chan string, 1)
	go func() {
		defer close(v.ended)
		for lines := bufio.NewReader(stderr); ; {
			line, err := lines.ReadString('\n')
			v.note(line)
			if m := serves.FindStringSubmatch(line); m != nil {
				address <- m[1]
			}
			if err != nil {
				break
			}
		}
		v.note(fmt.Sprintln(v.cmd.Wait()))
	}()
	select {
	case v.url = <-address:
		v.probe = probe.Dial(socket)
		return v, nil
	case <-v.ended:
		err = errors.New("the server ended at once:\n" + v.said())
	case <-time.After(time.Minute):
		err = errors.New("the server does not serve")
	}
	v.kill()
	return nil, err
}

var serves = regexp.MustCompile(`serves (http://\S+/graphql)`)

// keptLog is how much of what the server printed is kept.
const keptLog = 64 << 10

func (v *server) note(line string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.log.Len() < keptLog {
		v.log.WriteString(line)
	}
}

func (v *server) said() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.log.String()
}

func (v *server) build(raced bool) (program string, err error) {
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(file), "..", "..")
	source, overlay := filepath.Join(v.dir, "probed.go"), filepath.Join(v.dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "soak_probed.go"): source}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(source, []byte(probed), 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		return "", err
	}
	program = filepath.Join(v.dir, "inlaygraph")
	args := []string{"build", "-overlay", overlay, "-o", program}
	if raced {
		args = append(args, "-race")
	}
	command := exec.Command("go", append(args, ".")...)
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the server: %w\n%s", err, out)
	}
	return program, nil
}

// holding is what the server holds.
type holding struct {
	goroutines int
	heap       int64
}

func (h holding) String() string {
	return fmt.Sprintf("%d goroutines and %.1f MB of heap", h.goroutines, float64(h.heap)/1e6)
}

// The server may hold so much more than before the crowd came: the validated documents of the crowd, which are as many however
// long it stays; sends, which are remembered for ten minutes; plans with their schemas, and what the runtime keeps of goroutines
// that have ended.
const (
	goroutineSlack = 4
	heapSlack      = 8 << 20
)

// It has settled once the heap has not sunk by so much for so long.
const (
	sinks      = 256 << 10
	settledFor = 5 * time.Second
)

// settleWithin is how long the server has to let go of what nobody needs: it reads a stream on for 30 s after the last one
// left (docs/service.md, "Subscriptions").
const settleWithin = 3 * time.Minute

// holds asks what the server holds now.
func (v *server) holds() (holding, error) {
	m, err := v.probe.Memory()
	return holding{m.Goroutines, m.Heap}, err
}

// resets tells how often what subscribers read was replaced, by reason.
func (v *server) resets(ctx context.Context) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(v.url, "graphql")+"metrics", nil)
	if err != nil {
		return "", err
	}
	r.Close = true // or else the server would hold the connection
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("metrics: %s", answer.Status)
	}
	var all []string
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		if m := resetsOf.FindStringSubmatch(lines.Text()); m != nil && m[2] != "0" {
			all = append(all, m[1]+" "+m[2])
		}
	}
	return strings.Join(all, ", "), lines.Err()
}

var resetsOf = regexp.MustCompile(`^inlay_resets_total\{reason="(\w+)"\} (\S+)`)

// settled waits until what the server holds is no more than before, and sinks no further.
func (v *server) settled(ctx context.Context, before holding) (h holding, err error) {
	lowest, sunk := int64(math.MaxInt64), time.Now()
	for began := time.Now(); time.Since(began) < settleWithin; {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return h, ctx.Err()
		case <-v.ended:
			return h, errors.New("the server ended:\n" + v.said())
		}
		if h, err = v.holds(); err != nil {
			return h, err
		}
		if h.heap < lowest-sinks {
			lowest, sunk = h.heap, time.Now()
		}
		if h.goroutines <= before.goroutines+goroutineSlack && h.heap <= before.heap+heapSlack && time.Since(sunk) >= settledFor {
			return h, nil
		}
	}
	stacks, _ := v.probe.Goroutines() // it is only to help
	return h, fmt.Errorf("the server holds %s, and before the crowd came %s\n%.20000s", h, before, stacks)
}

// stop ends the server as an operator does; it must end well.
func (v *server) stop() error {
	if err := v.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-v.ended:
	case <-time.After(time.Minute):
		return errors.New("the server does not end")
	}
	if code := v.cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("the server ended with %d:\n%s", code, v.said())
	}
	if log := v.said(); strings.Contains(log, `"level":"ERROR"`) || strings.Contains(log, "DATA RACE") {
		return fmt.Errorf("the server logged an error:\n%s", log)
	}
	return nil
}

// kill ends it in any case, and takes away what it left.
func (v *server) kill() {
	if v.probe != nil {
		v.probe.Close()
	}
	_ = v.cmd.Process.Kill() // one that has ended can't be killed
	<-v.ended
	os.RemoveAll(v.dir)
}
