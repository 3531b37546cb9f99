package story

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Row is a row in GraphQL's terms. A pointer that is nil is null.
type Row struct {
	Typename   string   `json:"__typename"`
	Type       string   `json:"type"`
	ID         string   `json:"id"`
	Seq        *int     `json:"seq"`
	NodeID     *string  `json:"nodeId"`
	Path       []string `json:"path"`
	Activation *string  `json:"activation"`
	At         *string  `json:"at"`
	Content    string   `json:"content"`
	Complete   bool     `json:"complete"`
	ToolCallID string   `json:"toolCallId"`
	ToolName   string   `json:"toolName"`
	Input      string   `json:"input"`
	Output     string   `json:"output"`
}

// Story is a conversation: rows that are persisted, then turns that are open.
type Story struct {
	ID   string
	Rows []Row
	Open []Row // one turn a branch, whose text grows by a token a tick
}

const (
	moment    = "2026-01-31T08:00:00Z"
	passage   = "The run reads its sources, weighs them, and says \"what it found\" before it goes on.\n"
	tokenSize = 8
)

// text is n bytes of prose.
func text(n int) string {
	if n <= 0 {
		return ""
	}
	return strings.Repeat(passage, n/len(passage)+1)[:n]
}

// Token is the text by which a turn grows at a tick.
func Token(turn, tick int) string { return fmt.Sprintf("%c%06d ", 'a'+turn, tick) }

// TickOf reads the newest token at the end of a message: its turn and tick. The message's last string is the text that
// grows.
func TickOf(tail []byte) (turn, tick int, ok bool) {
	i := bytes.LastIndex(tail, []byte(` "`))
	if i < tokenSize-1 || tail[i-7] < 'a' || tail[i-7] > 'z' {
		return 0, 0, false
	}
	tick, err := strconv.Atoi(string(tail[i-6 : i]))
	return int(tail[i-7] - 'a'), tick, err == nil
}

func at[T any](v T) *T { return &v }

// row is the i-th row of a story, with n bytes of text: every tenth a user's, two of ten a tool call and its result.
func row(i, n int, node string) Row {
	r := Row{ID: fmt.Sprintf("row-%d", i), Seq: at(i + 1), At: at(moment)}
	if i%10 == 0 {
		r.Typename, r.Type, r.Content = "UserRow", "user", text(n)
		return r
	}
	r.NodeID, r.Path, r.Activation = at(node), []string{node}, at(fmt.Sprintf("%s-%d", node, i/10))
	switch i % 10 {
	case 5:
		r.Typename, r.Type = "ToolCallRow", "tool-call"
		r.ToolCallID, r.ToolName, r.Input = fmt.Sprintf("call-%d", i/10), "lookup", text(n)
	case 6:
		r.Typename, r.Type = "ToolResultRow", "tool-result"
		r.ToolCallID, r.Output = fmt.Sprintf("call-%d", i/10), text(n)
	default:
		r.Typename, r.Type, r.Content, r.Complete = "AssistantRow", "assistant", text(n), true
	}
	return r
}

// turn is an open turn that already says n bytes, the token of tick 0 at their end.
func turn(i, n int, node string) Row {
	return Row{
		ID: fmt.Sprintf("turn-%d", i), Typename: "AssistantRow", Type: "assistant",
		NodeID: at(node), Path: []string{node}, Activation: at(node + "-open"), At: at(moment),
		Content: text(n-tokenSize) + Token(i, 0),
	}
}

// Chat is a conversation of rows whose last one grows; a message of all of them is of about size bytes.
func Chat(rows, size int) *Story {
	n := 200
	for range 2 { // text is escaped, so that the first guess is not the last
		s := chat(rows, n)
		n += (size - len(Everything.Message(s.At(0), "1"))) / rows
	}
	return chat(rows, max(n, 2*tokenSize))
}

func chat(rows, n int) *Story {
	s := &Story{ID: "chat"}
	for i := range rows - 1 {
		s.Rows = append(s.Rows, row(i, n, "writer"))
	}
	s.Open = []Row{turn(0, n, "writer")}
	return s
}

// Branches is a conversation of nodes that work at the same time, each with a few rows and a turn that grows.
func Branches(branches, rows, size int) *Story {
	s := &Story{ID: "branches"}
	for b := range branches {
		node := Branch(b)
		for range rows - 1 {
			i := len(s.Rows)
			r := row(i-i%10+1+i%4, size, node) // an assistant's
			r.ID, r.Seq = fmt.Sprintf("row-%d", i), at(i+1)
			s.Rows = append(s.Rows, r)
		}
		s.Open = append(s.Open, turn(b, size, node))
	}
	return s
}

// Branch is the node of a branch.
func Branch(b int) string { return fmt.Sprintf("branch%d", b) }

// Long is a conversation that is over, of rows with so many bytes of text each.
func Long(rows, each int) *Story {
	s := &Story{ID: "long"}
	for i := range rows {
		r := row(i, 0, "writer")
		switch own := prose(i, each); r.Type {
		case "tool-call":
			r.Input = own
		case "tool-result":
			r.Output = own
		default:
			r.Content = own
		}
		s.Rows = append(s.Rows, r)
	}
	return s
}

// prose is n bytes that are not those of any other i.
func prose(i, n int) string { return (strconv.Itoa(i) + " " + text(n))[:n] }

// At is every row as it stands after a tick.
func (s *Story) At(tick int) []Row {
	rows := append([]Row(nil), s.Rows...)
	for b, open := range s.Open {
		var text strings.Builder
		text.WriteString(open.Content)
		for k := 1; k <= tick; k++ {
			text.WriteString(Token(b, k))
		}
		open.Content = text.String()
		rows = append(rows, open)
	}
	return rows
}

// Of are the rows of one node.
func Of(rows []Row, node string) []Row {
	var own []Row
	for _, r := range rows {
		if r.NodeID != nil && *r.NodeID == node {
			own = append(own, r)
		}
	}
	return own
}

// Hello is what the servers beside the real one are told first.
func (s *Story) Hello() []byte {
	line, _ := json.Marshal(map[string]any{"rows": s.At(0)}) // strings and numbers have a JSON form
	return line
}

// Grow is what they are told at a tick.
func Grow(tick int) []byte {
	line, _ := json.Marshal(map[string]any{"append": Token(0, tick)})
	return line
}
