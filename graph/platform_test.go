package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// platform is an upstream in memory: it reads, drives, lists and bills. It has the conversation c1 of the agent writer,
// and what is begun there.
type platform struct {
	mu    sync.Mutex
	heads map[string]*wire.Head
	rows  map[string][]*wire.Row
	fails error    // what everything but reading a conversation answers instead
	asked []string // what it was asked, but for reading conversations
	reads int      // of conversations
}

// Where c1 stands.
type standing func(*platform)

func paused(p *platform)    { p.heads["c1"].Status = wire.Paused }
func running(p *platform)   { p.heads["c1"].Status = wire.Running }
func completed(p *platform) { p.heads["c1"].Status = wire.Completed }

func failed(p *platform) {
	h := p.heads["c1"]
	h.Status, h.Retryable, h.HasRetryable = wire.Failed, true, true
	h.Error = &wire.PublicError{Kind: wire.ErrorLLM, Message: "the model does not answer"}
}

func awaiting(p *platform) {
	p.heads["c1"].Status = wire.AwaitingClientTool
	p.rows["c1"] = append(p.rows["c1"], &wire.Row{Type: wire.RowToolCall, Body: wire.Body{
		Seq: 7, ID: "t1", ToolCallID: "call1", ToolName: "approve", Input: `{"what":"otters"}`, RequiresClientResponse: true,
	}})
}

func newPlatform(stands standing) *platform {
	p := &platform{
		heads: map[string]*wire.Head{"c1": {
			ConversationID: "c1", AgentID: "writer", AgentVersion: 2, LastOffset: 10, HasLastOffset: true,
			UpdatedAt: time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC),
		}},
		rows: map[string][]*wire.Row{},
	}
	for seq := int64(1); seq <= 6; seq++ {
		p.rows["c1"] = append(p.rows["c1"], &wire.Row{Type: wire.RowUser, Body: wire.Body{Seq: seq, ID: fmt.Sprintf("u%d", seq), Content: "otters?"}})
	}
	stands(p)
	return p
}

// ask notes what was asked, and answers in the platform's place when the test wants that.
func (p *platform) ask(format string, args ...any) error {
	p.asked = append(p.asked, fmt.Sprintf(format, args...))
	return p.fails
}

// wasAsked is what the platform was asked so far, each on a line of its own.
func (p *platform) wasAsked() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var lines strings.Builder
	for _, line := range p.asked {
		lines.WriteString(line + "\n")
	}
	return lines.String()
}

func (p *platform) find(op, id string) (*wire.Head, error) {
	p.reads++
	if p.heads[id] == nil {
		return nil, &upstream.Error{Op: op, Kind: upstream.NotFound, Status: 404}
	}
	head := *p.heads[id]
	return &head, nil
}

// Head implements upstream.Source.
func (p *platform) Head(_ context.Context, _, id string) (*wire.Head, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.find("head", id)
}

// Rows implements upstream.Source.
func (p *platform) Rows(_ context.Context, _, id string, q upstream.RowsQuery) (*wire.Page, []*wire.Rejection, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.find("rows", id); err != nil {
		return nil, nil, err
	}
	page := &wire.Page{}
	for _, row := range p.rows[id] {
		if row.Seq > q.AfterSeq && (q.BeforeSeq == 0 || row.Seq < q.BeforeSeq) {
			page.Rows = append(page.Rows, row)
		}
	}
	if n := len(page.Rows) - q.Limit; n > 0 {
		page.Rows, page.HasEarlier = slices.Clone(page.Rows[n:]), true
	}
	return page, nil, nil
}

// Stream implements upstream.Source.
func (p *platform) Stream(_ context.Context, _, id string, _ int64) (upstream.Stream, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	head, err := p.find("stream", id)
	if err != nil {
		return nil, err
	}
	if head.Status != wire.Running {
		return nil, &upstream.Error{Op: "stream", Kind: upstream.Idle, Status: 204}
	}
	return newFrames(), nil
}

// Execute implements upstream.Driver.
func (p *platform) Execute(_ context.Context, auth, agentID string, in *wire.ExecutionInput) (upstream.Stream, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.ask("execute %s as %s: %s", agentID, auth, in.AppendJSON(nil)); err != nil {
		return nil, err
	}
	id := in.ConversationID
	if id == "" {
		id = "c2"
		p.heads[id] = &wire.Head{ConversationID: id, AgentID: agentID, AgentVersion: 2, HasLastOffset: true}
	}
	return p.run(id, &wire.Frame{Type: wire.UserMessage, Body: wire.Body{ID: "said", Content: in.Messages[0].Content}}), nil
}

// Retry implements upstream.Driver.
func (p *platform) Retry(_ context.Context, auth, id string) (upstream.Stream, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.ask("retry %s as %s", id, auth); err != nil {
		return nil, err
	}
	return p.run(id), nil
}

