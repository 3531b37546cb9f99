package tests

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"inlaygraph/transport"
)

// binary is the server's program, built once for all tests.
var binary string

// patience is how long a test waits for what must come. It is long because the machine may be busy with other things.
const patience = 30 * time.Second

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil { // most of the time these tests wait, whatever the machine
		panic(err)
	}
	folder, err := os.MkdirTemp("", "inlaygraph")
	if err == nil {
		binary = filepath.Join(folder, "inlaygraph")
		err = build()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.RemoveAll(folder)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(folder)
		if code == 0 { // no goroutine was left, then
			fmt.Println(figures())
		}
		os.Exit(code)
	}))
}

func build() error {
	if err := look(); err != nil {
		return err
	}
	args := []string{"build", "-o", binary}
	if raced {
		args = append(args, "-race")
	}
	out, err := exec.Command("go", append(args, "inlaygraph")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// look reads the folders that the binary is built from. go test answers with an earlier result while the files that a
// test has looked at are the same, and would not know of these.
func look() error {
	return filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "tests" || strings.HasPrefix(filepath.Base(path), ".git")) {
			return fs.SkipDir
		}
		return err
	})
}

// output collects what a process writes, and tells when a line is complete.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	line chan struct{} // closed at the end of the first line
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.line != nil && bytes.IndexByte(p, '\n') >= 0 {
		close(o.line)
		o.line = nil
	}
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// server is a running `inlaygraph serve`.
type server struct {
	url     string             // of /graphql
	lossy   bool               // its upstream loses frames
	handler *transport.Handler // of a server in this process
	unheld  bool               // what its subscribers receive is validated by the test alone
	cmd     *exec.Cmd
	stdout  output
	stderr  output
	exited  chan struct{} // closed once the process has ended and its output is read
}

var addressLine = regexp.MustCompile(`^Inlay GraphQL serves (https?://127\.0\.0\.1:\d+/graphql)$`)

// serve starts a server on a free port. At the end of the test it is stopped; it must then end well.
func serve(t *testing.T, args ...string) *server {
	t.Helper()
	s := start(t, nil, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	t.Cleanup(func() { assert.Equal(t, 0, s.stop(t), "the server's exit code") })
	return s
}

// start runs a command that serves, and waits until it says its address. Its environment is the test's without
// INLAY_ variables, and env. It is killed at the end of the test unless it has ended by then.
func start(t *testing.T, env []string, args ...string) *server {
	t.Helper()
	s := &server{cmd: command(context.Background(), env, args...), exited: make(chan struct{})}
	ready := make(chan struct{})
	s.stderr.line = ready
	s.cmd.Stdout, s.cmd.Stderr = &s.stdout, &s.stderr
	require.NoError(t, s.cmd.Start())
	tally.servers.Add(1)
	go func() {
		_ = s.cmd.Wait() // its answer is in cmd.ProcessState
		close(s.exited)
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // one that has ended can't be killed
		<-s.exited
		if t.Failed() {
			t.Logf("inlaygraph %s\nstdout:\n%s\nstderr:\n%s", strings.Join(args, " "), s.stdout.String(), s.stderr.String())
		}
	})
	select {
	case <-ready:
	case <-s.exited:
		t.Fatal("the server ended at once")
	case <-time.After(patience):
		t.Fatal("the server did not say its address")
	}
	first, _, _ := strings.Cut(s.stderr.String(), "\n")
	found := addressLine.FindStringSubmatch(first)
	require.NotNil(t, found, "the first line on standard error: %q", first)
	s.url = found[1]
	return s
}

// stop sends SIGTERM, unless the process has ended already, and answers its exit code.
func (s *server) stop(t *testing.T) int {
	t.Helper()
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	return s.exit(t)
}

// exit waits for the process to end, and answers its exit code.
func (s *server) exit(t *testing.T) int {
	t.Helper()
	select {
	case <-s.exited:
	case <-time.After(patience):
		t.Error("the server did not end")
		_ = s.cmd.Process.Kill()
		<-s.exited
	}
	return s.cmd.ProcessState.ExitCode()
}

func command(ctx context.Context, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = []string{"GORACE=atexit_sleep_ms=20"} // a second by default
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "INLAY_") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	if !slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--bus") }) { // else it has one already
		cmd.Env = append(cmd.Env, onBus()...)
	}
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// result is what a command that ends by itself left.
type result struct {
	code           int
	stdout, stderr string
}

// run runs a command to its end.
func run(t *testing.T, env []string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := command(ctx, env, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	require.NoError(t, ctx.Err(), "%s did not end; it said\n%s%s", args, &stdout, &stderr)
	if err != nil {
		require.ErrorAs(t, err, new(*exec.ExitError))
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}
