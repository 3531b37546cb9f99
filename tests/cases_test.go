package tests

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the tests select of each type: everything, but for the parts that have operations of their own.
const (
	rowFields = `{ __typename type id seq nodeId subgraphPath path activation iteration at
		... on UserRow { content } ... on AssistantRow { content reasoning complete }
		... on OutputRow { name value status format complete }
		... on ToolCallRow { toolCallId toolName input requiresClientResponse } ... on ToolResultRow { toolCallId output } }`
	opFields = `{ cursor ops { __typename ... on RowsReset { rows ` + rowFields + ` } ... on RowInserted { index row ` + rowFields + ` }
		... on RowTextAppended { index field offset text } ... on RowReplaced { index row ` + rowFields + ` } ... on RowRemoved { index } } }`
	runFields = `{ status hasEarlier totalUsage { promptTokens completionTokens reasoningTokens }
		nodes { path nodeId subgraphPath kind status activation visitCount startedAt finishedAt error { kind message }
			usage { promptTokens completionTokens reasoningTokens } exitedVia }
		edges { subgraphPath from fromPort to count lastFiredAt } subagents { path nodeId runningCount doneCount failedCount } }`
	pendingFields = `{ toolCallId toolName args argumentsJson nodeId subgraphPath path activation delivery { status error } }`
	pairFields    = `{ call { id path at toolName input requiresClientResponse } result { id path at output } delivery { toolCallId status error } }`
	bindingFields = `{ name value status format }`
	tableFields   = `{ name rows { rowId key value status links } }`
	chatFields    = `{ status conversation { conversationId agentId agentVersion } transcript { id } pendingTools ` + pendingFields + `
		toolStates { toolCallId } bindings ` + bindingFields + ` subagentBindings { path bindings ` + bindingFields + ` }
		tables ` + tableFields + ` error { kind message } retryable hasEarlier capabilities { canSend canCancel } canRetry }`
)

// following is one subscription and the query that reads the same slice.
type following struct {
	field     string // of Subscription
	arguments string // beside conversationId
	selection string // with the braces

	reads  string   // the field of Conversation, with its arguments and selection
	path   []string // where the slice is in it
	named  string   // which of a list of things with names, "" for the whole
	absent string   // what the subscription sends when no thing has the name
}

func (f following) name() string { return strings.TrimSpace(f.field + " " + f.arguments) }

func (f following) operation(conversationID string) string {
	text := fmt.Sprintf(`subscription { %s(conversationId: %q %s) %s }`, f.field, conversationID, f.arguments, f.selection)
	if f.reads != "" {
		followings.Store(fromCursor.ReplaceAllString(text, ""), asked{f, conversationID})
	}
	return text
}

// query reads the same slice.
func (f following) query(conversationID string) string {
	return fmt.Sprintf(`{ conversation(id: %q) { %s } }`, conversationID, f.reads)
}

// pick is the slice in the data of the query.
func (f following) pick(t *testing.T, data json.RawMessage) string {
	t.Helper()
	value := at(t, at(t, data, "conversation"), f.path...)
	if f.named == "" {
		return string(value)
	}
	var all []json.RawMessage
	require.NoError(t, json.Unmarshal(value, &all))
	for _, one := range all {
		if string(at(t, one, "name")) == fmt.Sprintf("%q", f.named) {
			return string(one)
		}
	}
	return f.absent
}

// read reads the slice from a server.
func (f following) read(t *testing.T, s *server, conversationID string) string {
	t.Helper()
	return f.pick(t, s.query(t, f.query(conversationID)))
}

// observe turns what a stream received into an observation.
func (f following) observe(t *testing.T, s *stream) Observation {
	t.Helper()
	var received []string
	for _, value := range s.values(t, f.field) {
		received = append(received, string(value))
	}
	if f.field != "rowChanges" {
		return Observation{Values: received}
	}
	rows, err := Replay("", received)
	require.NoError(t, err)
	return Observation{Values: rows, Changes: received}
}

// latest is the value that a stream received last.
func (f following) latest(t *testing.T, s *stream) string {
	t.Helper()
	if f.field == "rowChanges" {
		return lastOf(f.observe(t, s).Values)
	}
	payloads, _, _ := s.look()
	if len(payloads) == 0 {
		return ""
	}
	return string(valueOf(t, f.field, payloads[len(payloads)-1]))
}

// The subscriptions of the schema, each with its query.
func chat(selection string) following {
	return following{field: "chat", selection: selection, reads: "chat " + selection, path: []string{"chat"}}
}

func transcript(arguments string) following {
	return following{field: "transcript", arguments: arguments, selection: rowFields, reads: "chat { transcript " + rowFields + " }", path: []string{"chat", "transcript"}}
}

func timeline(arguments string) following {
	return following{field: "timeline", arguments: arguments, selection: rowFields, reads: "timeline " + rowFields, path: []string{"timeline"}}
}

func rowsAt(arguments string) following {
	return following{field: "rowsAt", arguments: arguments, selection: rowFields, reads: "rowsAt(" + arguments + ") " + rowFields, path: []string{"rowsAt"}}
}

func rowChanges() following {
	f := timeline("")
	f.field, f.selection = "rowChanges", opFields
	return f
}

func rowChangesAt(arguments string) following {
	f := rowsAt(arguments)
	f.field, f.selection = "rowChanges", opFields
	return f
}

func runOf() following {
	return following{field: "run", selection: runFields, reads: "run " + runFields, path: []string{"run"}}
}

func toolCall(id string) following {
	argument := fmt.Sprintf("toolCallId: %q", id)
	return following{field: "toolCall", arguments: argument, selection: pairFields, reads: "toolCall(" + argument + ") " + pairFields, path: []string{"toolCall"}}
}

func pendingTools() following {
	return following{field: "pendingTools", selection: pendingFields, reads: "chat { pendingTools " + pendingFields + " }", path: []string{"chat", "pendingTools"}}
}

func binding(name string) following {
	return following{field: "binding", arguments: fmt.Sprintf("name: %q", name), selection: bindingFields,
		reads: "chat { bindings " + bindingFields + " }", path: []string{"chat", "bindings"}, named: name, absent: "null"}
}

func table(name string) following {
	return following{field: "table", arguments: fmt.Sprintf("name: %q", name), selection: tableFields,
		reads: "chat { tables " + tableFields + " }", path: []string{"chat", "tables"}, named: name, absent: fmt.Sprintf(`{"name":%q,"rows":[]}`, name)}
}
