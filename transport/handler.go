package transport

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gorilla/websocket"

	"inlaygraph/coded"
)

// Handler serves a schema on one path. Make one with New; it may be mounted anywhere and is safe for concurrent use.
type Handler struct {
	opts        *Options
	engine      *engine
	origins     *origins
	connections *registry
	behindCORS  http.Handler
}

// New returns the handler of schema. It fails on options that make no sense, naming them.
func New(schema graphql.ExecutableSchema, options Options) (*Handler, error) {
	opts, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	h := &Handler{
		opts:        &opts,
		engine:      newEngine(schema, &opts),
		origins:     newOrigins(opts.AllowOrigins, opts.CheckHost),
		connections: newRegistry(opts.MaxConnections),
	}
	h.behindCORS = h.origins.handler(http.HandlerFunc(h.route))
	return h, nil
}

// ServeHTTP serves one request, or one connection until it ends.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		if err, ok := value.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			panic(value)
		}
		h.opts.Logger.ErrorContext(r.Context(), "panic in the transport", "panic", value, "stack", string(debug.Stack()))
		h.writeError(w, mediaJSON, http.StatusInternalServerError, errorList(coded.Internal, internalMessage)[0])
	}()
	if !h.origins.allowHost(r) {
		h.writeError(w, mediaJSON, http.StatusForbidden, errorList(coded.Forbidden, "this host is not the server's own: --allow-origin lets one in")[0])
		return
	}
	if !h.origins.allow(r) {
		h.engine.stats.refuse(refusedOrigin)
		h.writeError(w, mediaJSON, http.StatusForbidden, errorList(coded.Forbidden, "this origin may not use the API: --allow-origin lets one in")[0])
		return
	}
	if websocket.IsWebSocketUpgrade(r) {
		h.serveSocket(w, r)
		return
	}
	h.behindCORS.ServeHTTP(w, r)
}

// Shutdown lets no more connections in, closes the WebSockets with 1012 and ends the event streams without `complete`,
// so that their clients come back to another instance. It returns when all have ended; at ctx's end it drops those left
// and returns ctx's error. Requests with a single result are the HTTP server's to drain.
func (h *Handler) Shutdown(ctx context.Context) error {
	if err := h.connections.shutdown(ctx, h.opts.CloseTimeout); err != nil {
		return err
	}
	return h.engine.groups.wait(ctx)
}

// Connections is the number of open WebSockets and event streams.
func (h *Handler) Connections() int { return h.connections.count() }

// refuseConnection answers a request for which there is no room.
func (h *Handler) refuseConnection(w http.ResponseWriter, err error) {
	message, reason := "too many connections, try again later", refusedFull
	if errors.Is(err, errDraining) {
		message, reason = "the server is going away, try again", refusedDraining
	}
	h.engine.stats.refuse(reason)
	h.writeError(w, mediaJSON, http.StatusServiceUnavailable, errorList(coded.RateLimited, "%s", message)[0])
}

// refuse answers a request with what one of the hooks of Options said.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, media string, err error) {
	presented := h.engine.present.refusal(r.Context(), err)
	sayWhen(w.Header(), err)
	h.engine.stats.refuse(refusedCode(codeOf(presented)))
	h.writeError(w, media, statusOf(codeOf(presented)), presented)
}

// session asks Options.Init who is behind r.
func (h *Handler) session(r *http.Request) (context.Context, time.Time, error) {
	if h.opts.Init == nil {
		return r.Context(), time.Time{}, nil
	}
	return h.opts.Init(r.Context(), r, nil)
}

// expired reports whether a session that ends at expiry has ended by now.
func expired(expiry, now time.Time) bool { return !expiry.IsZero() && !now.Before(expiry) }
