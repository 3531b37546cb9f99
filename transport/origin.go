package transport

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/rs/cors"
)

// origins decides which web pages may use the API (promise 5).
type origins struct {
	any     bool
	allowed map[string]bool
}

func newOrigins(list []string) *origins {
	o := &origins{allowed: map[string]bool{}}
	for _, origin := range list {
		if origin == "*" {
			o.any = true
			continue
		}
		o.allowed[strings.ToLower(strings.TrimSuffix(origin, "/"))] = true
	}
	return o
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
		MaxAge:         600,
	}).Handler(next)
}
