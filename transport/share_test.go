package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
)

// Promise 15: whoever asks for the same, by whatever way in and however it is written, costs one execution, which reads once
// for each change; each gets it under its own id.
func TestSharedOnce(t *testing.T) {
	const viewers = 40
	s := startSharing(t, Options{})
	topic := s.root.Topic("a")
	topic.Say("one")
	var clients []*client
	for i := range viewers {
		c := s.as(t, fmt.Sprintf("u%d@acme", i))
		c.subscribe(fmt.Sprint("id", i), "subscription {\n  # layout\n"+strings.Repeat(" ", i)+`topic(name: "a") }`)
		clients = append(clients, c)
	}
	stream := s.events(t, "x@acme", watch)
	stream.expect(nextEvent(topicOf("one")))
	for i, c := range clients {
		c.expect(fmt.Sprintf(`{"id":"id%d","type":"next","payload":%s}`, i, topicOf("one")))
	}
	assert.EqualValues(t, 1, topic.Reads.Load())
	for n := 2; n < 10; n++ {
		topic.Say("+")
		want := topicOf("one" + strings.Repeat("+", n-1))
		stream.expect(nextEvent(want))
		for i, c := range clients {
			c.expect(fmt.Sprintf(`{"id":"id%d","type":"next","payload":%s}`, i, want))
		}
		assert.EqualValues(t, n, topic.Reads.Load())
	}
	assert.EqualValues(t, 1, topic.Open.Load())
	assert.EqualValues(t, viewers+1, s.seats.Load())
	for _, c := range clients {
		c.quiet()
	}
}

// events opens a stream as somebody.
func (s *sharing) events(t *testing.T, user, query string) *events {
	t.Helper()
	return s.stream(t, query, "X-User", user)
}

// Promise 15: what differs in the tenant, the operation or a variable is not shared.
func TestSharedWithWhom(t *testing.T) {
	type asking struct {
		user, query string
		variables   map[string]any
	}
	with := func(query string, variables map[string]any) asking { return asking{"ann@acme", query, variables} }
	plain, named := with(watch, nil), `subscription Named{topic(name:"a")}`
	tagged := with(`subscription($t:String){topic(name:"a",tag:$t)}`, map[string]any{"t": "x"})
	news := with(`subscription($after:String){news(name:"a",after:$after){cursor words}}`, map[string]any{"after": "1"})
	cases := map[string]struct {
		a, b asking
		same bool
	}{
		"another user of the tenant":     {plain, asking{"bob@acme", watch, nil}, true},
		"another tenant":                 {plain, asking{"ann@umbrella", watch, nil}, false},
		"another thing":                  {plain, with(`subscription{topic(name:"b")}`, nil), false},
		"layout and comments":            {plain, with("subscription # x\n{ topic( name : \"a\" ), }", nil), true},
		"a block string":                 {plain, with(`subscription{topic(name:"""a""")}`, nil), true},
		"another operation beside":       {with(named, nil), with(named+" query Other{hello}", nil), true},
		"a name":                         {plain, with(`subscription Named{topic(name:"a")}`, nil), false},
		"an alias":                       {plain, with(`subscription{other:topic(name:"a")}`, nil), false},
		"an argument":                    {plain, with(`subscription{topic(name:"a",tag:"t")}`, nil), false},
		"a directive":                    {news, with(`subscription($after:String){news(name:"a",after:$after){cursor @include(if:true) words}}`, news.variables), false},
		"a literal":                      {with(`subscription{news(name:"a"){cursor @include(if:true) words}}`, nil), with(`subscription{news(name:"a"){cursor @include(if:false) words}}`, nil), false},
		"a literal instead":              {tagged, with(`subscription{topic(name:"a",tag:"x")}`, nil), false},
		"an equal variable":              {tagged, with(tagged.query, map[string]any{"t": "x"}), true},
		"another value":                  {tagged, with(tagged.query, map[string]any{"t": "y"}), false},
		"null":                           {tagged, with(tagged.query, map[string]any{"t": nil}), false},
		"null and nothing":               {with(tagged.query, nil), with(tagged.query, map[string]any{"t": nil}), false},
		"the default, given or not":      {with(`subscription($t:String="x"){topic(name:"a",tag:$t)}`, nil), with(`subscription($t:String="x"){topic(name:"a",tag:$t)}`, map[string]any{"t": "x"}), true},
		"variables that are not there":   {plain, with(watch, map[string]any{"t": "x"}), true},
		"a custom scalar's other number": {with(`subscription{topic(name:"a",any:1.10)}`, nil), with(`subscription{topic(name:"a",any:1.1)}`, nil), false},
		"an object's order": {
			with(`subscription($j:JSON){topic(name:"a",any:$j)}`, map[string]any{"j": map[string]any{"a": 1, "b": 2}}),
			with(`subscription($j:JSON){topic(name:"a",any:$j)}`, map[string]any{"j": map[string]any{"b": 2, "a": 1}}), true},
		"fragments in another order": {
			with(`subscription{...A ...B} fragment A on Subscription{news(name:"a"){cursor}} fragment B on Subscription{news(name:"a"){words}}`, nil),
			with(`fragment B on Subscription{news(name:"a"){words}} fragment A on Subscription{news(name:"a"){cursor}} subscription{...A ...B}`, nil), true},
		"another position":           {news, with(news.query, map[string]any{"after": "2"}), true},
		"no position":                {news, with(news.query, nil), true},
		"a position as a literal":    {news, with(`subscription{news(name:"a",after:"7"){cursor words}}`, nil), true},
		"no such argument":           {news, with(`subscription{news(name:"a"){cursor words}}`, nil), true},
		"another name of a position": {news, with(`subscription($c:String){news(name:"a",after:$c){cursor words}}`, map[string]any{"c": "1"}), true},
		"a position used elsewhere": {with(`subscription($after:String){news(name:"a",after:$after,tag:$after){cursor words}}`, map[string]any{"after": "1"}),
			with(`subscription($after:String){news(name:"a",after:$after,tag:$after){cursor words}}`, map[string]any{"after": "2"}), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := startSharing(t, Options{})
			s.root.Topic("a").Say("x", "y")
			s.root.Topic("b").Say("x", "y")
			var groups []*group
			for _, a := range []asking{tc.a, tc.b} {
				r := s.join(t, a.user, a.query, a.variables)
				defer r.leave()
				require.NotNil(t, r.member)
				assert.NotContains(t, r.next(), "errors")
				groups = append(groups, r.member.group)
			}
			assert.Equal(t, tc.same, groups[0] == groups[1])
		})
	}
}

