package demo

import (
	"crypto/sha256"
	"time"
)

// How long, and how many, client_request_ids are remembered.
const (
	requestLife = 10 * time.Minute
	maxRequests = 10_000
)

// begun is a run that a request began.
type begun struct {
	conversation *conversation
	before       int64 // the offset before its run.start
}

// requests remembers which run a user's client_request_id began. The registry's lock guards it.
type requests struct {
	byKey map[requestKey]*request
	order []*request // oldest first
}

type requestKey struct {
	user string
	id   [sha256.Size]byte
}

type request struct {
	key  requestKey
	asks [sha256.Size]byte // what it asked for
	at   time.Time
	begun
}

func keyOf(user, id string) requestKey { return requestKey{user, sha256.Sum256([]byte(id))} }

// find is what the request began, when it did.
func (q *requests) find(key requestKey, now time.Time) *request {
	for len(q.order) > 0 && (len(q.order) > maxRequests || now.Sub(q.order[0].at) >= requestLife) {
		delete(q.byKey, q.order[0].key)
		q.order = q.order[1:]
	}
	return q.byKey[key]
}

// remember keeps what a request began.
func (q *requests) remember(r *request) {
	if q.byKey == nil {
		q.byKey = map[requestKey]*request{}
	}
	q.byKey[r.key] = r
	q.order = append(q.order, r)
}
