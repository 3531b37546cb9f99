package conversation

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"inlaygraph/wire"
)

// Promise 13: whatever is under way when the hub closes ends at once, and its callers are told.
func TestCloseWhileDriving(t *testing.T) {
	paused := chat(2, 5)
	failed := tale(conv)
	failed.starts("r")
	failed.ends(wire.Failed, true)
	failed.starts("r2")
	waits := tale(conv)
	waits.starts("r")
	waits.calls("c1", true)
	waits.pauses(wire.AwaitingClientTool)
	waits.starts("r2")
	for name, tc := range map[string]struct {
		story story
		sent  int
		op    string
		ask   func(ctx context.Context, h *Hub) error
	}{
		"send": {paused, framesOf(5), "execute", func(ctx context.Context, h *Hub) error {
			_, err := h.Send(ctx, user("ann", 0), to(conv, "x").as("r"))
			return err
		}},
		"begin": {paused, framesOf(5), "execute", func(ctx context.Context, h *Hub) error {
			_, err := h.Send(ctx, user("ann", 0), to("", "x"))
			return err
		}},
		"submit": {waits.told(), len(waits.frames) - 1, "execute", func(ctx context.Context, h *Hub) error {
			_, err := h.SubmitToolResult(ctx, user("ann", 0), conv, "c1", "x")
			return err
		}},
		"retry": {failed.told(), len(failed.frames) - 1, "retry", func(ctx context.Context, h *Hub) error {
			_, err := h.Retry(ctx, user("ann", 0), conv)
			return err
		}},
		"cancel": {waits.told(), len(waits.frames) - 1, "cancel", func(ctx context.Context, h *Hub) error {
			_, err := h.Cancel(ctx, user("ann", 0), conv)
			return err
		}},
	} {
		for _, how := range []string{"hangs", "mute", "late", "head"} {
			t.Run(name+" "+how, func(t *testing.T) {
				driving(t, tc.story, tc.sent, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
					w.next = []*fake{p}
					v := watchAs(t, openAs(t, h, user("ann", 0)))
					switch how {
					case "hangs":
						p.set(func() { p.hang = func(op string) bool { return op == tc.op } })
					case "mute":
						p.set(func() { p.mute = true })
					case "late":
						p.set(func() { p.latency = 3 * time.Second })
					case "head":
						p.set(func() { p.hang = func(op string) bool { return op == "head" } })
						time.Sleep(61 * time.Second) // its admission has to be read again
					}
					var callers sync.WaitGroup
					callers.Go(func() {
						if err := tc.ask(t.Context(), h); err != nil {
							assert.Equal(t, errClosing, err)
						}
					})
					time.Sleep(time.Second)
					began := time.Now()
					h.Close()
					callers.Wait()
					assert.LessOrEqual(t, time.Since(began), p.latency)
					assert.Equal(t, errClosing, tc.ask(t.Context(), h))
					v.over.Wait()
					v.leave()
					assert.Zero(t, p.open())
				})
			})
		}
	}
}