// Promise 15: a group runs under a context of its own, in which nobody is.
func TestSharedContext(t *testing.T) {
	s := startSharing(t, Options{})
	seen := make(chan []any, 10)
	s.root.Begun = func(ctx context.Context) {
		_, bounded := ctx.Deadline()
		seen <- []any{ctx.Value(sessionKey{}), ctx.Value(http.ServerContextKey), bounded}
	}
	c := s.as(t, "ann@acme")
	s.root.Topic("a").Say("x")
	c.subscribe("1", watch)
	c.expect(`{"id":"1","type":"next","payload":` + topicOf("x") + `}`)
	assert.Equal(t, []any{nil, nil, false}, <-seen)
	c.ws.Close() // nor does its leaving reach one who stays
	s.open(t, "a", 0)
	ann, bob := s.join(t, "ann@acme", watch), s.join(t, "bob@acme", watch)
	bob.expect(topicOf("x")) // before it is overtaken
	ann.leave()
	s.root.Topic("a").Say("y")
	bob.expect(topicOf("xy"))
	bob.leave()
}

// Promise 15: each is let in before it joins; who is not reads the refusal of a resolver, and the others go on.
func TestSharedAdmission(t *testing.T) {
	s := startSharing(t, Options{})
	s.root.Topic("a").Say("x")
	s.admit = func(user string) error {
		switch user {
		case "eve@acme":
			return coded.New(coded.NotFound, "no such topic")
		case "bug@acme":
			return errors.New("secret of the hook")
		case "panic@acme":
			panic("panic of the hook")
		}
		return nil
	}
	ann := s.as(t, "ann@acme")
	ann.subscribe("1", watch)
	ann.expect(`{"id":"1","type":"next","payload":` + topicOf("x") + `}`)
	for user, want := range map[string]string{
		"eve@acme":   `{"errors":[{"message":"no such topic","path":["topic"],"locations":[{"line":1,"column":14}],"extensions":{"code":"NOT_FOUND"}}]}`,
		"bug@acme":   `{"errors":[{"message":"internal error","path":["topic"],"locations":[{"line":1,"column":14}],"extensions":{"code":"INTERNAL"}}]}`,
		"panic@acme": `{"errors":[{"message":"internal error","path":["topic"],"locations":[{"line":1,"column":14}],"extensions":{"code":"INTERNAL"}}]}`,
	} {
		c := s.as(t, user)
		c.subscribe("2", watch)
		c.expect(`{"id":"2","type":"next","payload":`+want+`}`, `{"id":"2","type":"complete"}`)
		c.quiet()
		s.events(t, user, watch).expect(nextEvent(want), completeEvent, endOfStream)
	}
	assert.Contains(t, s.logs.String(), "secret of the hook")
	assert.Contains(t, s.logs.String(), "panic of the hook")
	assert.EqualValues(t, 1, s.seats.Load())
	ann.quiet()
}