// run begins a run, which goes on for as long as the stream is read.
func (p *platform) run(id string, more ...*wire.Frame) upstream.Stream {
	head := p.heads[id]
	head.Status, head.Error, head.Retryable = wire.Running, nil, false
	more = append([]*wire.Frame{{Type: wire.RunStart, Body: wire.Body{
		RunID: "r1", ConversationID: id, AgentID: head.AgentID, AgentVersion: head.AgentVersion,
	}}}, more...)
	for _, frame := range more {
		head.LastOffset++
		frame.Offset = head.LastOffset
	}
	return newFrames(more...)
}

// Cancel implements upstream.Driver.
func (p *platform) Cancel(_ context.Context, auth, id string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ask("cancel %s as %s", id, auth)
}

// List implements upstream.History.
func (p *platform) List(_ context.Context, auth string, q upstream.ListQuery) (*wire.SummaryPage, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.ask("list as %s: limit %d offset %d agent %q status %q", auth, q.Limit, q.Offset, q.AgentID, q.Status); err != nil {
		return nil, err
	}
	version := 2
	at := time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)
	return &wire.SummaryPage{Items: []*wire.Summary{
		{ConversationID: "c1", AgentID: "writer", AgentVersion: &version, Title: "Otters", Status: wire.Completed, CreatedAt: at, UpdatedAt: at.Add(time.Minute)},
		{ConversationID: "c0"},
	}, HasMore: true}, nil
}

// Backlinks implements upstream.History.
func (p *platform) Backlinks(_ context.Context, auth, id, table, rowID string) (json.RawMessage, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.ask("backlinks of %s/%s in %s as %s", table, rowID, id, auth); err != nil {
		return nil, err
	}
	return json.RawMessage(`[{"table":"cities","row_id":"b","rank":1.10}]`), nil
}

// bills are the billing answers, by path.
var bills = map[string]string{
	"billing/balance": `{"available_micro_usd":-1500000,"ledger_micro_usd":9007199254740991,"pending_micro_usd":0,"expiring_micro_usd":5,
		"next_expiry_at":"2026-02-01T00:00:00Z","overage":"pay_as_you_go","updated_at":"2026-01-31T08:00:00+01:00"}`,
	"billing/usage": `{"period_start":"2026-01-01T00:00:00Z","used_micro_usd":1234567,"prompt_tokens":9007199254740991,"run_count":3,
		"lines":[{"key":"writer","label":"Writer","used_micro_usd":1,"quantity":7,"unit":"runs"},{"key":"other","used_micro_usd":2}]}`,
	"billing/plans": `{"current_plan_id":"pro","status":"active","cancel_at_period_end":false,"plans":[
		{"id":"free","name":"Free","price_micro_usd":0,"features":[]},
		{"id":"pro","name":"Pro","description":"More","price_micro_usd":20000000,"interval":"month","included_micro_usd":25000000,"trial_days":14,"features":["Otters"]}]}`,
	"billing/invoices":  `{"invoices":[{"id":"i1","number":"2026-1","status":"paid","total_micro_usd":20000000,"tax_micro_usd":0,"hosted_url":"https://pay.example/i1"}]}`,
	"billing/grants":    `{"grants":[{"id":"g1","name":"Welcome","source":"promotion","amount_micro_usd":5000000,"remaining_micro_usd":0,"priority":1}]}`,
	"billing/topup":     `{"url":"https://pay.example/topup?n=1"}`,
	"billing/subscribe": `{"url":"https://pay.example/subscribe"}`,
}

// Get implements billing.Upstream.
func (p *platform) Get(_ context.Context, auth string, query url.Values, path ...string) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := strings.Join(path, "/")
	err := p.ask("get %s?%s as %s", at, query.Encode(), auth)
	return []byte(bills[at]), err
}

// Post implements billing.Upstream.
func (p *platform) Post(_ context.Context, auth string, body []byte, path ...string) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := strings.Join(path, "/")
	err := p.ask("post %s as %s: %s", at, auth, body)
	return []byte(bills[at]), err
}

// frames is a stream that delivers some frames and then waits for more.
type frames struct {
	mu     sync.Mutex
	rest   []*wire.Frame
	closed chan struct{}
	once   sync.Once
}

func newFrames(rest ...*wire.Frame) *frames { return &frames{rest: rest, closed: make(chan struct{})} }

// Next implements upstream.Stream.
func (f *frames) Next(ctx context.Context) (upstream.Item, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.rest) > 0 {
		next := f.rest[0]
		f.rest = f.rest[1:]
		return upstream.Item{Frame: next, Offset: next.Offset}, nil
	}
	select {
	case <-ctx.Done():
		return upstream.Item{}, ctx.Err()
	case <-f.closed:
		return upstream.Item{}, io.EOF
	}
}

// Close implements upstream.Stream.
func (f *frames) Close() error {
	f.once.Do(func() { close(f.closed) })
	return nil
}
