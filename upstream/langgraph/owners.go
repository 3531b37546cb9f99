package langgraph

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"inlaygraph/upstream"
)

// ownerKey is the member of a thread's metadata that says whose it is. The server copies a thread's metadata to its
// runs and to what they stream, so it says nothing of a user but this hash.
const ownerKey = "inlay_owner"

// ownerOf is what a thread's metadata holds of the user whose token auth is.
func (c *Client) ownerOf(op, auth string) (string, error) {
	tenant, user, err := c.opts.Identify(auth)
	if err != nil {
		return "", &upstream.Error{Op: op, Kind: upstream.Unauthenticated, Detail: err}
	}
	sum := sha256.Sum256([]byte(strconv.Quote(tenant) + strconv.Quote(user)))
	return hex.EncodeToString(sum[:]), nil
}

// mayUse tells whether a thread is for that owner.
func (c *Client) mayUse(t *threadRecord, owner string) bool {
	return t.owner == owner || t.owner == "" && c.opts.OpenThreads
}
