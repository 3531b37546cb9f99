package transport

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"
)

// FuzzRequest: no body makes the parser panic; what it takes is one JSON object with a query, and what it refuses is refused
// with a text.
func FuzzRequest(f *testing.F) {
	for _, text := range []string{
		`{"query":"{hello}"}`, `{"query":"{hello}","operationName":"A","variables":{"n":1e400,"x":[null,{"y":"😀"}]},"extensions":{"persistedQuery":{}}}`,
		`{"query":null}`, `{"query":5}`, `{"query":"{hello}","variables":[]}`, `{"query":"{hello}","variables":"{}"}`, `[{"query":"{hello}"}]`, ` `, `{`, `null`, `"x"`,
		`{"query":"{a}","query":"{b}"}`, "{\"query\":\"\xff\"}", `{"query":"\ud800"}`, "\ufeff{\"query\":\"{hello}\"}", `{"QUERY":"{hello}"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		req, refused := parseRequest(body)
		if refused != nil {
			if req != nil || refused.Message == "" || !utf8.ValidString(refused.Message) {
				t.Fatalf("%v and %q", req, refused.Message)
			}
			return
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(body, &members) != nil || req.query == "" || !utf8.ValidString(req.query) {
			t.Fatalf("%q of %q", req.query, body)
		}
	})
}

// FuzzParameters is FuzzRequest for the query string of a GET.
func FuzzParameters(f *testing.F) {
	for _, text := range []string{
		`query={hello}`, `query=%7Bhello%7D&operationName=A&variables=%7B%22n%22%3A1%7D&extensions={}`, `query=a&query=b`, `variables=[]&query=x`, `query=%`, `query=%ff`,
		`query=x&variables={`, `query=x&operationName=%00`, ``, `&&=`, `query=x;y`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		values, err := url.ParseQuery(text)
		if err != nil {
			return // which the handler refuses
		}
		req, refused := parseQueryParameters(values)
		switch {
		case refused != nil:
			if req != nil || refused.Message == "" || !utf8.ValidString(refused.Message) {
				t.Fatalf("%v and %q", req, refused.Message)
			}
		case req.query == "" || len(values["query"]) != 1 || !utf8.ValidString(req.query):
			t.Fatalf("%q of %q", req.query, text)
		}
	})
}

// FuzzFrames: whatever bytes come on a WebSocket after its upgrade, the connection ends, by itself or with its peer, nothing is
// left of it, and no panic is logged. The server speaks UTF-8 text and closes with a code of the protocol.
func FuzzFrames(f *testing.F) {
	masked := func(head byte, text string) string {
		return string([]byte{head, 0x80 | byte(len(text)), 0, 0, 0, 0}) + text
	}
	initial := masked(finalBit|opText, `{"type":"connection_init"}`)
	for _, bytes := range []string{
		initial + masked(finalBit|opText, `{"type":"subscribe","id":"1","payload":{"query":"{hello}"}}`) + masked(finalBit|opClose, "\x03\xe8bye"),
		initial + masked(finalBit|opText, `{"type":"subscribe","id":"1","payload":{"query":"subscription{count(to:3)}"}}`) + masked(finalBit|opText, `{"type":"complete","id":"1"}`),
		masked(opText, `{"type":`) + masked(finalBit|opPing, "x") + masked(0, `"pi`) + masked(finalBit, `ng"}`), masked(finalBit|opClose, "\x03"), masked(finalBit|opClose, "\x00\x01"),
		"\x81\x05hello", "\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\xc1\x80\x00\x00\x00\x00", "\x83\x80\x00\x00\x00\x00", masked(finalBit|0x2, "{}"), masked(finalBit|opPong, ""), masked(finalBit, "x"), "",
		initial + initial, masked(finalBit|opText, "\xff"), masked(finalBit|opText, "[]"),
	} {
		f.Add([]byte(bytes))
	}
	s := start(f, Options{InitTimeout: time.Second, CloseTimeout: 50 * time.Millisecond, MaxRequestBytes: 4096})
	f.Fuzz(func(t *testing.T, raw []byte) {
		conn, err := net.Dial("tcp", s.address())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		dialer := websocket.Dialer{Subprotocols: []string{subprotocol}, NetDial: func(string, string) (net.Conn, error) { return conn, nil }}
		ws, resp, err := dialer.Dial("ws"+strings.TrimPrefix(s.url, "http"), nil)
		if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
			t.Fatal(err)
		}
		if _, err := conn.Write(raw); err != nil {
			t.Fatal(err)
		}
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil { // that was all
			t.Fatal(err)
		}
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		for {
			kind, text, err := ws.ReadMessage()
			if err == nil {
				if kind != websocket.TextMessage || !json.Valid(text) {
					t.Fatalf("%d %q", kind, text)
				}
				continue
			}
			if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
				t.Fatal("the connection does not end")
			}
			break
		}
		_, _ = io.Copy(io.Discard, conn)
		if log := s.logs.String(); strings.Contains(log, "panic") {
			t.Fatal(log)
		}
	})
	eventually(f, "no connection is left", func() bool { return s.Connections() == 0 })
}
