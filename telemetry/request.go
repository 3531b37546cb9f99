package telemetry

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Request is what is known of a request, or of one operation on a WebSocket, for the log.
type Request struct {
	ID     string // its own, or what a trusted proxy gave it; 128 bytes at most
	Client string // the address that it came from, without a port

	conversation atomic.Pointer[string]
}

// Conversation is the id of the conversation that it is about, "" while that is not known.
func (r *Request) Conversation() string {
	if id := r.conversation.Load(); id != nil {
		return *id
	}
	return ""
}

type requestKey struct{}

// RequestOf is the request of ctx, nil when there is none.
func RequestOf(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

func withRequest(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// Carry takes what a request is known by from one context to another: its trace and its id (conversation.Options.Carry).
func Carry(to, from context.Context) context.Context {
	if r := RequestOf(from); r != nil {
		to = withRequest(to, r)
	}
	if span := trace.SpanContextFromContext(from); span.IsValid() {
		to = trace.ContextWithSpanContext(to, span)
	}
	return to
}

// Proxies are those whose headers are believed.
type Proxies []netip.Prefix

// ParseProxies reads CIDRs, or addresses.
func ParseProxies(texts []string) (Proxies, error) {
	var all Proxies
	for _, text := range texts {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			address, bad := netip.ParseAddr(text)
			if bad != nil {
				return nil, fmt.Errorf("%q is no CIDR like 10.0.0.0/8, and no address", text)
			}
			p = netip.PrefixFrom(address, address.BitLen())
		}
		all = append(all, p.Masked())
	}
	return all, nil
}

func (p Proxies) trust(address netip.Addr) bool {
	for _, prefix := range p {
		if prefix.Contains(address.Unmap()) {
			return true
		}
	}
	return false
}

// forwarded are the headers of promise 6.
var forwarded = []string{"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Request-Id", "Traceparent", "Tracestate"}

var requestID = regexp.MustCompile(`^[A-Za-z0-9._:/+=-]{1,128}$`)

// Front stands before everything that is served: it says what a request is, for the log and for a trace, and sets its
// RemoteAddr and Host to what the client sees, where a trusted proxy tells them.
func (p Proxies) Front(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peer := addressOf(r.RemoteAddr)
		known := &Request{Client: r.RemoteAddr}
		if peer.IsValid() {
			known.Client = peer.String()
		}
		ctx := r.Context()
		behind := *r
		if peer.IsValid() && p.trust(peer) {
			if client := p.client(r.Header.Values("X-Forwarded-For"), peer); client != peer {
				known.Client = client.String()
				behind.RemoteAddr = net.JoinHostPort(known.Client, "0")
			}
			if host := last(r.Header.Values("X-Forwarded-Host")); host != "" {
				behind.Host = withoutDefaultPort(host, last(r.Header.Values("X-Forwarded-Proto")))
			}
			if sent := r.Header.Values("X-Request-Id"); len(sent) == 1 && requestID.MatchString(sent[0]) {
				known.ID = sent[0]
			}
			ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
		} else {
			behind.Header = r.Header.Clone()
			for _, name := range forwarded {
				behind.Header.Del(name)
			}
		}
		if known.ID == "" {
			known.ID = newID()
		}
		w.Header().Set("X-Request-Id", known.ID)
		next.ServeHTTP(w, behind.WithContext(withRequest(ctx, known)))
	})
}

// client is the last address of the list that no trusted proxy has: those before it are the client's own word.
func (p Proxies) client(lists []string, peer netip.Addr) netip.Addr {
	client := peer
	hops := strings.Split(strings.Join(lists, ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := addressOf(strings.TrimSpace(hops[i]))
		if !hop.IsValid() {
			return client
		}
		if client = hop; !p.trust(hop) {
			return client
		}
	}
	return client
}

// addressOf reads an address with or without a port; one that is none is not valid.
func addressOf(text string) netip.Addr {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr().Unmap().WithZone("")
	}
	address, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap().WithZone("")
}

// last is what the nearest proxy said: what stands before it may be the client's own.
func last(values []string) string {
	all := strings.Split(strings.Join(values, ","), ",")
	return strings.TrimSpace(all[len(all)-1])
}

// withoutDefaultPort is a host as an Origin has it.
func withoutDefaultPort(host, proto string) string {
	switch strings.ToLower(proto) {
	case "https":
		return strings.TrimSuffix(host, ":443")
	case "http":
		return strings.TrimSuffix(host, ":80")
	}
	return host
}

func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}
