package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// talk is the conversation that a user has at the time.
type talk struct {
	id    string
	turns int
}

// turnsOfATalk is after how many turns a user begins another conversation.
const turnsOfATalk = 4

// agents are whom the users talk to: one of each that needs no answer.
var agents = []string{"companion", "travel-desk", "studio", "newsroom"}

// conversation is a user's own at the time, "" before the first.
func (c *crowd) conversation(who *user) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.talks[who]; t != nil {
		return t.id
	}
	return ""
}

// drive has a user go on talking.
func (c *crowd) drive(ctx context.Context, who *user) {
	for n := 0; ctx.Err() == nil; n++ {
		sleep(ctx, time.Duration(2000+137*n%3000)*time.Millisecond)
		if !c.isQuiet() {
			c.goOn(ctx, who)
		}
	}
}

// goOn sends a message where one can be sent, and begins another conversation after some.
func (c *crowd) goOn(ctx context.Context, who *user) {
	c.mu.Lock()
	t := c.talks[who]
	c.mu.Unlock()
	n := 0
	for i, other := range c.up.users {
		if other == who {
			n = i
		}
	}
	input := map[string]any{"agentId": agents[n%len(agents)], "content": fmt.Sprintf("Dear agent, this is %s.", who.canary()), "clientRequestId": fmt.Sprint(time.Now().UnixNano())}
	if t != nil && t.turns < turnsOfATalk {
		a, err := c.post(ctx, who, `query ($id: ID!) { conversation(id: $id) { chat { capabilities { canSend } } } }`, map[string]any{"id": t.id})
		if err != nil || a.code() != "" || !bytes.Contains(a.Data, []byte(`"canSend":true`)) {
			return
		}
		input["conversationId"] = t.id
	}
	const send = `mutation ($input: SendInput!) { send(input: $input) { conversation { id } } }`
	a, err := c.post(ctx, who, send, map[string]any{"input": input})
	if err != nil {
		return // the server's end is seen elsewhere
	}
	switch code := a.code(); code {
	case "":
	case "UPSTREAM_UNAVAILABLE", "RATE_LIMITED", "CONFLICT": // upstream's faults; a run that began all the same
		return
	default:
		c.faults.add("send: %+v", a.Errors)
		return
	}
	var sent struct {
		Send struct{ Conversation struct{ ID string } }
	}
	if err := json.Unmarshal(a.Data, &sent); err != nil || sent.Send.Conversation.ID == "" {
		c.faults.add("send: %s", a.Data)
		return
	}
	c.r.sent.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if id := sent.Send.Conversation.ID; t == nil || t.id != id {
		c.talks[who] = &talk{id: id, turns: 1}
	} else {
		t.turns++
	}
}

// pry has a user ask for what is another user's, which must be turned away.
func (c *crowd) pry(ctx context.Context, who, other *user) {
	for ctx.Err() == nil {
		sleep(ctx, 3*time.Second)
		id := c.conversation(other)
		if id == "" || ctx.Err() != nil {
			continue
		}
		a, err := c.post(ctx, who, `query ($id: ID!) { conversation(id: $id) { id chat { transcript { id } } } }`, map[string]any{"id": id})
		if err != nil {
			continue
		}
		switch a.code() {
		case "NOT_FOUND":
			c.r.strangers.Add(1)
		case "UPSTREAM_UNAVAILABLE", "RATE_LIMITED":
		default:
			c.faults.add("Scoped: %s reads of %s: %s %+v", who.canary(), other.canary(), a.Data, a.Errors)
		}
	}
}
