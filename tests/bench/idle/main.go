// Command idle measures what a subscription costs the server's memory while nothing happens: it starts a server and
// clients as processes of their own, lets so many clients subscribe to one conversation by the same document over plain
// TCP, sends them all a message more, and compares the server's resident memory after garbage collection with that before
// they came.
//
//	go run ./tests/bench/idle -n 1000,10000
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

var (
	counts = flag.String("n", "1000,10000", "how many subscribers, each with a connection of its own; several are measured one after the other")
	tokens = flag.Bool("tokens", false, "give every connection a session of its own, by a token that expires")
	alone  = flag.Bool("alone", false, "give every subscription an execution of its own")
	role   = flag.String("role", "", "what this process does: serve or connect; for itself")
	target = flag.String("address", "", "where the server is; for itself")
)

func main() {
	flag.Parse()
	var err error
	switch *role {
	case "serve":
		err = serve(*tokens, *alone)
	case "connect":
		var n int
		if n, err = strconv.Atoi(*counts); err == nil {
			err = connect(*target, n, *tokens)
		}
	default:
		err = measure()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "idle:", err)
		os.Exit(1)
	}
}

// process is one of the others, which is told lines and answers each with one.
type process struct {
	cmd *exec.Cmd
	in  *bufio.Writer
	out *bufio.Scanner
	end func() error
}

func start(args ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, in: bufio.NewWriter(in), out: bufio.NewScanner(out)}
	p.end = func() error {
		in.Close()
		return cmd.Wait()
	}
	return p, cmd.Start()
}

// ask says a line and returns the answer.
func (p *process) ask(line string) (string, error) {
	fmt.Fprintln(p.in, line)
	if err := p.in.Flush(); err != nil {
		return "", err
	}
	return p.answer()
}

func (p *process) answer() (string, error) {
	if !p.out.Scan() {
		return "", fmt.Errorf("%s ended: %v", p.cmd.Args[1], p.out.Err())
	}
	return p.out.Text(), nil
}

func measure() error {
	fmt.Printf("%10s %12s %12s %12s %12s %12s %8s\n", "sockets", "RSS each", "heap each", "stack each", "objects each", "after GC", "goroutines")
	for _, n := range strings.Split(*counts, ",") {
		if err := measureOne(n); err != nil {
			return err
		}
	}
	return nil
}

// measureOne measures with n subscribers, in bytes for each.
func measureOne(n string) error {
	count, err := strconv.Atoi(n)
	if err != nil {
		return err
	}
	server, err := start("-role=serve", fmt.Sprintf("-tokens=%t", *tokens), fmt.Sprintf("-alone=%t", *alone))
	if err != nil {
		return err
	}
	defer server.end()
	address, err := server.answer()
	if err != nil {
		return err
	}
	// What the first connections bring about is not what each costs.
	if err := withClients(address, "50", func(*process) error { return nil }); err != nil {
		return err
	}
	before, err := server.ask("look")
	if err != nil {
		return err
	}
	return withClients(address, n, func(clients *process) error {
		if _, err := server.ask("say"); err != nil { // what a message to all leaves behind is a part of it
			return err
		}
		if _, err := clients.answer(); err != nil { // they all got it
			return err
		}
		after, err := server.ask("look")
		if err != nil {
			return err
		}
		var a, b look
		if err := a.parse(before); err != nil {
			return err
		}
		if err := b.parse(after); err != nil {
			return err
		}
		each := func(before, after int64) int64 { return (after - before) / int64(count) }
		fmt.Printf("%10d %12d %12d %12d %12d %12d %8d\n", count, each(a.RSS, b.RSS), each(a.Heap, b.Heap), each(a.Stack, b.Stack),
			each(a.Objects, b.Objects), each(a.RSSWithGarbage, b.RSSWithGarbage), b.Goroutines)
		return nil
	})
}

func withClients(address, n string, do func(clients *process) error) error {
	clients, err := start("-role=connect", "-address="+address, "-n="+n, fmt.Sprintf("-tokens=%t", *tokens))
	if err != nil {
		return err
	}
	defer clients.end()
	if _, err := clients.answer(); err != nil { // they are all there
		return err
	}
	return do(clients)
}
