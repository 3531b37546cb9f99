package transport

import (
	"net/http"
	"strconv"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"inlaygraph/coded"
)

// statusOf is the HTTP status of a request that was refused before its operation ran (docs/service.md, "Errors").
func statusOf(code coded.Code) int {
	switch code {
	case coded.Unauthenticated:
		return http.StatusUnauthorized
	case coded.Forbidden:
		return http.StatusForbidden
	case coded.PayloadTooLarge:
		return http.StatusRequestEntityTooLarge
	case coded.RateLimited:
		return http.StatusTooManyRequests
	case coded.UpstreamUnavailable:
		return http.StatusServiceUnavailable
	case coded.ParseFailed, coded.ValidationFailed, coded.BadUserInput, coded.NotFound, coded.Conflict:
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// statusOfRefusal is the status for a document or variables that were refused: application/json says 200 where the
// GraphQL over HTTP draft wants its clients to see a result rather than a failure of HTTP.
func statusOfRefusal(r *refusal, media string) int {
	status := statusOf(codeOf(r.errs[0]))
	draft := r.stage == stageParse || r.stage == stageValidation || r.stage == stageCoercion
	if media == mediaJSON && draft && status == http.StatusBadRequest {
		return http.StatusOK
	}
	return status
}

// writeError answers a request with the one error of a refusal by HTTP.
func (h *Handler) writeError(w http.ResponseWriter, media string, status int, err *gqlerror.Error) {
	wait := status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests
	if wait && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", "5")
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	h.writeJSON(w, media, status, encodeErrors(gqlerror.List{err}))
}

// writeJSON writes a whole JSON answer. A client that takes nothing of it for WriteTimeout is disconnected.
func (h *Handler) writeJSON(w http.ResponseWriter, media string, status int, body []byte) {
	if media == "" {
		media = mediaJSON
	}
	header := w.Header()
	header.Set("Content-Type", media+"; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Add("Vary", "Accept")
	w.WriteHeader(status)
	// An error here is the client's leaving, which the server notices by itself.
	control := http.NewResponseController(w)
	if h.writeSlowly(control, w, body, time.Time{}) == nil && control.Flush() == nil {
		// The deadline is the connection's and would stand for whatever request comes next on it.
		_ = control.SetWriteDeadline(time.Time{})
	}
}
