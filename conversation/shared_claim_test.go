package conversation

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Promise 31: a claim that the bus took while its answer was lost is of who asked: the client's next try is a send, and does
// not wait for one that nobody makes.
func TestSharedSendClaimUnanswered(t *testing.T) {
	p := newFake(chat(2, 5), framesOf(5))
	all, _ := instances(t, newWorld(p), 1, Options{})
	first := watchAs(t, openAs(t, all[0].Hub, user("b", 0)))
	in := to(conv, "go on").as("r")
	text, err := json.Marshal(&in)
	require.NoError(t, err)
	sum := sha256.Sum256(text)
	value, err := json.Marshal(sendClaim{By: all[0].bus.ID(), Digest: hex.EncodeToString(sum[:])})
	require.NoError(t, err)
	own, _, err := all[0].bus.Claim(t.Context(), sendWord(&sendKey{"t", "b", "r"}), value)
	require.NoError(t, err)
	require.NotNil(t, own)
	_, err = all[0].Send(t.Context(), user("b", 0), in)
	require.NoError(t, err)
	p.playTo(2 * framesOf(5))
	finish(t, p, 0, first)
	assert.Len(t, p.inputs, 1)
}
