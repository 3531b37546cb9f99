package transport

import (
	"encoding/binary"
	"unicode/utf8"
)

// closeReason is why a WebSocket is closed: the code and text of the close frame, and what the client is to make of it.
type closeReason struct {
	code  int
	text  string
	retry bool // the client should come back by itself, and graphql-ws does
}

// closeReasons is every reason for which this side closes a WebSocket (promise 6; docs/service.md, "WebSocket and SSE").
// A text may be replaced by one that says more.
var (
	closeProtocolError   = closeReason{1002, "WebSocket protocol error", false}
	closeTooLarge        = closeReason{1009, "Message too large", false}
	closeInternal        = closeReason{1011, "Internal error", false}
	closeDrain           = closeReason{1012, "Service restart", true}
	closeTryLater        = closeReason{1013, "Try again later", true}
	closeMalformed       = closeReason{4400, "Invalid message", false}
	closeUnauthorized    = closeReason{4401, "Unauthorized", false} // subscribed before the acknowledgement
	closeForbidden       = closeReason{4403, "Forbidden", true}     // a missing, bad or expired token: retried with a fresh one
	closeSubprotocol     = closeReason{4406, "Subprotocol not acceptable", false}
	closeInitTimeout     = closeReason{4408, "Connection initialisation timeout", false}
	closeSubscriberExist = closeReason{4409, "Subscriber already exists", false}
	closeTooManyInits    = closeReason{4429, "Too many initialisation requests", false}

	closeReasons = []closeReason{closeProtocolError, closeTooLarge, closeInternal, closeDrain, closeTryLater, closeMalformed,
		closeUnauthorized, closeForbidden, closeSubprotocol, closeInitTimeout, closeSubscriberExist, closeTooManyInits}
)

// expiredMessage is what closeForbidden says of a session that was good before.
const expiredMessage = "The session has expired"

func (r closeReason) saying(text string) closeReason {
	r.text = text
	return r
}

// maxCloseText is what a control frame has room for beside the code.
const maxCloseText = 123

// frame is the whole close frame.
func (r closeReason) frame() []byte {
	text := r.text
	if len(text) > maxCloseText {
		text = text[:maxCloseText]
		for !utf8.ValidString(text) {
			text = text[:len(text)-1]
		}
	}
	buf := append(make([]byte, 0, 4+len(text)), finalBit|opClose, byte(2+len(text)))
	buf = binary.BigEndian.AppendUint16(buf, uint16(r.code))
	return append(buf, text...)
}
