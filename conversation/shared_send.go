package conversation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"inlaygraph/coded"
	"inlaygraph/session"
)

// sendClaim is what is on the bus of a send that a client gave an id.
type sendClaim struct {
	By     string `json:"by"`
	Digest string `json:"digest"`
	Done   bool   `json:"done,omitempty"`
	ID     string `json:"id,omitempty"`
	Fresh  bool   `json:"fresh,omitempty"`
}

// sendWord is what is claimed.
func sendWord(k *sendKey) string { return fmt.Sprintf("send %q %q %q", k.tenant, k.subject, k.id) }

// sendPoll is how long to wait before looking again at a send that another instance has under way.
const sendPoll = 50 * time.Millisecond

// sendOnce is send for a send that a client may ask for again, of whichever instance.
func (h *Hub) sendOnce(ctx context.Context, who *session.Session, in *SendInput, k *sendKey, input [sha256.Size]byte) (id string, fresh bool, err error) {
	if h.opts.Bus == nil || k == nil {
		return h.send(ctx, who, in)
	}
	word := sendWord(k)
	mine := sendClaim{By: h.opts.Bus.ID(), Digest: hex.EncodeToString(input[:])}
	limit := time.Now().Add(3 * h.opts.DriveLimit)
	for {
		value, err := json.Marshal(mine)
		if err != nil {
			return "", false, err
		}
		own, taken, err := h.opts.Bus.Claim(ctx, word, value)
		if err != nil {
			return "", false, busAway(err)
		}
		if own != nil {
			id, fresh, err := h.send(ctx, who, in)
			if err != nil { // it can be tried again
				if lost := h.opts.Bus.Unclaim(h.ctx, word, own); lost != nil {
					h.opts.Logger.Info("a send that failed stays claimed for a while", "error", lost)
				}
				return "", false, err
			}
			mine.Done, mine.ID, mine.Fresh = true, id, fresh
			value, err = json.Marshal(mine)
			if err == nil {
				_, err = h.opts.Bus.Reclaim(h.ctx, word, own, value)
			}
			if err != nil {
				h.opts.Logger.Warn("a send that was made is not known to other instances", "error", err)
			}
			return id, fresh, nil
		}
		var other sendClaim
		if err := json.Unmarshal(taken.Value, &other); err != nil {
			return "", false, busAway(err)
		}
		if other.By == mine.By && !other.Done { // the bus took it, and its answer was lost: here one send of an id is under way at most
			if err := h.opts.Bus.Unclaim(ctx, word, taken); err != nil {
				return "", false, busAway(err)
			}
			continue
		}
		switch {
		case other.Digest != mine.Digest:
			return "", false, errOtherMessage
		case other.Done:
			return other.ID, other.Fresh, nil
		case !h.opts.Bus.Alive(other.By): // whether upstream took it is not known; it has the client's id too
			if err := h.opts.Bus.Unclaim(ctx, word, taken); err != nil {
				return "", false, busAway(err)
			}
			continue
		case time.Now().After(limit):
			return "", false, busAway(errors.New("another instance sends it, and does not end"))
		}
		select {
		case <-time.After(sendPoll):
		case <-ctx.Done():
			return "", false, ctx.Err()
		}
	}
}

var errOtherMessage error = coded.New(coded.Conflict, "the clientRequestId is that of another message")
