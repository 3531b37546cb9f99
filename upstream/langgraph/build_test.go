package langgraph

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

// What a server sends, in short. A place is a namespace and a node with its task: "sub:t1|inner:t2".

func js(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func mode(name, namespace string) string {
	if namespace == "" {
		return name
	}
	return name + "|" + namespace
}

func at(place string) (namespace, node, task string) {
	namespace, node, task, ok := innermost(place)
	if !ok {
		panic(place)
	}
	return namespace, node, task
}

// starts is a task's start. Triggers default to the one that a static edge gives.
func starts(place string, triggers ...string) event { return startsWith(place, `{}`, triggers...) }

func startsWith(place, input string, triggers ...string) event {
	namespace, node, task := at(place)
	if len(triggers) == 0 {
		triggers = []string{"branch:to:" + node}
	}
	return event{mode("tasks", namespace), fmt.Sprintf(`{"id":%q,"name":%q,"input":%s,"triggers":%s,"interrupts":[]}`, task, node, input, js(triggers))}
}

// ends is a task's end with what it gave.
func ends(place, result string) event {
	namespace, node, task := at(place)
	return event{mode("tasks", namespace), fmt.Sprintf(`{"id":%q,"name":%q,"result":%s,"interrupts":[],"error":null}`, task, node, result)}
}

func fails(place, name, text string) event {
	namespace, node, task := at(place)
	return event{mode("tasks", namespace), fmt.Sprintf(`{"id":%q,"name":%q,"result":{},"interrupts":[],"error":{"message":%q,"name":%q}}`, task, node, text, name)}
}

func asks(place, id, value string) event {
	namespace, node, task := at(place)
	return event{mode("tasks", namespace), fmt.Sprintf(`{"id":%q,"name":%q,"result":{},"interrupts":[{"id":%q,"value":%s}],"error":null}`, task, node, id, value)}
}

// chunk is a piece of a model's message with those members.
func chunk(place, id, members string) event {
	if !strings.Contains(members, `"content":`) {
		members = `"content":"",` + members
	}
	if !strings.Contains(members, `"tool_call_chunks":`) {
		members += `,"tool_call_chunks":[]`
	}
	return whole(place, fmt.Sprintf(`{%s,"id":%q,"type":"ai"}`, members, id))
}

func says(place, id, text string) event { return chunk(place, id, `"content":`+js(text)) }

func stops(place, id string, in, out int) event {
	return chunk(place, id, fmt.Sprintf(`"usage_metadata":{"input_tokens":%d,"output_tokens":%d,"total_tokens":%d},"response_metadata":{"finish_reason":"stop"}`, in, out, in+out))
}

// whole is a message as it stands.
func whole(place, message string) event {
	namespace, node, _ := at(place)
	return event{mode("messages", namespace), fmt.Sprintf(`[%s,{"langgraph_node":%q,"langgraph_checkpoint_ns":%q}]`, message, node, place)}
}

// ai is a model's message in a result.
func ai(id, text string) string {
	return fmt.Sprintf(`{"content":%s,"id":%q,"type":"ai","tool_calls":[]}`, js(text), id)
}

// aiCalls is one with calls, each "id name args".
func aiCalls(id, text string, calls ...string) string {
	var list []string
	for _, c := range calls {
		p := strings.SplitN(c, " ", 3)
		list = append(list, fmt.Sprintf(`{"id":%q,"name":%q,"args":%s,"type":"tool_call"}`, p[0], p[1], p[2]))
	}
	return fmt.Sprintf(`{"content":%s,"id":%q,"type":"ai","tool_calls":[%s]}`, js(text), id, strings.Join(list, ","))
}

func tool(id, call, text string) string {
	return fmt.Sprintf(`{"content":%s,"id":%q,"type":"tool","status":"success","tool_call_id":%q,"name":"lookup"}`, js(text), id, call)
}

func messages(list ...string) string { return `{"messages":[` + strings.Join(list, ",") + `]}` }

// told runs events as one run and tells its frames in short, the run's start left out.
func told(t testing.TB, info RunInfo, o OutcomeStatus, events ...event) []string {
	t.Helper()
	lines, _ := toldRun(t, info, Outcome{Status: o}, events...)
	return lines
}

func toldRun(t testing.TB, info RunInfo, o Outcome, events ...event) ([]string, *Run) {
	t.Helper()
	if info.ThreadID == "" {
		info.ThreadID = "T"
	}
	if info.RunID == "" {
		info.RunID = "R1"
	}
	if info.AgentID == "" {
		info.AgentID = "A"
	}
	frames, r := translate(info, events, o)
	if info.Known == nil {
		folded(t, frames)
	}
	var lines []string
	for _, f := range frames[1:] {
		lines = append(lines, short(f))
	}
	return lines, r
}

// short is a frame on a few words: its type, its place, what it says.
func short(f *wire.Frame) string {
	words := []string{f.Type.String()}
	if f.NodeID != "" {
		place := strings.Join(append(append([]string{}, f.SubgraphPath...), f.NodeID), "/")
		if f.Activation != "" {
			place += "@" + f.Activation
		}
		if f.Iteration != 0 {
			place += fmt.Sprintf("[%d]", f.Iteration)
		}
		words = append(words, place)
	}
	if f.ID != "" {
		words = append(words, strings.TrimPrefix(f.ID, "T/"))
	}
	switch f.Type {
	case wire.NodeStart:
		if f.Kind != kindNode {
			words = append(words, f.Kind)
		}
	case wire.UserMessage, wire.MessageDelta, wire.MessageEnd:
		if f.HasContent {
			words = append(words, fmt.Sprintf("%q", f.Content))
		}
		if f.HasReasoning {
			words = append(words, fmt.Sprintf("thinks %q", f.Reasoning))
		}
	case wire.ToolCall:
		words = append(words, f.ToolCallID, f.ToolName, f.Input)
		if f.RequiresClientResponse {
			words = append(words, "client")
		}
	case wire.ToolResult:
		words = append(words, f.ToolCallID, fmt.Sprintf("%q", f.Output))
	case wire.EdgeFired:
		from := f.From
		if f.HasFromPort {
			from += ":" + f.FromPort
		}
		words = append(words, strings.Join(append(append([]string{}, f.SubgraphPath...), from), "/")+"->"+f.To)
	case wire.NodeEnd, wire.RunPause, wire.RunEnd:
		words = append(words, f.Status.String())
		if f.Error != nil {
			words = append(words, fmt.Sprintf("%s %q", f.Error.Kind, f.Error.Message))
		}
		if f.Usage != nil {
			words = append(words, fmt.Sprintf("%d+%d+%d", f.Usage.PromptTokens, f.Usage.CompletionTokens, f.Usage.ReasoningTokens))
		}
	}
	return strings.Join(words, " ")
}

// planOf makes a plan of lines "a -> b", "a :port-> b", and "node kind".
func planOf(t require.TestingT, lines ...string) *wire.PlanIndex {
	p := &wire.Plan{AgentID: "A", AgentVersion: 1}
	node := func(path string) []string {
		segments := strings.Split(path, "/")
		for n := 1; n <= len(segments); n++ {
			known := false
			for _, other := range p.Nodes {
				known = known || strings.Join(other.Path, "/") == strings.Join(segments[:n], "/")
			}
			if !known {
				p.Nodes = append(p.Nodes, wire.PlanNode{Path: segments[:n]})
			}
		}
		return segments
	}
	for _, line := range lines {
		words := strings.Fields(line)
		switch {
		case words[0] == "tool":
			p.Tools = append(p.Tools, wire.PlanTool{
				Name: words[1], RequiresClientResponse: strings.Contains(line, " client"), Private: strings.Contains(line, " private"),
			})
		case len(words) == 3:
			from, to := node(words[0]), node(words[2])
			port := strings.TrimSuffix(words[1], "->")
			p.Edges = append(p.Edges, wire.PlanEdge{
				SubgraphPath: from[:len(from)-1], From: from[len(from)-1], To: to[len(to)-1],
				FromPort: strings.TrimPrefix(port, ":"), HasFromPort: port != "",
			})
		default:
			node(words[0])
			for i := range p.Nodes {
				if strings.Join(p.Nodes[i].Path, "/") == words[0] && len(words) > 1 {
					p.Nodes[i].Kind = words[1]
				}
			}
		}
	}
	x, err := wire.NewPlanIndex(p)
	require.NoError(t, err)
	return x
}
