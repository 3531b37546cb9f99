package demo

import (
	"net/http"
	"strconv"
	"time"
)

// serveStream sends the frames after Last-Event-ID, as far back as they are kept, then those to come, until
// the run in flight ends. Without a run in flight it answers 204.
func (d *Demo) serveStream(w http.ResponseWriter, r *http.Request, c *conversation) {
	after := int64(0)
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		n, err := strconv.ParseInt(last, 10, 64)
		if err != nil || n < 0 {
			refuse(w, http.StatusBadRequest, "bad_request", "Last-Event-ID is no offset")
			return
		}
		after = n
	}
	attached, ok := c.attach()
	if !ok {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	flush := http.NewResponseController(w).Flush
	deadline(w)
	if flush() != nil {
		return
	}
	quiet := time.NewTicker(d.opts.KeepAlive)
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
			if f.ends && f.offset > attached {
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
			quiet.Reset(d.opts.KeepAlive)
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
