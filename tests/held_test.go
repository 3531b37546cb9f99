package tests

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// held is a subscription of a test, which is held against the validators when the test is over: what it received, and
// where the test's server is still there and the conversation is quiet, what a query reads.
type held struct {
	*stream
	operation string // its text
	field     string // of Subscription
	selection string // its text without the cursor that it goes on from
	resumes   bool   // it goes on from a cursor
	url       string // of the server
	bearer    string // the Authorization header; "" for none
	lossy     bool   // upstream loses frames, so that there may be resets
}

// tally is what the tests of this package did in all.
var tally struct {
	servers, connections, operations, held, messages, told, cuts, quiet atomic.Int64
}

// figures are those of all tests, in a line.
func figures() string {
	return fmt.Sprintf("figures: end to end: servers %d, connections %d, operations %d, events %d, cuts %d, messages %d, subscriptions held against the %d validators %d, of which compared with a query %d, leaks 0",
		tally.servers.Load(), tally.connections.Load(), tally.operations.Load(), tally.told.Load(), tally.cuts.Load(), tally.messages.Load(),
		len(Validators), tally.held.Load(), tally.quiet.Load())
}

var (
	isSubscription = regexp.MustCompile(`^\s*subscription\b[^{]*\{\s*(?:\w+\s*:\s*)?(\w+)`)
	fromCursor     = regexp.MustCompile(`\s*after:\s*"[^"]*"`)
	canaryWord     = regexp.MustCompile(`canary of ([\w-]+) of (\w+)`)
	demoWord       = regexp.MustCompile(`demo-(?:chat|fanout|subagents|repeats|artifacts|approval|failure)\b`)
)

// rowReaders are the subscriptions to rowChanges so far, so that one that goes on from a cursor is known to go on from
// what another one had there.
var rowReaders struct {
	sync.Mutex
	all map[string][]*held // by server and selection
}

// hold has a stream validated when the test is over, if it is a subscription's.
func hold(t *testing.T, s *stream, url, bearer, operation string, lossy bool) {
	t.Helper()
	tally.operations.Add(1)
	h := newHeld(s, url, bearer, operation)
	if h == nil {
		return
	}
	h.lossy = lossy
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		tally.held.Add(1)
		assert.NoError(t, h.verdict(), "of what %s received", operation)
	})
}

// newHeld is nil when the operation is no subscription.
func newHeld(s *stream, url, bearer, operation string) *held {
	found := isSubscription.FindStringSubmatch(operation)
	if found == nil {
		return nil
	}
	h := &held{stream: s, operation: operation, field: found[1], selection: fromCursor.ReplaceAllString(operation, ""), url: url, bearer: bearer}
	h.resumes = h.selection != operation
	if h.field == "rowChanges" {
		rowReaders.Lock()
		defer rowReaders.Unlock()
		if rowReaders.all == nil {
			rowReaders.all = map[string][]*held{}
		}
		rowReaders.all[url+h.selection] = append(rowReaders.all[url+h.selection], h)
	}
	return h
}

// verdict is what the validators say of what was received so far.
func (h *held) verdict() error {
	o, ok := h.observation()
	if !ok {
		return nil
	}
	if quiet, ok := h.quiet(); ok {
		tally.quiet.Add(1)
		o = quiet
	}
	return Validate(o)
}

// observation is what was received up to the first error; not ok where the rows that it goes on from are not known.
func (h *held) observation() (o Observation, ok bool) {
	payloads, _, _ := h.look()
	var received []string
	for _, payload := range payloads {
		var m struct {
			Data   map[string]json.RawMessage
			Errors []json.RawMessage
		}
		if json.Unmarshal(payload, &m) != nil || m.Errors != nil || len(m.Data) != 1 {
			break
		}
		for _, value := range m.Data {
			received = append(received, string(value))
		}
	}
	o = Observation{Values: received, Foreign: h.foreign(payloads)}
	if h.field != "rowChanges" || len(received) == 0 {
		return o, true
	}
	kept, known := h.kept(received[0])
	if !known {
		return o, false
	}
	// What can't be replayed, NoGaps tells.
	o.Kept, o.Changes, o.Lossy = kept, received, h.lossy
	o.Values, _ = Replay(kept, received)
	return o, true
}

