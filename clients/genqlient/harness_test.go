package example

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

const (
	patience = 60 * time.Second // the machine may be busy with other things
	look     = 20 * time.Millisecond
	secret   = "a secret of thirty-two bytes or more"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) { os.Exit(code) }))
}

// startServer runs the server's program, which INLAYGRAPH names, and returns its address and what ends it.
func startServer(t *testing.T, args ...string) (address string, stop func()) {
	t.Helper()
	program := os.Getenv("INLAYGRAPH")
	require.NotEmpty(t, program, "INLAYGRAPH names no program")
	server := exec.Command(program, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	server.Env = append(os.Environ(), "INLAY_LOG_LEVEL=error")
	said, err := server.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	lines := bufio.NewReader(said)
	first, err := lines.ReadString('\n')
	require.NoError(t, err)
	rest := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(lines)
		rest <- text
	}()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			require.NoError(t, server.Process.Signal(syscall.SIGTERM))
			text := <-rest
			require.NoError(t, server.Wait(), string(text))
		})
	}
	t.Cleanup(stop)
	url, ok := strings.CutPrefix(strings.TrimSpace(first), "Inlay GraphQL serves http://")
	require.True(t, ok, first)
	return strings.TrimSuffix(url, "/graphql"), stop
}

func graphqlAt(address string) string { return "http://" + address + "/graphql" }

// proxy relays connections, which can be cut, and counts what the server says.
type proxy struct {
	address string
	target  atomic.Value // string

	mu     sync.Mutex
	open   map[net.Conn]bool // from clients; true once it is a WebSocket
	counts map[string]int
}

func startProxy(t *testing.T, target string, words ...string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{address: listener.Addr().String(), open: map[net.Conn]bool{}, counts: map[string]int{}}
	for _, word := range words {
		p.counts[word] = 0
	}
	p.target.Store(target)
	var relays sync.WaitGroup
	relays.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			relays.Go(func() { p.relay(client) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		p.mu.Lock()
		for client := range p.open {
			client.Close()
		}
		p.mu.Unlock()
		relays.Wait()
	})
	return p
}

func (p *proxy) relay(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.target.Load().(string))
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	p.open[client] = false
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.open, client)
		p.mu.Unlock()
	}()
	var up sync.WaitGroup
	up.Go(func() {
		io.Copy(server, client)
		server.Close()
	})
	io.Copy(client, io.TeeReader(server, &counter{proxy: p, client: client}))
	client.Close()
	up.Wait()
}

// counter counts words that go by, uncompressed and unmasked.
type counter struct {
	*proxy
	client net.Conn
	tail   []byte
}

func (c *counter) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if bytes.HasPrefix(b, []byte("HTTP/1.1 101")) {
		c.open[c.client] = true
	}
	for word := range c.counts {
		tail := c.tail[max(0, len(c.tail)-len(word)+1):]
		c.counts[word] += bytes.Count(append(bytes.Clone(tail), b...), []byte(word))
	}
	c.tail = append(c.tail, b...)
	c.tail = c.tail[max(0, len(c.tail)-100):]
	return len(b), nil
}

func (p *proxy) count(word string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts[word]
}

// cut ends every open WebSocket, and says how many there were.
func (p *proxy) cut() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for client, upgraded := range p.open {
		if upgraded {
			client.Close()
			n++
		}
	}
	return n
}

// token signs a JSON Web Token by HS256.
func token(user string, lasts time.Duration, by string) string {
	part := func(v any) string {
		text, _ := json.Marshal(v)
		return base64.RawURLEncoding.EncodeToString(text)
	}
	body := part(map[string]string{"alg": "HS256", "typ": "JWT"}) + "." +
		part(map[string]any{"sub": user, "tenant": "acme", "exp": time.Now().Add(lasts).Unix()})
	mac := hmac.New(sha256.New, []byte(by))
	mac.Write([]byte(body))
	return body + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func anonymous(context.Context) (string, error) { return "", nil }

// olderPlatform is an upstream whose rows have no ids (docs/wire.md, "Endpoints").
func olderPlatform(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/conversations/old", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"type":"conversation","conversation_id":"old","agent_id":"elder","agent_version":1,"status":"paused","has_earlier":false}`)
	})
	mux.HandleFunc("GET /v1/conversations/old/rows", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"rows":[{"type":"user","seq":1,"content":"Count to two."},{"type":"assistant","seq":2,"node_id":"counter","content":"One."},`+
			`{"type":"assistant","seq":3,"node_id":"counter","content":"Two."}],"has_earlier":false}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}
