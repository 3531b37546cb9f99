// Package feed tells the servers that are measured beside the real one what there is to send: lines over one TCP
// connection, so that being told costs next to nothing.
//
// Promises:
//  1. A server that connects is first told everything that was told before, in order.
//  2. Tell returns when the line is with the kernel, or there is no server yet.
package feed

import (
	"bufio"
	"errors"
	"io"
	"net"
	"sync"
)

// Teller is the side that tells.
type Teller struct {
	l net.Listener

	mu   sync.Mutex
	told [][]byte
	conn net.Conn // nil until the server has connected
	err  error
}

// Listen waits for one server.
func Listen() (*Teller, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t := &Teller{l: l}
	go t.accept()
	return t, nil
}

// Addr is where the server connects to.
func (t *Teller) Addr() string { return t.l.Addr().String() }

func (t *Teller) accept() {
	conn, err := t.l.Accept()
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		t.err = err
		return
	}
	t.conn = conn
	for _, line := range t.told {
		if t.err == nil {
			_, t.err = conn.Write(line)
		}
	}
	t.told = nil
}

// Tell tells a line, which has no line end in it.
func (t *Teller) Tell(line []byte) error {
	line = append(append(make([]byte, 0, len(line)+1), line...), '\n')
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.err != nil:
		return t.err
	case t.conn == nil:
		t.told = append(t.told, line)
		return nil
	}
	_, t.err = t.conn.Write(line)
	return t.err
}

// Close ends the connection, and with it the server.
func (t *Teller) Close() {
	t.l.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn != nil {
		t.conn.Close()
	}
}

// Follow connects to a teller and calls on with each line until the teller closes. The line is on's to keep.
func Follow(addr string, on func(line []byte) error) error {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	r := bufio.NewReaderSize(conn, 64<<10)
	for {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := on(line[:len(line)-1]); err != nil {
			return err
		}
	}
}
