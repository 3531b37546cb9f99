package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"inlaygraph/coded"
)

// httpError is a refusal with a status of its own.
type httpError struct {
	status int
	err    *gqlerror.Error
}

func refuseHTTP(status int, code coded.Code, format string, args ...any) *httpError {
	return &httpError{status, errorList(code, format, args...)[0]}
}

// route serves a request that came through the Origin check: one operation by POST or GET.
func (h *Handler) route(w http.ResponseWriter, r *http.Request) {
	// Set even for a request that will be refused, because net/http reads its body before it answers. A server may have no
	// deadline of its own; a response writer of a middleware may not support one.
	if r.Method == http.MethodPost {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(h.opts.ReadTimeout))
	}
	accept := negotiate(r)
	if refused := h.serveOperation(w, r, accept); refused != nil {
		h.writeError(w, accept.json, refused.status, refused.err)
	}
}

func (h *Handler) serveOperation(w http.ResponseWriter, r *http.Request, accept accepted) *httpError {
	if r.Method != http.MethodPost && r.Method != http.MethodGet {
		w.Header().Set("Allow", "GET, POST")
		return refuseHTTP(http.StatusMethodNotAllowed, coded.BadUserInput, "%s is not supported: use POST or GET", r.Method)
	}
	if accept.json == "" && !accept.sse() {
		return refuseHTTP(http.StatusNotAcceptable, coded.BadUserInput, "the answer can be %s, %s or %s", mediaResponse, mediaJSON, mediaSSE)
	}
	if r.Method == http.MethodPost && !readableBody(r) {
		return refuseHTTP(http.StatusUnsupportedMediaType, coded.BadUserInput, "a POST needs Content-Type: %s, in UTF-8 and not encoded", mediaJSON)
	}
	ctx, expiry, err := h.session(r)
	if err != nil {
		h.refuse(w, r, accept.json, err)
		return nil
	}
	if err := h.allow(ctx); err != nil {
		h.refuse(w, r, accept.json, err)
		return nil
	}
	req, refused := h.readRequest(w, r)
	if refused != nil {
		return refused
	}
	ctx, o := h.engine.observe(ctx)
	op, why := h.engine.prepare(ctx, req)
	if why != nil {
		o.refused(why)
	} else {
		o.accept(op)
		defer o.end(coded.BadUserInput) // a method or a media type that does not go with it
	}
	switch {
	case why != nil && accept.preferSSE():
		h.streamAnswer(w, r, ctx, expiry, encodeErrors(why.errs))
		return nil
	case why != nil:
		h.writeJSON(w, accept.json, statusOfRefusal(why, accept.json), encodeErrors(why.errs))
		return nil
	case op.kind == ast.Mutation && r.Method == http.MethodGet:
		w.Header().Set("Allow", "POST")
		return refuseHTTP(http.StatusMethodNotAllowed, coded.BadUserInput, "a mutation needs POST")
	case op.kind == ast.Subscription && !accept.sse():
		return refuseHTTP(http.StatusNotAcceptable, coded.BadUserInput, "a subscription needs Accept: %s, or a WebSocket", mediaSSE)
	}
	if err := h.engine.allow(ctx, op); err != nil {
		o.end(coded.CodeOf(err))
		h.refuse(w, r, accept.json, err)
		return nil
	}
	switch {
	case op.kind == ast.Subscription || accept.preferSSE():
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		h.streamOperation(w, r, ctx, expiry, op, o)
	default:
		h.writeResult(w, ctx, accept.json, op, o)
	}
	return nil
}

// writeResult executes a query or a mutation and answers with its result.
func (h *Handler) writeResult(w http.ResponseWriter, ctx context.Context, media string, op *operation, o *observation) {
	run := h.engine.execute(ctx, op)
	payload, _, err := o.begun(run, nil).Next(ctx)
	if err != nil {
		if ctx.Err() == nil {
			h.writeError(w, media, http.StatusInternalServerError, errorList(coded.Internal, internalMessage)[0])
		}
		return // nobody waits for an answer any more
	}
	status := http.StatusOK
	if run.failed != "" && media != mediaJSON {
		status = statusOf(run.failed)
	}
	h.writeJSON(w, media, status, payload)
}

func (h *Handler) readRequest(w http.ResponseWriter, r *http.Request) (*request, *httpError) {
	if r.Method == http.MethodGet {
		req, err := parseRawQuery(r.URL.RawQuery)
		if err != nil {
			return nil, refuseHTTP(http.StatusBadRequest, err.Code, "%s", err.Message)
		}
		return req, nil
	}
	tooLarge := refuseHTTP(http.StatusRequestEntityTooLarge, coded.PayloadTooLarge, "the request is larger than %d bytes", h.opts.MaxRequestBytes)
	if r.ContentLength > h.opts.MaxRequestBytes {
		return nil, tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.opts.MaxRequestBytes))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, tooLarge
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, refuseHTTP(http.StatusRequestTimeout, coded.BadUserInput, "the request's body took longer than %s", h.opts.ReadTimeout)
	}
	if err != nil {
		return nil, refuseHTTP(http.StatusBadRequest, coded.BadUserInput, "the request's body cannot be read")
	}
	// From here on the only thing to read is the client's leaving, for which there is no time.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	req, refused := parseRequest(body)
	if refused != nil {
		return nil, refuseHTTP(http.StatusBadRequest, refused.Code, "%s", refused.Message)
	}
	return req, nil
}

// writeChunk is how much of a long answer a client must take within one WriteTimeout.
const writeChunk = 64 << 10

// writeSlowly writes data with a deadline for every chunk, none of them later than until (zero: no such bound).
func (h *Handler) writeSlowly(control *http.ResponseController, w io.Writer, data []byte, until time.Time) error {
	for len(data) > 0 {
		n := min(len(data), writeChunk)
		_ = control.SetWriteDeadline(h.writeDeadline(until))
		if _, err := w.Write(data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// writeDeadline is when a write that starts now must have made progress.
func (h *Handler) writeDeadline(until time.Time) time.Time {
	deadline := time.Now().Add(h.opts.WriteTimeout)
	if !until.IsZero() && until.Before(deadline) {
		return until
	}
	return deadline
}
