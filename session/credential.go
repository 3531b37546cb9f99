package session

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const scheme = "bearer"

// fromHeader is the token of a request's Authorization header, "" when there is none.
func fromHeader(header http.Header) (string, error) {
	sent := header.Values("Authorization")
	switch len(sent) {
	case 0:
		return "", nil
	case 1:
		return bearer(sent[0])
	}
	return "", badToken("there are several Authorization headers")
}

// bearer is the token in "Bearer …".
func bearer(value string) (string, error) {
	name, token, _ := strings.Cut(strings.TrimSpace(value), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(name, scheme) || token == "" || strings.ContainsAny(token, " \t") {
		return "", badToken("the authorization is not Bearer and one token")
	}
	return token, nil
}

// fromPayload is the token in the payload of connection_init, "" when there is none: "Bearer …" in the member
// Authorization, or a token with or without Bearer in the member token. A member that is null or "" counts as absent.
func fromPayload(payload json.RawMessage) (string, error) {
	if len(payload) == 0 {
		return "", nil
	}
	malformed := badToken("the payload of connection_init is not one JSON object")
	// Other members are the client's own, and may be what they like.
	decoder := jsontext.NewDecoder(bytes.NewReader(payload), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	start, err := decoder.ReadToken()
	if err != nil {
		return "", malformed
	}
	if start.Kind() != '{' {
		if start.Kind() == 'n' {
			return "", nil
		}
		return "", malformed
	}
	found := ""
	for decoder.PeekKind() == '"' {
		member, err := decoder.ReadToken()
		if err != nil {
			return "", malformed
		}
		name := member.String()
		inHeader := strings.EqualFold(name, "authorization")
		if !inHeader && name != "token" {
			if decoder.SkipValue() != nil {
				return "", malformed
			}
			continue
		}
		token, err := memberToken(decoder, inHeader)
		switch {
		case err != nil:
			return "", err
		case token == "":
		case found != "":
			return "", badToken("connection_init has several tokens")
		default:
			found = token
		}
	}
	if end, err := decoder.ReadToken(); err != nil || end.Kind() != '}' {
		return "", malformed
	}
	if _, err := decoder.ReadToken(); err != io.EOF {
		return "", malformed
	}
	return found, nil
}

// memberToken reads the value of a member that holds a token.
func memberToken(decoder *jsontext.Decoder, inHeader bool) (string, error) {
	value, err := decoder.ReadToken()
	if err != nil || value.Kind() != '"' && value.Kind() != 'n' {
		return "", badToken("connection_init has a token that is not a string")
	}
	if value.Kind() == 'n' || value.String() == "" {
		return "", nil
	}
	text := value.String()
	if !inHeader && !strings.ContainsAny(text, " \t") {
		return text, nil
	}
	return bearer(text)
}
