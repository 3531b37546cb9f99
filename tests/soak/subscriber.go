package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sync"
	"time"

	"inlaygraph/tests"
)

// subscriber is one subscription, over as many connections as it takes.
type subscriber struct {
	kind
	who      *user
	interval int // minIntervalMs

	mu     sync.Mutex
	at     string // the conversation that it follows
	last   string // its value
	rows   tests.Rows
	cursor string    // "": it has no rows
	first  bool      // the next message is the first of its connection
	before string    // what a query read just before it subscribed; "" where none did
	live   bool      // its connection has sent something
	took   time.Time // when the last message came
	client *client
}

// String says who and what it is, for whoever looks into a fault.
func (s *subscriber) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	how := "an event stream"
	if s.client.socket {
		how = "a WebSocket"
	}
	return fmt.Sprintf("%s %s of %s, every %d ms at most, by %s of %s (narrow: %t), whose last message came %s ago",
		s.field, s.arguments, s.at, s.interval, how, s.who.canary(), s.client.narrow, time.Since(s.took).Round(time.Millisecond))
}

// answer is a response, as `next` has it.
type answer struct {
	Data   json.RawMessage `json:"data"`
	Errors []struct {
		Message    string
		Extensions struct{ Code string }
	} `json:"errors"`
}

// code is the code of the first error, "" where there is none.
func (a *answer) code() string {
	if len(a.Errors) == 0 {
		return ""
	}
	return a.Errors[0].Extensions.Code
}

// begin begins another connection to a conversation, and answers the request.
func (s *subscriber) begin(id, before string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at != id {
		s.at, s.last, s.cursor, s.rows = id, "", "", tests.Rows{}
	}
	s.first, s.before, s.live = true, before, false
	variables := s.values(id)
	if s.cursor != "" {
		variables["after"] = s.cursor
	}
	return map[string]any{"query": s.operation(s.interval), "variables": variables}
}

// stop notes that the connection is over.
func (s *subscriber) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = false
}

var canaries = regexp.MustCompile(`canary-tenant\d+-user\d+`)

// take takes a value, and validates it.
func (s *subscriber) take(value string, r *report) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.messages.Add(1)
	var foreign []string
	for _, word := range canaries.FindAllString(value, -1) {
		if word != s.who.canary() || s.id != "" { // what is everybody's says nobody's
			foreign = append(foreign, word)
		}
	}
	had, first := s.last, s.first
	err := s.takeLocked(value, foreign, r)
	s.first, s.live, s.before, s.took = false, true, "", time.Now()
	if err != nil {
		return fmt.Errorf("%s of %s: %w; before and after it differ: %s; first of its connection: %t; the message: %.1500s", s.field, s.at, err, differ(had, s.last), first, value)
	}
	return nil
}

func (s *subscriber) takeLocked(value string, foreign []string, r *report) error {
	if s.field == "rowChanges" {
		return s.takeChange(value, foreign, r)
	}
	o := tests.Observation{Values: []string{value}, Before: s.before, Foreign: foreign}
	if !s.first {
		o.Values = []string{s.last, value}
	}
	s.last = value
	return tests.Validate(o)
}

func (s *subscriber) takeChange(change string, foreign []string, r *report) error {
	var said struct{ Cursor string }
	if err := json.Unmarshal([]byte(change), &said); err != nil {
		return err
	}
	had := s.rows.String()
	reset, err := s.rows.Apply(change)
	if err != nil {
		return fmt.Errorf("NoGaps: %w, to %s: %s", err, had, change)
	}
	resumes := s.first && s.cursor != ""
	if resumes {
		r.resumed.Add(1)
	}
	if s.first && !resumes && !reset {
		return fmt.Errorf("NoGaps: it begins without a reset: %s", change)
	}
	if resumes && reset {
		r.resets.Add(1)
		if journalOf(s.cursor) == journalOf(said.Cursor) {
			r.forgot.Add(1)
		}
	}
	s.last, s.cursor = s.rows.String(), said.Cursor
	o := tests.Observation{Values: []string{had, s.last}, Changes: []string{change}, Foreign: foreign, Lossy: true}
	switch {
	case resumes && !reset:
		o.Kept = had
	case !s.first && !reset: // the rows so far stand for all messages so far
		o.Changes = []string{fmt.Sprintf(`{"cursor":"before","ops":[{"__typename":"RowsReset","rows":%s}]}`, had), change}
	case s.first && !resumes:
		o.Values = []string{s.last}
	}
	return tests.Validate(o)
}

// journalOf is the part of a cursor that names the journal (conversation/cursor.go). One that is still there reaches back
// only so far; another one stands in the place of a journal of rows that were read anew.
func journalOf(cursor string) string { return cursor[:min(16, len(cursor))] }

// value is what it has, "" while its connection has sent nothing; and the conversation.
func (s *subscriber) value() (value, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.live {
		return "", s.at
	}
	return s.last, s.at
}
