package conversation

import (
	"time"

	"inlaygraph/coded"
	"inlaygraph/session"
)

// opener is a user who brought conversations into memory.
type opener struct{ tenant, subject string }

// errShare is what a user hears who has as many conversations in memory as one may.
var errShare error = coded.New(coded.RateLimited, "too many conversations of the user are open")

// share makes sure that who may begin a conversation.
func (h *Hub) share(who *session.Session) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.shareLocked(who)
}

// shareLocked refuses a conversation more while memory is short. A user who has as many as one may makes room among the
// own, so that nobody's opening takes more than one user's part of the places from others.
func (h *Hub) shareLocked(who *session.Session) error {
	if h.tight {
		return errShort
	}
	by := opener{who.Tenant, who.Subject}
	if !who.IsAnonymous() && h.opened[by] >= h.opts.MaxLivePerUser && !h.evictOwnLocked(by) {
		return errShare
	}
	return nil
}

// roomLocked makes room for a conversation that who opens.
func (h *Hub) roomLocked(who *session.Session) error {
	if err := h.shareLocked(who); err != nil {
		return err
	}
	if len(h.live) >= h.opts.MaxLive && !h.evictLocked(time.Now(), true) {
		return coded.New(coded.RateLimited, "too many conversations are open")
	}
	return nil
}

// evictOwnLocked drops the conversation of one user that was not asked for the longest. It reports whether there is one
// that can go.
func (h *Hub) evictOwnLocked(by opener) bool {
	var oldest *reader
	var oldestUse time.Time
	for _, r := range h.live {
		if r.opener != by {
			continue
		}
		if use, ok := r.idleLocked(); ok && (oldest == nil || use.Before(oldestUse)) {
			oldest, oldestUse = r, use
		}
	}
	if oldest == nil {
		return false
	}
	h.dropLocked(oldest)
	return true
}

// putLocked gives a conversation its place.
func (h *Hub) putLocked(r *reader) {
	h.live[r.key] = r
	h.opened[r.opener]++
}

// removeLocked takes a conversation's place from it.
func (h *Hub) removeLocked(r *reader) {
	if h.live[r.key] != r {
		return
	}
	delete(h.live, r.key)
	if h.opened[r.opener]--; h.opened[r.opener] == 0 {
		delete(h.opened, r.opener)
	}
}
