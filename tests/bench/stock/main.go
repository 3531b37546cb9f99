package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/ast"

	"inlaygraph/tests/bench/feed"
	"inlaygraph/tests/bench/probe"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "stock:", err)
		os.Exit(1)
	}
}

// run serves what a teller tells until it closes.
func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: stock HOST:PORT")
	}
	probe.Start()
	c := &conversation{}
	srv := handler.New(NewExecutableSchema(Config{Resolvers: c}))
	srv.AddTransport(transport.Websocket{KeepAlivePingInterval: 10 * time.Second})
	srv.SetQueryCache(lru.New[*ast.QueryDocument](1000))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/graphql", srv)
	server := &http.Server{Handler: mux}
	defer server.Close()
	var serve sync.Once // when there is something to serve
	return feed.Follow(args[0], func(line []byte) error {
		if err := c.tell(line); err != nil {
			return err
		}
		serve.Do(func() {
			go func() { _ = server.Serve(l) }()
			fmt.Fprintf(os.Stderr, "stock gqlgen serves http://%s/graphql\n", l.Addr())
		})
		return nil
	})
}
