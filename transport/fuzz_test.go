package transport

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// FuzzMessage: no message makes the parser panic, what it accepts is a message of the protocol, and what it refuses is
// refused with a text that fits a close frame.
func FuzzMessage(f *testing.F) {
	for _, text := range []string{
		`{"type":"connection_init"}`,
		`{"type":"connection_init","payload":{"token":"x","nested":{"a":[1,2,3]}}}`,
		`{"type":"ping","payload":null}`,
		`{"type":"pong","payload":{"a":1}}`,
		`{"type":"subscribe","id":"1","payload":{"query":"{hello}","variables":{"n":1e400},"operationName":null,"extensions":{}}}`,
		`{"type":"subscribe","id":"1","payload":[{"query":"{hello}"}]}`,
		`{"type":"subscribe","id":1,"payload":{"query":"{hello}"}}`,
		`{"type":"complete","id":"1"}`,
		`{"type":"complete","id":""}`,
		`{"type":"start"}`, `{}`, `[]`, `null`, `"x"`, ` {"type":"ping"} `, `{"type":"ping"}{}`, "{\"type\":\"ping\xff\"}",
		`{"type":"ping","type":"pong"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := parseMessage(bytes.Clone(raw), 256)
		if err != nil {
			if len(err.Error()) > maxCloseText || !utf8.ValidString(err.Error()) {
				t.Fatalf("close text %q", err)
			}
			return
		}
		if !json.Valid(raw) {
			t.Fatal("accepted what is not JSON")
		}
		switch m.kind {
		case "connection_init", "ping", "pong":
			if m.payload != nil && !json.Valid(m.payload) {
				t.Fatalf("payload %q", m.payload)
			}
		case "subscribe":
			if m.id == "" || m.request == nil || m.request.query == "" {
				t.Fatalf("%+v", m)
			}
		case "complete":
			if m.id == "" {
				t.Fatalf("%+v", m)
			}
		default:
			t.Fatalf("kind %q", m.kind)
		}
	})
}
