package transport

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/rs/cors"
)

// origins decides which web pages may use the API (promise 5).
type origins struct {
	any     bool
	allowed map[string]bool
	hosts   map[string]bool // of allowed; nil: none is asked for
}

func newOrigins(list []string, checkHost bool) *origins {
	o := &origins{allowed: map[string]bool{}}
	if checkHost {
		o.hosts = map[string]bool{}
	}
	for _, origin := range list {
		if origin == "*" {
			o.any = true
			continue
		}
		origin = strings.ToLower(strings.TrimSuffix(origin, "/"))
		o.allowed[origin] = true
		if _, host, _ := strings.Cut(origin, "://"); checkHost {
			o.hosts[host] = true
		}
	}
	return o
}

// allowHost reports whether r is for a host that this server may be (Options.CheckHost). Only what comes over loopback is
// looked at: elsewhere the server has a name of its own, which it does not know.
func (o *origins) allowHost(r *http.Request) bool {
	if o.hosts == nil || o.any || o.hosts[strings.ToLower(r.Host)] {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok || !local.IP.IsLoopback() {
		return true
	}
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	_, err := netip.ParseAddr(name)
	return err == nil
}

// allow reports whether r may be served: it has no Origin, or its one Origin is the server's own or a listed one.
func (o *origins) allow(r *http.Request) bool {
	sent := r.Header.Values("Origin")
	switch len(sent) {
	case 0:
		return true
	case 1:
		return o.allowOrigin(r, sent[0])
	}
	return false
}

func (o *origins) allowOrigin(r *http.Request, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || !strings.EqualFold(origin, u.Scheme+"://"+u.Host) {
		return false
	}
	// Whether the client spoke TLS is known to a proxy at best, so that the server's own origin is told by its host.
	return o.any || strings.EqualFold(u.Host, r.Host) || o.allowed[strings.ToLower(origin)]
}

// handler answers preflight requests and adds the CORS headers. It stands behind the check of allow.
func (o *origins) handler(next http.Handler) http.Handler {
	return cors.New(cors.Options{
		AllowOriginVaryRequestFunc: func(r *http.Request, origin string) (bool, []string) {
			return o.allowOrigin(r, origin), nil
		},
		AllowedMethods: []string{http.MethodGet, http.MethodPost},
		AllowedHeaders: []string{"*"},
		ExposedHeaders: []string{"Retry-After"},
		MaxAge:         600,
	}).Handler(next)
}
