package billing

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// maxURL is the length of a URL that a browser is sent to, in bytes.
const maxURL = 8 << 10

const unsafePage = "is no absolute https URL that is safe to open"

// safePage tells whether a browser that is sent to raw goes where raw says: an absolute URL with a host, of https, or of
// http when the host is the user's own machine. User info is refused, as people read it for the host. So is what no URL
// may have and some reader takes for something else: white space, control characters, anything outside ASCII, a
// backslash (browsers read a slash), quotes and angle brackets.
func safePage(raw string) bool {
	if len(raw) > maxURL {
		return false
	}
	for i := range len(raw) {
		if c := raw[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\\\"<>`", c) >= 0 {
			return false
		}
	}
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" || u.User != nil || !names(u.Hostname(), strings.HasPrefix(u.Host, "[")) {
		return false
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return false
		}
	}
	switch u.Scheme {
	case "https":
		return true
	case "http":
		return loopback(u.Hostname())
	}
	return false
}

// hostName is what stands in the names of hosts; package url would let through any mark that is no delimiter, which
// browsers do not.
var hostName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// names tells whether host is a name or an address: of IPv6 in brackets, without a zone.
func names(host string, brackets bool) bool {
	if !brackets {
		return hostName.MatchString(host)
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Is6() && addr.Zone() == ""
}

// loopback tells whether host is the machine that asks: localhost, 127.0.0.0/8 or ::1.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && (addr.Is4() && addr.IsLoopback() || addr == netip.IPv6Loopback())
}
