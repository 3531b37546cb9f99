package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// fleet is three servers.
type fleet struct {
	binary, upstream, bus string

	mu      sync.Mutex
	servers [3]*exec.Cmd // nil: not there
	ports   [3]int
}

func (f *fleet) url(i int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return fmt.Sprintf("http://127.0.0.1:%d/graphql", f.ports[i])
}

func (f *fleet) start(i int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ports[i] == 0 {
		port, err := freePort()
		if err != nil {
			return err
		}
		f.ports[i] = port
	}
	args := []string{
		"serve", "--listen", fmt.Sprintf("127.0.0.1:%d", f.ports[i]), "--upstream", f.upstream, "--insecure",
		"--idle-poll-seconds", "1", "--max-connections-per-user", "1000", "--drain-seconds", "3", "--log-level", "error",
	}
	if f.bus != "" {
		args = append(args, "--bus", f.bus, "--bus-replicas", "3", "--bus-lease-seconds", "2", "--bus-max-megabytes", "512")
	}
	cmd := exec.Command(f.binary, args...)
	said := &ready{line: make(chan struct{})}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		return err
	}
	f.servers[i] = cmd
	select {
	case <-said.line:
		if !bytes.HasPrefix(said.text.Bytes(), []byte("Inlay GraphQL serves")) {
			return fmt.Errorf("server %d does not start: %s", i+1, said.text.String())
		}
		return nil
	case <-time.After(60 * time.Second):
		return fmt.Errorf("server %d does not start: %s", i+1, said.text.String())
	}
}

// ready tells when a first line was written, and passes on what follows.
type ready struct {
	line chan struct{}
	once sync.Once
	text bytes.Buffer
}

func (r *ready) Write(p []byte) (int, error) {
	if r.text.Len() < 1<<16 {
		r.text.Write(p)
	}
	r.once.Do(func() { close(r.line) })
	if bytes.HasPrefix(p, []byte("{")) {
		os.Stderr.Write(p)
	}
	return len(p), nil
}

func (f *fleet) signal(i int, what syscall.Signal) *exec.Cmd {
	f.mu.Lock()
	defer f.mu.Unlock()
	if cmd := f.servers[i]; cmd != nil {
		_ = cmd.Process.Signal(what) // one that has ended needs none
		return cmd
	}
	return nil
}

func (f *fleet) kill(i int)   { f.over(i, f.signal(i, syscall.SIGKILL)) }
func (f *fleet) end(i int)    { f.over(i, f.signal(i, syscall.SIGTERM)) }
func (f *fleet) freeze(i int) { f.signal(i, syscall.SIGSTOP) }
func (f *fleet) thaw(i int)   { f.signal(i, syscall.SIGCONT) }

func (f *fleet) over(i int, cmd *exec.Cmd) {
	if cmd == nil {
		return
	}
	late := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() }) // it drains for 3 s
	_ = cmd.Wait()                                                            // how it ended is not asked
	late.Stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.servers[i] = nil
}

func (f *fleet) stop() {
	for i := range len(f.servers) {
		f.thaw(i)
		f.kill(i)
	}
}

// rowFields is what is read of every row.
const rowFields = `{ __typename id type
	... on UserRow { content } ... on AssistantRow { content reasoning complete activation } ... on OutputRow { name value status complete }
	... on ToolCallRow { toolCallId toolName input } ... on ToolResultRow { toolCallId output } }`

// timeline is what a server reads of a conversation now.
func (f *fleet) timeline(i int, conversation string) (string, error) {
	body, err := json.Marshal(map[string]any{"query": fmt.Sprintf(`{ conversation(id: %q) { timeline %s } }`, conversation, rowFields)})
	if err != nil {
		return "", err
	}
	client := http.Client{Timeout: 30 * time.Second}
	res, err := client.Post(f.url(i), "application/json", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return "", err
	}
	var r struct {
		Data struct {
			Conversation struct{ Timeline json.RawMessage }
		}
	}
	if err := json.Unmarshal(text, &r); err != nil || r.Data.Conversation.Timeline == nil {
		return "", fmt.Errorf("server %d answers %.300s", i+1, text)
	}
	return string(r.Data.Conversation.Timeline), nil
}
