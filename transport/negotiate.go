package transport

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

const (
	mediaResponse = "application/graphql-response+json"
	mediaJSON     = "application/json"
	mediaSSE      = "text/event-stream"
)

// accepted is what a request's Accept header allows.
type accepted struct {
	json  string // the media type for a single JSON result, "" for none
	jsonQ float64
	sseQ  float64 // 0: no event stream, which must be asked for by name
}

func (a accepted) sse() bool { return a.sseQ > 0 }

// preferSSE reports whether a single result is to be sent as an event stream.
func (a accepted) preferSSE() bool { return a.sse() && (a.json == "" || a.sseQ > a.jsonQ) }

// negotiate reads the Accept headers. Without any, and for a wildcard, the answer is application/json, as the GraphQL
// over HTTP draft asks before its watershed; between equally wanted types, the one that says more is taken.
func negotiate(r *http.Request) accepted {
	headers := r.Header.Values("Accept")
	if len(headers) == 0 {
		return accepted{json: mediaJSON, jsonQ: 1}
	}
	// A name beats a wildcard whatever its q, so that "application/json;q=0, */*" refuses application/json.
	q := map[string]float64{mediaResponse: -1, mediaJSON: -1, mediaSSE: -1}
	wildcard := map[string]float64{}
	for _, part := range strings.Split(strings.Join(headers, ","), ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		if charset := params["charset"]; charset != "" && !isUTF8(charset) {
			continue
		}
		weight := 1.0
		if text, ok := params["q"]; ok {
			if weight, err = strconv.ParseFloat(text, 64); err != nil || !(weight >= 0 && weight <= 1) {
				continue
			}
		}
		if _, ok := q[name]; ok {
			q[name] = max(q[name], weight)
		} else if name == "*/*" || name == "application/*" {
			wildcard[name] = max(wildcard[name], weight)
		}
	}
	if q[mediaJSON] < 0 {
		if specific, ok := wildcard["application/*"]; ok {
			q[mediaJSON] = specific
		} else if general, ok := wildcard["*/*"]; ok {
			q[mediaJSON] = general
		}
	}
	a := accepted{sseQ: max(q[mediaSSE], 0)}
	if q[mediaJSON] > 0 {
		a.json, a.jsonQ = mediaJSON, q[mediaJSON]
	}
	if q[mediaResponse] > 0 && q[mediaResponse] >= a.jsonQ {
		a.json, a.jsonQ = mediaResponse, q[mediaResponse]
	}
	return a
}

func isUTF8(charset string) bool {
	return strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8")
}

// readableBody reports whether a POST's body is JSON in UTF-8, which is the only kind that is read: a browser sends the
// others for any page, without asking.
func readableBody(r *http.Request) bool {
	sent := r.Header.Values("Content-Type")
	if len(sent) != 1 {
		return false
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return false
	}
	name, params, err := mime.ParseMediaType(sent[0])
	if err != nil || name != mediaJSON {
		return false
	}
	charset, ok := params["charset"]
	return !ok || isUTF8(charset)
}