// Promise 15: what is sent is byte for byte what one gets whose execution is its own.
func TestSharedBytes(t *testing.T) {
	s := startSharing(t, Options{})
	topic := s.root.Topic("a")
	s.root.Errors["refused"] = coded.New(coded.Conflict, "not now")
	operations := []string{
		watch, `subscription A { b: topic(tag: "é\n\"", name: "a", any: {a: [1.50, null]}) }`,
		`subscription{news(name:"a"){reset words}}`, `subscription{...F} fragment F on Subscription{c:news(name:"a",after:"0"){w:words ...on News{cursor}}}`,
		`subscription{topic(name:"refused")}`, `subscription{t:news(name:"refused"){words}}`,
	}
	for _, query := range operations {
		topic.Replace("a", "b", "é\"\u2028</script>")
		alone, shared := s.as(t, "nobody"), s.as(t, "ann@acme")
		own, group := s.stream(t, query), s.events(t, "bob@acme", query)
		alone.subscribe("1", query)
		shared.subscribe("1", query)
		for _, words := range [][]string{{}, {"c"}, {"d", "e"}, {strings.Repeat("long", 20_000)}, nil} {
			want := alone.receive()
			shared.expect(want)
			event := own.next()
			group.expect(event)
			if strings.Contains(want, "errors") {
				break
			}
			if len(words) > 0 {
				topic.Say(words...)
			}
			if words == nil {
				break
			}
			if len(words) == 0 {
				topic.Say("+")
			}
		}
		alone.ws.Close()
		shared.ws.Close()
		own.cancel()
		group.cancel()
	}
}

// Promise 17: a member that joins a group gets the value as it stands: the last one without another read while that is
// current, and not twice.
func TestSharedLateJoiner(t *testing.T) {
	s := startSharing(t, Options{})
	topic := s.root.Topic("a")
	topic.Say("1")
	first := s.join(t, "ann@acme", watch)
	first.expect(topicOf("1"))
	for range 100 {
		late := s.join(t, "bob@acme", watch)
		late.expect(topicOf("1"))
		late.quiet()
		defer late.leave()
	}
	assert.EqualValues(t, 1, topic.Reads.Load())
	topic.Say("2")
	first.expect(topicOf("12"))
	first.quiet()
	first.leave()
	assert.EqualValues(t, 2, topic.Reads.Load())
}

// Promise 17: never an older one: where something moved that the group has not read yet, it is read for who joins, and the
// others get it in their time.
func TestSharedJoinsWhileItMoves(t *testing.T) {
	s := startSharing(t, Options{})
	topic := s.root.Topic("a")
	topic.Say("1")
	first := s.join(t, "ann@acme", watch)
	first.expect(topicOf("1"))
	turn := make(chan struct{})
	reading := make(chan struct{}, 10)
	topic.Reading = func() { reading <- struct{}{}; <-turn }
	topic.Say("2")
	<-reading // the group is about to read
	joined := make(chan *subscriber)
	go func() { joined <- s.join(t, "bob@acme", watch) }()
	eventually(t, "the other is a member", func() bool { return s.seats.Load() == 2 })
	time.Sleep(10 * time.Millisecond)
	topic.Say("3")
	turn <- struct{}{} // reads 123, as it stands
	first.expect(topicOf("123"))
	turn <- struct{}{} // 3 came after the group took its turn
	second := <-joined
	second.expect(topicOf("123"))
	for range cap(reading) {
		select {
		case turn <- struct{}{}:
		case <-time.After(20 * time.Millisecond):
		}
	}
	first.quiet()
	second.quiet()
	first.leave()
	second.leave()
}

