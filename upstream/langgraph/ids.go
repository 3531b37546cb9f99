package langgraph

import (
	"strconv"
	"strings"
)

// Row ids: the thread, what the row is, and the server's own id. Messages may carry ids that their senders chose, and
// a thread can be copied with all its messages, so that only the thread makes them unique.
const (
	idUser   = "user"
	idTurn   = "turn"
	idCall   = "call"
	idResult = "result"
)

// rowID makes a row id of its parts; different parts make different ids.
func rowID(thread string, parts ...string) string {
	var b strings.Builder
	b.WriteString(thread)
	for _, part := range parts {
		b.WriteByte('/')
		b.WriteString(partEscapes.Replace(part))
	}
	return b.String()
}

var partEscapes = strings.NewReplacer("%", "%25", "/", "%2F")

// turnID is the id of a message's turn: of the message, and of the turn's place in it from the second on.
func turnID(thread, message string, segment int) string {
	if segment == 0 {
		return rowID(thread, idTurn, message)
	}
	return rowID(thread, idTurn, message, strconv.Itoa(segment))
}
