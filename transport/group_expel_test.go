package transport

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Promise 18: where the changes since a member's position are too long for one message, that member's subscription ends, as
// one of its own would, and those who stand elsewhere go on. When nobody is left the group is over.
func TestTooLongForOne(t *testing.T) {
	s := startSharing(t, Options{MaxResponseBytes: 300})
	topic := s.root.Topic("a")
	one := s.join(t, "ann@acme", newsQuery)
	c := &replay{}
	c.apply(t, one.next())
	for range 10 {
		topic.Say(strings.Repeat("x", 50))
		c.apply(t, one.next())
	}
	two, three := s.join(t, "bob@acme", newsQuery), s.join(t, "cy@acme", newsQuery)
	for _, late := range []*subscriber{two, three} {
		late.expect(string(tooLarge(300)), "end")
		late.quiet()
	}
	two.leave()
	topic.Say("more")
	c.apply(t, one.next())
	back := s.join(t, "bob@acme", newsQuery, map[string]any{"after": "10"})
	c2 := &replay{cursor: 10, text: strings.Repeat("x", 500)}
	c2.apply(t, back.next())
	s.open(t, "a", 1)
	one.leave()
	back.leave()
	s.open(t, "a", 0)
	three.leave()

	alone := s.join(t, "ann@acme", newsQuery)
	alone.expect(string(tooLarge(300)), "end")
	s.open(t, "a", 0)
	alone.leave()
	assert.Zero(t, s.Stats().GroupMembers)
	s.empty(t)
}
