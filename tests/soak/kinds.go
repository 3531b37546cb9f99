package main

import (
	"encoding/json"
	"fmt"
)

// kind is one subscription, and the query that reads the same.
type kind struct {
	field     string // of Subscription
	id        string // of a conversation of the demo's own; "": of the one that the user has at the time
	arguments string // beside the conversation's id
	selection string

	reads  string   // of Conversation
	path   []string // where the slice is in it
	named  string   // which of a list of things with names, "" for the whole
	absent string   // what the subscription sends when no thing has the name
}

// What is selected of each type.
const (
	rowFields     = `{ __typename type id seq nodeId subgraphPath path activation iteration at ... on UserRow { content } ... on AssistantRow { content reasoning complete } ... on OutputRow { name value status format complete schemaErrors } ... on ToolCallRow { toolCallId toolName input requiresClientResponse } ... on ToolResultRow { toolCallId output } }`
	opFields      = `{ cursor ops { __typename ... on RowsReset { rows ` + rowFields + ` } ... on RowInserted { index row ` + rowFields + ` } ... on RowTextAppended { index field offset text } ... on RowReplaced { index row ` + rowFields + ` } ... on RowRemoved { index } } }`
	chatFields    = `{ status pendingTools { toolCallId } toolStates { toolCallId status } error { kind message } capabilities { canSend canCancel } canRetry }`
	runFields     = `{ status nodes { path status visitCount activation finishedAt } edges { subgraphPath from fromPort to count } subagents { path runningCount doneCount failedCount } }`
	feedFields    = `{ mode entries { key parent track iteration row { __typename ... on UserRow { content } ... on AssistantRow { content complete } ... on FanOutRow { nodeName branchStatus } ... on SubagentRow { nodeName runningCount } ... on RepeatRow { mode done total } } } }`
	nodeFields    = `{ path status visitCount active done failed content }`
	subFields     = `{ path status visitCount ... on OpenSubagentView { runningCount doneCount failedCount outputs { name value status } } }`
	pendingFields = `{ toolCallId toolName args path }`
	pairFields    = `{ call { id toolName input } result { id output } delivery { toolCallId status } }`
	bindingFields = `{ name value status format }`
	tableFields   = `{ name rows { rowId key value status links } }`
)

func list(field, id, arguments string) kind {
	reads := field
	if field == "transcript" {
		return kind{field: field, id: id, arguments: arguments, selection: rowFields, reads: "chat { transcript " + rowFields + " }", path: []string{"chat", "transcript"}}
	}
	if field == "rowsAt" {
		reads += "(" + arguments + ")"
	}
	return kind{field: field, id: id, arguments: arguments, selection: rowFields, reads: reads + " " + rowFields, path: []string{field}}
}

// changes are the operations of the timeline, or of the rows of a path.
func changes(id, path string) kind {
	k := list("timeline", id, "")
	if path != "" {
		k = list("rowsAt", id, path)
	}
	k.field, k.selection = "rowChanges", opFields
	return k
}

func chat(id string) kind {
	return kind{field: "chat", id: id, selection: chatFields, reads: "chat " + chatFields, path: []string{"chat"}}
}

func runOf(id string) kind {
	return kind{field: "run", id: id, selection: runFields, reads: "run " + runFields, path: []string{"run"}}
}

func feed(id, agent string, version int) kind {
	pin := fmt.Sprintf("pin: { agentId: %q, agentVersion: %d }", agent, version)
	return kind{field: "feed", id: id, arguments: pin, selection: feedFields, reads: "chat { feed(" + pin + ") " + feedFields + " }", path: []string{"chat", "feed"}}
}

func at(field, id, path, selection string) kind {
	return kind{field: field, id: id, arguments: path, selection: selection, reads: field + "(" + path + ") " + selection, path: []string{field}}
}

func named(field, plural, id, name, selection, absent string) kind {
	return kind{field: field, id: id, arguments: fmt.Sprintf("name: %q", name), selection: selection,
		reads: "chat { " + plural + " " + selection + " }", path: []string{"chat", plural}, named: name, absent: absent}
}

