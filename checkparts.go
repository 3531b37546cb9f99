package main

import (
	"errors"
	"log/slog"
	"maps"
	"math"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"inlaygraph/telemetry"
	"inlaygraph/transport"
	"inlaygraph/upstream"
	"inlaygraph/upstream/langgraph"
	"inlaygraph/upstream/planfile"
	"inlaygraph/upstream/recording"
)

// unknownMembers are the names that an error says are no flags.
func unknownMembers(err error) ([]string, bool) {
	unknown, ok := errors.AsType[unknownFlags](err)
	if !ok {
		return nil, false
	}
	var names []string
	for name := range unknown {
		names = append(names, name)
	}
	return names, true
}

func (c *serveCommand) checkTokens(f *faults) {
	quiet := slog.New(slog.DiscardHandler)
	verifier, err := c.sessionFlags.verifier(c.Upstream == "", quiet)
	if err != nil {
		f.refuse("%w", err)
		for _, name := range c.JWTAlg { // the first is not all
			one := c.sessionFlags
			one.JWTAlg = []string{name}
			if _, other := one.verifier(c.Upstream == "", quiet); other != nil && !f.has(other) {
				f.refuse("%w", other)
			}
		}
		return
	}
	switch {
	case verifier != nil:
		defer verifier.Close()
		for _, doubt := range verifier.Doubts() {
			f.doubt("%s", tokenDoubt+doubt)
		}
	case isLoopback(c.Listen) || !isAddress(c.Listen):
	case c.Insecure:
		f.doubt("--insecure with --listen %s: whoever reaches the server reads what it may read", c.Listen)
	case c.Upstream == "":
		f.doubt("--listen %s: the demo asks nobody for a token", c.Listen)
	}
}

func (f *faults) has(err error) bool {
	return slices.ContainsFunc(f.wrong, func(known error) bool { return known.Error() == err.Error() })
}

func (c *serveCommand) checkUpstream(f *faults) {
	plans, err := planfile.Load(c.Plan...)
	if err == nil {
		_, err = upstream.NewPlans(nil, plans)
	}
	if err != nil {
		for _, one := range split(err) {
			f.refuse("--plan: %w", one)
		}
	}
	_, isLanggraph := langgraph.BaseURL(c.Upstream)
	if (c.LanggraphOpenThreads || len(c.LanggraphPrivateTool) > 0) && !isLanggraph {
		f.doubt("--langgraph-open-threads and --langgraph-private-tool are without effect: the --upstream is no langgraph+http(s)://… one")
	}
	if c.Upstream == "" {
		if len(c.UpstreamHeader) > 0 {
			f.doubt("--upstream-header is without effect on the demo")
		}
		if c.DemoRecordings != "" {
			if _, err := recording.Load(c.DemoRecordings, c.MaxFrameBytes); err != nil {
				f.refuse("--demo-recordings: %w", err)
			}
		}
		return
	}
	c.checkHeaders(f)
	client, err := c.newRuns(c.Upstream, nil, nil, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		f.refuse("--upstream: %w", err)
		return
	}
	client.Close()
	if u, err := url.Parse(c.Upstream); err == nil && u.Scheme == "http" && !isLoopback(hostPort(u)) && !c.Insecure {
		f.doubt("--upstream %s is not https: tokens go there in the clear", u.Redacted())
	}
}

// checkHeaders finds what net/http would refuse of every request. A name is not repeated: where the = is missing or
// misplaced it holds what was meant as the value.
func (c *serveCommand) checkHeaders(f *faults) {
	for _, name := range slices.Sorted(maps.Keys(c.UpstreamHeader)) {
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			f.refuse("--upstream-header: what stands before the = is not the name of a header")
		case !httpguts.ValidHeaderFieldValue(c.UpstreamHeader[name]):
			f.refuse("--upstream-header: the value of %s has a character that no header may have", name)
		}
	}
}

func hostPort(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	return u.Host + ":80"
}

// split are the errors that are joined in one.
func split(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

func (c *serveCommand) checkOrigins(f *faults) {
	for _, origin := range c.AllowOrigin {
		if err := (transport.Options{AllowOrigins: []string{origin}}).Check(); err != nil {
			f.refuse("--allow-origin: %w", err)
		}
		if origin == "*" && c.Insecure {
			f.doubt("--allow-origin * with --insecure: every web page that a user of this network opens can use the API")
		}
	}
}

func (c *serveCommand) checkOperations(f *faults) {
	switch {
	case c.TLSCert == "" && c.TLSKey == "":
	case c.TLSKey == "":
		f.refuse("--tls-cert: its key is missing: --tls-key")
	case c.TLSCert == "":
		f.refuse("--tls-key: its certificate is missing: --tls-cert")
	default:
		pair, err := newKeyPair(c.TLSCert, c.TLSKey, nil)
		if err != nil {
			f.refuse("--tls-cert, --tls-key: %w", err)
		} else if until := pair.current.Leaf.NotAfter; time.Now().After(until) {
			f.doubt("--tls-cert: the certificate was good until %s", until.Format(time.RFC3339))
		}
	}
	for _, text := range c.TrustedProxy {
		proxies, err := telemetry.ParseProxies([]string{text})
		if err != nil {
			f.refuse("--trusted-proxy: %w", err)
		} else if proxies[0].Bits() == 0 {
			f.doubt("--trusted-proxy %s: everybody's word for who they are is believed", text)
		}
	}
	if _, err := telemetry.Traced(); err != nil {
		f.refuse("%w", err)
	}
	checkMemory(f)
}

// leastMemory is what a server takes that does next to nothing.
const leastMemory = 64 << 20

// checkMemory looks at GOMEMLIMIT. One that cannot be read has ended the process by now: the Go runtime's own doing.
func checkMemory(f *faults) {
	limit := debug.SetMemoryLimit(-1)
	if os.Getenv("GOMEMLIMIT") == "" || limit == math.MaxInt64 {
		return
	}
	if limit < leastMemory {
		f.refuse("GOMEMLIMIT: %d bytes are less than the %d MiB that an idle server takes", limit, leastMemory>>20)
	}
	if most := containerMemory(); most > 0 && limit > most {
		f.doubt("GOMEMLIMIT: %d bytes are more than the %d that this container has", limit, most)
	}
}

// containerMemory is the limit of the control group, 0 where there is none.
func containerMemory() int64 {
	text, err := os.ReadFile("/sys/fs/cgroup/memory.max")
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0 // "max"
	}
	return n
}
