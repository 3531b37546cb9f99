package inspector

import "net/http"

// What a browser lets each document do. Scripts come from the binary alone, and nothing is loaded from or sent to anywhere else.
//
// Inline styles are let in for the sake of the sandboxed frames: a frame made of text inherits this policy, and an artifact
// without its styles would not be what the model made. The page itself never makes markup of text: where the browser knows
// Trusted Types, the one policy "artifact" (web/src/view/artifact.tsx) is the only way into such a sink.
const (
	base = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
		"connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
	pagePolicy       = base + "; require-trusted-types-for 'script'; trusted-types artifact"
	playgroundPolicy = base + "; worker-src 'self'"
	assetPolicy      = "default-src 'none'; sandbox; frame-ancestors 'none'" // of a file that is opened by itself
)

func secure(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
}
