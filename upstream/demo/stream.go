package demo

import (
	"net/http"
	"strconv"
	"time"
)

// serveStream sends the frames after Last-Event-ID, as far back as they are kept, then those to come, until
// the run in flight ends. Without a run in flight it answers 204.
func (d *Demo) serveStream(w http.ResponseWriter, r *http.Request, _ string, c *conversation) {
	after := int64(0)
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		n, err := strconv.ParseInt(last, 10, 64)
		if err != nil || n < 0 {
			invalid("Last-Event-ID is no offset").answer(w)
			return
		}
		after = n
	}
	attached, ok := c.attach()
	if !ok {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	d.stream(w, r, c, after, attached)
}

// stream sends the frames after an offset, until one ends a run beyond the offset until. The run does not care
// whether somebody reads.
func (d *Demo) stream(w http.ResponseWriter, r *http.Request, c *conversation, after, until int64) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	flush := http.NewResponseController(w).Flush
	deadline(w)
	if flush() != nil {
		return
	}
	quiet := time.NewTicker(d.stage.KeepAlive)
	defer quiet.Stop()
	for {
		frames, changed := c.follow(after)
		if len(frames) > 0 {
			deadline(w)
		}
		for _, f := range frames {
			if _, err := w.Write(f.event); err != nil {
				return
			}
			if f.ends && f.offset > until {
				return // the server flushes what a handler leaves
			}
			after = f.offset
		}
		if len(frames) > 0 && flush() != nil {
			return
		}
		if changed == nil {
			return
		}
		select {
		case <-changed:
			quiet.Reset(d.stage.KeepAlive)
		case <-quiet.C:
			deadline(w)
			if _, err := w.Write([]byte(": still here\n\n")); err != nil {
				return
			}
			if flush() != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}