// kept are the rows that a client has at the cursor that it goes on from. A cursor that was not good, which the first
// message tells by a reset, is as good as none.
func (h *held) kept(first string) (rows string, known bool) {
	if !h.resumes || isOneReset(first) {
		return "", true
	}
	cursor := strings.Trim(strings.SplitN(fromCursor.FindString(h.operation), ":", 2)[1], ` "`)
	rowReaders.Lock()
	others := rowReaders.all[h.url+h.selection]
	rowReaders.Unlock()
	for _, other := range others {
		if other == h {
			continue
		}
		payloads, _, _ := other.look()
		for n, payload := range payloads {
			if !bytes.Contains(payload, []byte(cursor)) {
				continue
			}
			o, ok := other.observation()
			if ok && len(o.Values) > n && strings.Contains(o.Changes[n], fmt.Sprintf("%q", cursor)) {
				return o.Values[n], true
			}
		}
	}
	return "", false
}

func isOneReset(change string) bool {
	ops, err := operations(change)
	return err == nil && len(ops) == 1 && ops[0].Kind == "RowsReset"
}

// foreign are words in what was received that only other conversations say: the tenancy's and the demo's name the one
// that they are of.
func (h *held) foreign(payloads []json.RawMessage) (words []string) {
	for _, payload := range payloads {
		for _, found := range canaryWord.FindAllStringSubmatch(string(payload), -1) {
			if !strings.Contains(h.operation, fmt.Sprintf("%q", found[1])) || h.tenant() != "" && found[2] != h.tenant() {
				words = append(words, found[0])
			}
		}
		for _, word := range demoWord.FindAllString(string(payload), -1) {
			if strings.Contains(h.operation, "demo-") && !strings.Contains(h.operation, word) {
				words = append(words, word)
			}
		}
	}
	return words
}

// tenant is whose session it is, "" where there is none.
func (h *held) tenant() string {
	parts := strings.Split(h.bearer, ".")
	if len(parts) != 3 {
		return ""
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	var claims struct{ Tenant string }
	if err != nil || json.Unmarshal(text, &claims) != nil {
		return ""
	}
	return claims.Tenant
}

// quietFor is how long a query reads the same, and the subscription has not said it yet, until that is a fault.
const quietFor = 10 * time.Second

// quiet is what was received, with what a query reads while the conversation is quiet; not ok where nobody can tell.
func (h *held) quiet() (o Observation, ok bool) {
	known, ok := followings.Load(h.selection)
	if !ok {
		return o, false
	}
	f, since := known.(asked), time.Now()
	final := h.query(f)
	for {
		if o, ok = h.observation(); !ok || final == "" {
			return o, false
		}
		o.Final = final
		if Complete(o) == nil {
			return o, true
		}
		// Asked again behind what was looked at, however long that took: what moved meanwhile is not quiet.
		if _, ended, _ := h.look(); ended || h.query(f) != final {
			return o, false
		}
		if time.Since(since) > quietFor {
			return o, true
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// query reads the same slice, "" where it can't be read any more.
func (h *held) query(f asked) string {
	body, err := json.Marshal(request{Query: f.query(f.id)})
	if err != nil {
		return ""
	}
	r, err := http.NewRequest(http.MethodPost, h.url, bytes.NewReader(body))
	if err != nil {
		return ""
	}
	r.Header.Set("Content-Type", mediaJSON)
	r.Header.Set("Accept", mediaJSON)
	r.Header.Set("Connection", "close")
	if h.bearer != "" {
		r.Header.Set("Authorization", h.bearer)
	}
	client := http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(r)
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	var answer response
	if err != nil || json.Unmarshal(text, &answer) != nil || len(answer.Errors) > 0 {
		return ""
	}
	return f.find(answer.Data)
}

// followings are the subscriptions that have a query which reads the same, by their operations.
var followings sync.Map

// asked is a subscription to a conversation.
type asked struct {
	following
	id string
}

// find is pick, and "" where the slice is not there.
func (f following) find(data json.RawMessage) string {
	for _, name := range append([]string{"conversation"}, f.path...) {
		var members map[string]json.RawMessage
		if json.Unmarshal(data, &members) != nil {
			return ""
		}
		data = members[name]
	}
	if f.named == "" {
		return string(data)
	}
	var all []json.RawMessage
	if json.Unmarshal(data, &all) != nil {
		return ""
	}
	for _, one := range all {
		var it struct{ Name string }
		if json.Unmarshal(one, &it) == nil && it.Name == f.named {
			return string(one)
		}
	}
	return f.absent
}
