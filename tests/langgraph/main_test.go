//go:build langgraph

package langgraph

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// langGraph is the URL of the LangGraph server, binary our program.
var langGraph, binary string

// patience is how long a test waits for what must come.
const patience = 60 * time.Second

func TestMain(m *testing.M) {
	code := 1
	defer func() { os.Exit(code) }()
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil { // most of the time these tests wait, whatever the machine
		panic(err)
	}
	if langGraph = os.Getenv("INLAY_LANGGRAPH_URL"); langGraph == "" {
		fmt.Fprintln(os.Stderr, "INLAY_LANGGRAPH_URL is not set: start these tests by run.sh")
		return
	}
	folder, err := os.MkdirTemp("", "inlaygraph")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer os.RemoveAll(folder)
	binary = filepath.Join(folder, "inlaygraph")
	if out, err := exec.Command("go", "build", "-race", "-o", binary, "inlaygraph").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return
	}
	if code = m.Run(); code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
}

// server is our program, running.
type server struct {
	url     string
	cmd     *exec.Cmd
	stderr  output
	exited  chan error
	stopped bool
}

// output collects what a process writes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

var addressLine = regexp.MustCompile(`(?m)^Inlay GraphQL serves (http://127\.0\.0\.1:\d+/graphql)$`)

// front starts our program in front of the LangGraph server, asking nobody for a token.
func front(t *testing.T, args ...string) *server {
	t.Helper()
	return frontOf(t, langGraph, append([]string{"--insecure"}, args...)...)
}

// frontOf starts our program in front of a LangGraph server. At the end of the test it is stopped; it must then end well.
func frontOf(t *testing.T, url string, args ...string) *server {
	t.Helper()
	s := command(t, append([]string{"serve", "--listen", "127.0.0.1:0", "--upstream", "langgraph+" + url}, args...)...)
	t.Cleanup(func() { s.stop(t) })
	eventually(t, func() string {
		if found := addressLine.FindStringSubmatch(s.stderr.String()); found != nil {
			s.url = found[1]
			return ""
		}
		return "the server does not serve: " + s.stderr.String()
	})
	return s
}

func command(t *testing.T, args ...string) *server {
	t.Helper()
	s := &server{cmd: exec.Command(binary, args...), exited: make(chan error, 1)}
	s.cmd.Stderr = &s.stderr
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "INLAY_") {
			s.cmd.Env = append(s.cmd.Env, variable)
		}
	}
	require.NoError(t, s.cmd.Start())
	go func() { s.exited <- s.cmd.Wait() }()
	return s
}

// stop ends the program as an operator would.
func (s *server) stop(t *testing.T) {
	t.Helper()
	if s.stopped {
		return
	}
	s.stopped = true
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended, which its exit code tells
	select {
	case err := <-s.exited:
		assert.NoError(t, err, "%s", s.stderr.String())
	case <-time.After(patience):
		_ = s.cmd.Process.Kill()
		<-s.exited
		t.Error("the server does not stop")
	}
	assert.NotContains(t, s.stderr.String(), "DATA RACE")
	assert.NotContains(t, s.stderr.String(), "panic")
}

// kill ends the program without a word.
func (s *server) kill(t *testing.T) {
	t.Helper()
	s.stopped = true
	require.NoError(t, s.cmd.Process.Kill())
	<-s.exited
}

// eventually asks again and again until the answer is "", which it must become.
func eventually(t *testing.T, ask func() string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		wrong := ask()
		if wrong == "" {
			return
		}
		if time.Now().After(deadline) {
			require.FailNow(t, "waited in vain", "%s", wrong)
		}
		time.Sleep(30 * time.Millisecond)
	}
}
