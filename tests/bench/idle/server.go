package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"time"

	"inlaygraph/conversation"
	"inlaygraph/graph"
	"inlaygraph/graph/resolvers"
	"inlaygraph/session"
	"inlaygraph/transport"
	"inlaygraph/wire"
)

// conversationID is of the one conversation there is.
const conversationID = "c1"

// secret is what tokens are signed with.
const secret = "the word that only these processes know"

// serve serves the conversation, says where, and answers every line with how much memory it uses, but for `say`, which
// has every subscriber get a message.
func serve(tokens, alone bool) error {
	hub := conversation.NewHub(conversation.Options{})
	defer hub.Close()
	live := newConversation()
	hub.Adopt(live)
	root := &resolvers.Root{Hub: hub}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	gate := &session.Gate{Logger: log, MaxConnections: 1 << 20}
	if tokens {
		verifier, err := session.NewVerifier(context.Background(), session.Options{Secret: session.Secret(secret), TenantClaim: "tenant", UserClaim: "sub", Logger: log})
		if err != nil {
			return err
		}
		defer verifier.Close()
		verifier.Start()
		gate.Verifier = verifier
	}
	options := transport.Options{Upgrade: gate.Upgrade, Init: gate.Init, Stream: gate.Stream, Logger: log}
	if !alone {
		options.Share = func(ctx context.Context, field string, arguments map[string]any) (*transport.Seat, error) {
			seat, err := root.Share(ctx, field, arguments)
			if seat == nil {
				return nil, err
			}
			return &transport.Seat{Key: seat.Key, Follow: func() transport.Follower { return seat.Follow() }, Leave: seat.Leave}, nil
		}
	}
	handler, err := transport.New(graph.New(root), options)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // until the process ends
	fmt.Println(listener.Addr())
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if lines.Text() == "say" {
			say(live, 100, "last", " Something more.")
			fmt.Println("said")
			continue
		}
		now, err := lookAround()
		if err != nil {
			return err
		}
		fmt.Println(now)
	}
	return nil
}

// profile writes what the heap has to a file, if the environment names one.
func profile() error {
	if profileName == "" {
		return nil
	}
	f, err := os.Create(profileName)
	if err != nil {
		return err
	}
	defer f.Close()
	return pprof.WriteHeapProfile(f)
}

var profileName = os.Getenv("IDLE_HEAP_PROFILE")

func init() {
	if profileName != "" {
		runtime.MemProfileRate = 1
	}
}

// newConversation has 50 rows, 20 KB of text.
func newConversation() *conversation.Live {
	live := conversation.NewLive(conversationID)
	begin := wire.Body{RunID: "run", ConversationID: conversationID, AgentID: "talker", AgentVersion: 1}
	live.Apply(&wire.Frame{Type: wire.RunStart, Offset: 1, Body: begin})
	for i := range 50 {
		say(live, int64(2+i), fmt.Sprint("node", i), strings.Repeat("word ", 60))
	}
	return live
}

// say adds to what a node says.
func say(live *conversation.Live, offset int64, node, text string) {
	live.Apply(&wire.Frame{Type: wire.MessageDelta, Offset: offset, Body: wire.Body{
		Spine: wire.Spine{NodeID: node, Activation: "visit"}, ID: "turn of " + node, Content: text, HasContent: true,
	}})
}

// look is how much memory a process uses, in bytes.
type look struct {
	RSS            int64 // after garbage collection, what is free given back to the system
	RSSWithGarbage int64 // after garbage collection alone
	Heap           int64 // in use
	Stack          int64
	Objects        int64
	Goroutines     int
}

func (l look) String() string {
	return fmt.Sprint(l.RSS, l.RSSWithGarbage, l.Heap, l.Stack, l.Objects, l.Goroutines)
}

func (l *look) parse(text string) error {
	_, err := fmt.Sscan(text, &l.RSS, &l.RSSWithGarbage, &l.Heap, &l.Stack, &l.Objects, &l.Goroutines)
	return err
}

func lookAround() (l look, err error) {
	for range 3 { // stacks shrink by half with each
		runtime.GC()
	}
	if l.RSSWithGarbage, err = resident(); err != nil {
		return l, err
	}
	debug.FreeOSMemory()
	if l.RSS, err = resident(); err != nil {
		return l, err
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	l.Heap, l.Stack, l.Objects, l.Goroutines = int64(m.HeapAlloc), int64(m.StackInuse), int64(m.HeapObjects), runtime.NumGoroutine()
	return l, profile()
}

// resident is this process's resident memory.
func resident() (int64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0, err
	}
	return pages * int64(os.Getpagesize()), nil
}