// kinds are all subscription fields of the schema, on conversations that move them.
var kinds = []kind{
	changes("", ""), chat(""), list("transcript", "", ""),
	changes("demo-fanout", ""), changes("demo-subagents", `path: ["north"], subtree: true`), changes("demo-chat", `path: ["answer"]`), changes("demo-repeats", ""),
	chat("demo-approval"), chat("demo-failure"), chat("demo-artifacts"),
	feed("demo-fanout", "travel-desk", 3), feed("demo-subagents", "newsroom", 2),
	list("transcript", "demo-chat", ""), list("timeline", "demo-approval", ""), list("timeline", "", ""),
	list("rowsAt", "demo-fanout", `path: ["flights"]`), list("rowsAt", "demo-fanout", `path: ["hotels"]`), list("rowsAt", "demo-subagents", `path: ["south", "research"], subtree: true`),
	runOf("demo-failure"), runOf("demo-fanout"), runOf(""),
	at("node", "demo-fanout", `path: ["museums"]`, nodeFields), at("node", "demo-repeats", `path: ["vote"]`, nodeFields),
	at("subagent", "demo-subagents", `path: ["north", "research"]`, subFields),
	at("toolCall", "demo-approval", `toolCallId: "demo-approval.call2"`, pairFields),
	{field: "pendingTools", id: "demo-approval", selection: pendingFields, reads: "chat { pendingTools " + pendingFields + " }", path: []string{"chat", "pendingTools"}},
	named("binding", "bindings", "demo-artifacts", "recipe", bindingFields, "null"),
	named("binding", "bindings", "demo-fanout", "budget", bindingFields, "null"),
	named("table", "tables", "demo-artifacts", "pantry", tableFields, `{"name":"pantry","rows":[]}`),
}

// unpaced are the fields that take no minIntervalMs.
var unpaced = map[string]bool{"run": true, "toolCall": true, "pendingTools": true}

// of is how a document names the conversation, and what it then declares. The demo's own stand in the text; the users' own are
// a variable, as pages do it, so that there are no more documents the longer the crowd stays.
func (k kind) of() (name, declares string) {
	if k.id == "" {
		return "$id", "$id: ID!"
	}
	return fmt.Sprintf("%q", k.id), ""
}

// operation is the subscription's text; what it goes on from is a variable.
func (k kind) operation(interval int) string {
	id, variables := k.of()
	arguments := k.arguments
	if !unpaced[k.field] && interval > 0 {
		arguments += fmt.Sprintf(" minIntervalMs: %d", interval)
	}
	if k.field == "rowChanges" {
		arguments, variables = arguments+" after: $after", variables+" $after: String"
	}
	return fmt.Sprintf(`subscription %s { %s(conversationId: %s %s) %s }`, declared(variables), k.field, id, arguments, k.selection)
}

func (k kind) query() string {
	id, variables := k.of()
	return fmt.Sprintf(`query %s { conversation(id: %s) { %s } }`, declared(variables), id, k.reads)
}

func declared(variables string) string {
	if variables == "" {
		return ""
	}
	return "(" + variables + ")"
}

// values are those of a document's variables.
func (k kind) values(id string) map[string]any {
	values := map[string]any{}
	if k.id == "" {
		values["id"] = id
	}
	return values
}

// find is the slice in the data of the query, "" where it is not there.
func (k kind) find(data json.RawMessage) string {
	for _, name := range append([]string{"conversation"}, k.path...) {
		var members map[string]json.RawMessage
		if json.Unmarshal(data, &members) != nil {
			return ""
		}
		data = members[name]
	}
	if k.named == "" {
		return string(data)
	}
	var all []json.RawMessage
	if json.Unmarshal(data, &all) != nil {
		return ""
	}
	for _, one := range all {
		var it struct{ Name string }
		if json.Unmarshal(one, &it) == nil && it.Name == k.named {
			return string(one)
		}
	}
	return k.absent
}
