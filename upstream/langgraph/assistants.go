package langgraph

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"

	"inlaygraph/upstream"
	"inlaygraph/upstream/internal/exchange"
	"inlaygraph/wire"
)

// assistant is an assistant as it stands: its newest version.
type assistant struct {
	id      string // the server's
	agentID string // ours, see agentID
	version int
	raw     []byte
}

// graphNamespace is what servers make the ids of the assistants from that they have for each graph by themselves.
var graphNamespace = []byte{0x6b, 0xa7, 0xb8, 0x21, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}

// agentID names an assistant in a conversation: the one that a server has for a graph by itself goes by the graph's
// name, which every deployment of it shares and which servers take for its id; any other goes by its id.
func agentID(id, graph string) string {
	sum := sha1.Sum(append(graphNamespace[:len(graphNamespace):len(graphNamespace)], graph...))
	u := sum[:16]
	u[6], u[8] = u[6]&0x0f|0x50, u[8]&0x3f|0x80
	h := hex.EncodeToString(u)
	if graph != "" && id == h[:8]+"-"+h[8:12]+"-"+h[12:16]+"-"+h[16:20]+"-"+h[20:] {
		return graph
	}
	return id
}

// assistant reads an assistant by its id or by the name of a graph.
func (c *Client) assistant(ctx context.Context, op, name string) (*assistant, error) {
	if kept, ok := c.assistants.get(name); ok {
		return kept, nil
	}
	a, err := c.readAssistant(ctx, op, name)
	if err == nil {
		c.assistants.put(name, a)
	}
	return a, err
}

func (c *Client) readAssistant(ctx context.Context, op, name string) (*assistant, error) {
	body, err := c.http.Read(ctx, exchange.Call{Op: op, Path: []string{"assistants", name}})
	if err != nil {
		if e, ok := errors.AsType[*upstream.Error](err); ok && e.Kind == upstream.Refused { // no spelling of an id
			return nil, &upstream.Error{Op: op, Kind: upstream.NotFound, Status: e.Status, Detail: e.Detail}
		}
		return nil, err
	}
	a := &assistant{raw: body}
	if a.id, a.version, _, err = AgentOf(body); err != nil {
		return nil, errUnlike(op, err)
	}
	o, _ := asObject(sound(body))
	a.agentID = agentID(a.id, o.text("graph_id"))
	return a, nil
}

// assistantOf is the assistant of a thread. One that was deleted left its name there.
func (c *Client) assistantOf(ctx context.Context, l *look) (*assistant, error) {
	a, err := c.assistant(ctx, l.op, l.assistant)
	if errors.Is(err, upstream.NotFound) {
		return &assistant{id: l.assistant, agentID: agentID(l.assistant, l.graph)}, nil
	}
	return a, err
}

// Plan implements upstream.PlanSource. A server draws the graph of an assistant's newest version only: others are
// NotFound, as is the draft, which it does not have.
func (c *Client) Plan(ctx context.Context, _, agentID string, version int) (*wire.Plan, error) {
	const op = "plan"
	a, err := c.readAssistant(ctx, op, agentID)
	if err != nil {
		return nil, err
	}
	if version != a.version || version == 0 {
		return nil, refusal(op, upstream.NotFound, "not the newest version of the assistant")
	}
	plan, err := c.readPlan(ctx, op, a)
	if err != nil {
		return nil, err
	}
	plan.AgentID = agentID // as it was asked for
	return plan, nil
}

func (c *Client) readPlan(ctx context.Context, op string, a *assistant) (*wire.Plan, error) {
	body, err := c.http.Read(ctx, exchange.Call{
		Op: op, Path: []string{"assistants", a.id, "graph"}, Query: map[string][]string{"xray": {"true"}},
	})
	if err != nil {
		return nil, err
	}
	plan, notes, err := Plan(a.raw, body)
	if err != nil {
		return nil, errUnlike(op, err)
	}
	for _, note := range notes {
		c.opts.Logger.Info("left out of a plan", "agent", a.agentID, "version", a.version, "what", note)
	}
	plan.AgentID = a.agentID
	return plan, nil
}

// planIndex is the plan that an assistant's runs are told by, nil for none: a given one, else that of its graph. A run
// is told without one rather than not at all.
func (c *Client) planIndex(ctx context.Context, op string, a *assistant) *wire.PlanIndex {
	of := agentVersion{a.agentID, a.version}
	if given := c.given[of]; given != nil {
		return given
	}
	if a.raw == nil { // it was deleted
		return nil
	}
	if kept, ok := c.graphs.get(of); ok {
		return kept
	}
	plan, err := c.readPlan(ctx, op, a)
	var index *wire.PlanIndex
	if err == nil {
		index, err = wire.NewPlanIndex(plan)
	}
	if err == nil {
		c.graphs.put(of, index)
		return index
	}
	if ctx.Err() == nil {
		c.opts.Logger.Warn("no plan", "agent", a.agentID, "version", a.version, "error", err)
		c.graphs.putFor(of, nil, noGraphFor)
	}
	return nil
}
