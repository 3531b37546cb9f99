package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"
)

// Socket names the environment variable with the path of the Unix socket to answer on.
const Socket = "BENCH_PROBE"

// Usage is what a process used since it began.
type Usage struct {
	CPU time.Duration `json:"cpu"` // in nanoseconds
}

// Memory is what a process holds.
type Memory struct {
	Heap int64 `json:"heap"` // bytes of live objects
	RSS  int64 `json:"rss"`  // bytes of the process that are in memory

	// Of a Go process, what the runtime has taken for heap and stacks, and the goroutines that there are.
	HeapInuse  int64 `json:"heapInuse"`
	Stacks     int64 `json:"stacks"`
	Goroutines int   `json:"goroutines"`
}

// Start answers from now on, if anybody is to ask.
func Start() {
	path := os.Getenv(Socket)
	if path == "" {
		return
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(1)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/usage", func(w http.ResponseWriter, _ *http.Request) { answer(w, usage()) })
	mux.HandleFunc("/memory", func(w http.ResponseWriter, _ *http.Request) { answer(w, memory()) })
	var profile bytes.Buffer
	mux.HandleFunc("/profile/start", func(w http.ResponseWriter, _ *http.Request) {
		profile.Reset()
		if err := pprof.StartCPUProfile(&profile); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
		}
	})
	mux.HandleFunc("/profile/stop", func(w http.ResponseWriter, _ *http.Request) {
		pprof.StopCPUProfile()
		_, _ = w.Write(profile.Bytes())
	})
	mux.HandleFunc("/goroutines", func(w http.ResponseWriter, _ *http.Request) { _ = pprof.Lookup("goroutine").WriteTo(w, 1) })
	mux.HandleFunc("/heap", func(w http.ResponseWriter, _ *http.Request) { _ = pprof.WriteHeapProfile(w) })
	go func() { _ = http.Serve(l, mux) }() // ends with the process
}

func answer(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }

func usage() Usage {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return Usage{}
	}
	return Usage{CPU: time.Duration(u.Utime.Nano() + u.Stime.Nano())}
}

func memory() Memory {
	runtime.GC() // what pools hold survives one collection
	runtime.GC()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return Memory{Heap: int64(m.HeapAlloc), RSS: rss(), HeapInuse: int64(m.HeapInuse), Stacks: int64(m.StackInuse), Goroutines: runtime.NumGoroutine()}
}

// rss is 0 where the system does not tell.
func rss() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kb int64
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	return 0
}

// Client asks a process that listens on a socket.
type Client struct{ http http.Client }

// Dial returns a client for the process that listens on path.
func Dial(path string) *Client {
	var d net.Dialer
	return &Client{http.Client{Timeout: time.Minute, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return d.DialContext(ctx, "unix", path) },
	}}}
}

// Close lets go of the connection.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Usage asks for the CPU used.
func (c *Client) Usage() (u Usage, err error) {
	err = c.get("/usage", &u)
	return u, err
}

// Memory asks for the memory held; it makes the process collect garbage.
func (c *Client) Memory() (m Memory, err error) {
	err = c.get("/memory", &m)
	return m, err
}

// StartProfile begins a CPU profile.
func (c *Client) StartProfile() error { return c.get("/profile/start", nil) }

// StopProfile ends it and returns it, in pprof's format.
func (c *Client) StopProfile() ([]byte, error) {
	var b bytes.Buffer
	err := c.read("/profile/stop", &b)
	return b.Bytes(), err
}

// Goroutines returns the stacks of all goroutines, as text.
func (c *Client) Goroutines() (string, error) {
	var b bytes.Buffer
	err := c.read("/goroutines", &b)
	return b.String(), err
}

// Heap returns a profile of the live objects, in pprof's format.
func (c *Client) Heap() ([]byte, error) {
	var b bytes.Buffer
	err := c.read("/heap", &b)
	return b.Bytes(), err
}

func (c *Client) get(path string, into any) error {
	var b bytes.Buffer
	if err := c.read(path, &b); err != nil || into == nil {
		return err
	}
	return json.Unmarshal(b.Bytes(), into)
}

func (c *Client) read(path string, into *bytes.Buffer) error {
	res, err := c.http.Get("http://probe" + path)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if _, err := into.ReadFrom(res.Body); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("probe: %s: %s", path, res.Status)
	}
	return nil
}
