package story

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Document is a subscription to a list of rows.
type Document struct {
	Root    string   // the root field with its arguments
	Name    string   // of the root field
	Shared  []string // fields of every row
	Content string   // the alias of an assistant's content, "content" for none
}

// shared are the fields of a row that a document may ask for.
var shared = []string{"__typename", "id", "seq", "nodeId", "path", "activation", "at"}

// Everything asks for the timeline with all that the stories have.
var Everything = Document{
	Root: "timeline(conversationId: $id)", Name: "timeline", Shared: shared, Content: "content",
}

// Different is the i-th of documents no two of which are the same: which fields they ask for differs, and the name of one.
func Different(i int) Document {
	d := Everything
	d.Shared = []string{"__typename", "id"}
	for bit, field := range shared[2:] {
		if i>>bit&1 == 0 {
			d.Shared = append(d.Shared, field)
		}
	}
	d.Content = fmt.Sprintf("c%d", i)
	return d
}

// RowsAt asks for the rows of one node.
func RowsAt(node string) Document {
	d := Everything
	d.Root, d.Name = fmt.Sprintf("rowsAt(conversationId: $id, path: [%q])", node), "rowsAt"
	return d
}

// Query is the document's text. The text that grows is what a message of it ends with.
func (d Document) Query() string {
	return fmt.Sprintf("subscription Watch($id: ID!) { %s { %s } }", d.Root, d.selection())
}

func (d Document) selection() string {
	content := "content"
	if d.Content != content {
		content = d.Content + ": content"
	}
	return strings.Join(d.Shared, " ") + " ... on UserRow { content } ... on ToolCallRow { toolCallId toolName input } " +
		"... on ToolResultRow { toolCallId output } ... on AssistantRow { complete " + content + " }"
}

// Changes asks for the timeline by operations, at most one message every so many milliseconds.
func Changes(everyMs int) string {
	return fmt.Sprintf("subscription Watch($id: ID!) { rowChanges(conversationId: $id, minIntervalMs: %d) { cursor ops { __typename "+
		"... on RowsReset { rows { ...R } } ... on RowInserted { index row { ...R } } ... on RowReplaced { index row { ...R } } "+
		"... on RowRemoved { index } ... on RowTextAppended { index field offset text } } } } fragment R on Row { %s }",
		everyMs, Everything.selection())
}

// Subscribe is the payload of a subscribe message.
func Subscribe(query, conversation string) []byte {
	payload, _ := json.Marshal(map[string]any{"query": query, "variables": map[string]string{"id": conversation}})
	return payload
}

// field is a row's value under the name of a field.
func (r *Row) field(name string) any {
	values := map[string]any{
		"__typename": r.Typename, "id": r.ID, "seq": r.Seq, "nodeId": r.NodeID, "path": r.Path, "activation": r.Activation, "at": r.At,
	}
	return values[name]
}

// own are the fields of a row's own type.
func (d Document) own(r *Row) map[string]any {
	switch r.Typename {
	case "UserRow":
		return map[string]any{"content": r.Content}
	case "ToolCallRow":
		return map[string]any{"toolCallId": r.ToolCallID, "toolName": r.ToolName, "input": r.Input}
	case "ToolResultRow":
		return map[string]any{"toolCallId": r.ToolCallID, "output": r.Output}
	}
	return map[string]any{"complete": r.Complete, d.Content: r.Content}
}

func (d Document) rows(rows []Row) []any {
	list := make([]any, 0, len(rows))
	for i := range rows {
		m := d.own(&rows[i])
		for _, name := range d.Shared {
			m[name] = rows[i].field(name)
		}
		list = append(list, m)
	}
	return list
}

// Message is a message that holds rows, but for the order of members.
func (d Document) Message(rows []Row, id string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(map[string]any{"id": id, "type": "next", "payload": map[string]any{"data": map[string]any{d.Name: d.rows(rows)}}})
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Check says what is wrong with a message that is to hold rows.
func (d Document) Check(message []byte, rows []Row, id string) error {
	var got, want any
	if err := json.Unmarshal(message, &got); err != nil {
		return fmt.Errorf("a message is no JSON: %w", err)
	}
	expected := d.Message(rows, id)
	if err := json.Unmarshal(expected, &want); err != nil {
		return err
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("a message is not what the story says:\n got %.2000s\nwant %.2000s", message, expected)
	}
	return nil
}
