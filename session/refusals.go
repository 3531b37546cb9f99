package session

import (
	"errors"
	"maps"
	"strings"
	"sync"

	"inlaygraph/coded"
)

// Why a caller was not let in, as Gate.Refusals counts it.
const (
	RefusedMissing    = "missing"       // no token
	RefusedCredential = "credential"    // the header or the payload is not one token
	RefusedMalformed  = "malformed"     // what came is no JSON Web Token that is taken
	RefusedExpired    = "expired"       // its time is over
	RefusedEarly      = "not_yet_valid" // its time has not come
	RefusedClaims     = "claims"        // a claim is missing or makes no sense
	RefusedIssuer     = "issuer"        // it is of another issuer
	RefusedAudience   = "audience"      // it is for another audience
	RefusedSignature  = "signature"     // its algorithm, its key or its signature is not one that is taken
	RefusedOtherUser  = "other_user"    // the tokens of one WebSocket are of two users
	RefusedNoKeys     = "no_keys"       // the issuer's keys cannot be read
	RefusedOther      = "other"
)

// RefusalReasons are all reasons that Gate.Refusals has.
func RefusalReasons() []string {
	return []string{
		RefusedMissing, RefusedCredential, RefusedMalformed, RefusedExpired, RefusedEarly, RefusedClaims, RefusedIssuer,
		RefusedAudience, RefusedSignature, RefusedOtherUser, RefusedNoKeys, RefusedOther,
	}
}

// classes are the reasons in the log by how they begin, the longer beginnings first.
var classes = []struct{ begins, class string }{
	{"it is longer", RefusedMalformed}, {"it has characters", RefusedMalformed}, {"it is malformed", RefusedMalformed},
	{"its payload", RefusedMalformed}, {"its header", RefusedMalformed}, {"its typ", RefusedMalformed}, {"its kid", RefusedMalformed},
	{"it has expired", RefusedExpired}, {"it is not valid yet", RefusedEarly}, {"it was issued in the future", RefusedEarly},
	{"it is of another issuer", RefusedIssuer}, {"it is for another audience", RefusedAudience},
	{"its algorithm", RefusedSignature}, {"its key", RefusedSignature},
	{"it lacks a claim", RefusedClaims}, {"it has no claim", RefusedClaims}, {"its claim", RefusedClaims},
	{"its exp", RefusedClaims}, {"its nbf", RefusedClaims}, {"its iat", RefusedClaims}, {"its iss", RefusedClaims}, {"its aud", RefusedClaims},
	{"there are several Authorization", RefusedCredential}, {"the authorization", RefusedCredential},
	{"the payload of connection_init", RefusedCredential}, {"connection_init has", RefusedCredential},
}

func (r reason) class() string {
	for _, c := range classes {
		if strings.HasPrefix(string(r), c.begins) {
			return c.class
		}
	}
	return RefusedOther
}

// refusals count who was not let in.
type refusals struct {
	mu sync.Mutex
	by map[string]int64
}

func (c *refusals) count(err error) {
	class := RefusedOther
	why, known := errors.AsType[reason](err)
	e, isCoded := errors.AsType[*coded.Error](err)
	switch {
	case known:
		class = why.class()
	case isCoded && e.Message == messageNoToken:
		class = RefusedMissing
	case isCoded && e.Message == messageOtherUser:
		class = RefusedOtherUser
	case isCoded && e.Code == coded.UpstreamUnavailable:
		class = RefusedNoKeys
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[string]int64{}
	}
	c.by[class]++
}

// Refusals is how many tokens were refused, and callers for want of one, by reason: one of RefusalReasons.
func (g *Gate) Refusals() map[string]int64 {
	g.refusals.mu.Lock()
	defer g.refusals.mu.Unlock()
	return maps.Clone(g.refusals.by)
}