// Promise 18: each error ends every member with a last result, then complete; those that come later begin anew.
func TestSharedEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"in peace":     {nil, ""},
		"refused":      {coded.New(coded.Unauthenticated, "upstream does not accept the session"), `{"message":"upstream does not accept the session","path":["topic"],"extensions":{"code":"UNAUTHENTICATED"}}`},
		"internal one": {errors.New("secret"), `{"message":"internal error","path":["topic"],"extensions":{"code":"INTERNAL"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := startSharing(t, Options{})
			s.root.Topic("a").Say("x")
			one, two := s.as(t, "ann@acme"), s.as(t, "bob@acme")
			one.subscribe("1", watch)
			two.subscribe("2", watch)
			stream := s.events(t, "cy@acme", watch)
			one.expect(`{"id":"1","type":"next","payload":` + topicOf("x") + `}`)
			two.expect(`{"id":"2","type":"next","payload":` + topicOf("x") + `}`)
			stream.expect(nextEvent(topicOf("x")))
			s.root.Topic("a").End(tc.err)
			if tc.want != "" {
				one.expect(`{"id":"1","type":"next","payload":{"errors":[` + tc.want + `]}}`)
				two.expect(`{"id":"2","type":"next","payload":{"errors":[` + tc.want + `]}}`)
				stream.expect(nextEvent(`{"errors":[` + tc.want + `]}`))
			}
			one.expect(`{"id":"1","type":"complete"}`)
			two.expect(`{"id":"2","type":"complete"}`)
			stream.expect(completeEvent, endOfStream)
			s.open(t, "a", 0)
			eventually(t, "seats are given back", func() bool { return s.seats.Load() == 0 })
			one.subscribe("1", `{hello}`) // the id is free
			one.expect(`{"id":"1","type":"next","payload":{"data":{"hello":"world"}}}`, `{"id":"1","type":"complete"}`)
			two.quiet()
		})
	}
}

// Promise 18: a resolver that refuses, one that panics, and a result that is too long end the group, with what an
// execution of one's own ends with.
func TestSharedFailures(t *testing.T) {
	s := startSharing(t, Options{MaxResponseBytes: 1000})
	s.root.Errors["refused"] = coded.New(coded.BadUserInput, "out of bounds")
	topic := s.root.Topic("a")
	refused := s.join(t, "ann@acme", `subscription{topic(name:"refused")}`)
	refused.expect(`{"errors":[{"message":"out of bounds","path":["topic"],"locations":[{"line":1,"column":14}],"extensions":{"code":"BAD_USER_INPUT"}}]}`, "end")
	one, two := s.join(t, "ann@acme", watch), s.join(t, "bob@acme", watch)
	one.expect(topicOf(""))
	two.expect(topicOf(""))
	topic.Reading = func() { panic("secret of the reading") }
	topic.Say("x")
	for _, r := range []*subscriber{one, two} {
		r.expect(`{"errors":[{"message":"internal error","path":["topic"],"extensions":{"code":"INTERNAL"}}]}`, "end")
	}
	assert.Contains(t, s.logs.String(), "secret of the reading")
	first := s.join(t, "cy@acme", watch)
	first.expect(`{"errors":[{"message":"internal error","path":["topic"],"extensions":{"code":"INTERNAL"}}]}`, "end")
	s.open(t, "a", 0)
	topic.Reading = nil
	three := s.join(t, "ann@acme", watch)
	three.expect(topicOf("x"))
	topic.Say(strings.Repeat("long", 1000))
	three.expect(string(tooLarge(1000)), "end")
	for _, r := range []*subscriber{refused, one, two, first, three} {
		r.quiet()
		r.leave()
	}
}

// Promise 18: one whose session is over, or who completes or leaves, ends alone.
func TestSharedLeavesAlone(t *testing.T) {
	s := startSharing(t, Options{})
	s.expiry["short@acme"] = 300 * time.Millisecond
	topic := s.root.Topic("a")
	topic.Say("x")
	stays := s.as(t, "ann@acme")
	stays.subscribe("1", watch)
	expires, expiring := s.as(t, "short@acme"), s.events(t, "short@acme", watch)
	expires.subscribe("1", watch)
	completes := s.as(t, "bob@acme")
	completes.subscribe("1", watch)
	leaves := s.events(t, "cy@acme", watch)
	stays.expect(`{"id":"1","type":"next","payload":` + topicOf("x") + `}`)
	completes.expect(`{"id":"1","type":"next","payload":` + topicOf("x") + `}`)
	leaves.expect(nextEvent(topicOf("x")))
	completes.send(`{"type":"complete","id":"1"}`)
	leaves.cancel()
	expires.expectClose(4403, expiredMessage)
	expiring.expect(nextEvent(topicOf("x")), nextEvent(`{"errors":[{"message":"the session has expired","extensions":{"code":"UNAUTHENTICATED"}}]}`), completeEvent)
	eventually(t, "one seat is left", func() bool { return s.seats.Load() == 1 })
	topic.Say("y")
	stays.expect(`{"id":"1","type":"next","payload":` + topicOf("xy") + `}`)
	completes.quiet()
	stays.send(`{"type":"complete","id":"1"}`)
	s.open(t, "a", 0)
	stays.quiet()
}
