package transport

import (
	"errors"
	"net"
	"os"
)

// Listener returns l with connections that are reset, once they are closed, when their peer did not take what was written
// until the deadline of that: what the system still holds for it is dropped then. A plain close would go on delivering it for
// as long as the peer likes, beyond the end of its session (promise 13). A server that listens without it keeps its promises
// but for that. It stands below TLS, which would not be seen through it.
func Listener(l net.Listener) net.Listener { return listener{l} }

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &acceptedConn{conn}, nil
}

// acceptedConn is a connection of a Listener. net/http closes it by itself when a write fails, so that it must know by then.
type acceptedConn struct{ net.Conn }

func (c *acceptedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		forget(c.Conn)
	}
	return n, err
}

// forget has the system drop what it holds for the peer when the connection is closed.
func forget(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}

// plain is the connection that the system knows, below TLS and a Listener.
func plain(conn net.Conn) net.Conn {
	if tls, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = tls.NetConn()
	}
	if accepted, ok := conn.(*acceptedConn); ok {
		conn = accepted.Conn
	}
	return conn
}

// resetConnection closes a connection at once, and drops what is on its way.
func resetConnection(conn net.Conn) {
	conn = plain(conn) // closing a TLS connection would first try to write to the peer, which is what cannot be done
	forget(conn)
	conn.Close()
}
