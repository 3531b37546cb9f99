package transport

import (
	"bytes"
	"encoding/json"
	"io"
	"net/url"

	"inlaygraph/coded"
)

// request is what a client asks for, by whichever way it came.
type request struct {
	query         string
	operationName string
	variables     map[string]any // numbers as json.Number, so that they keep their text
	extensions    map[string]any
	beyond        *coded.Error // the limit that the variables or the extensions are beyond, which were then not read
}

func badInput(message string) *coded.Error { return coded.New(coded.BadUserInput, message) }

// parseRequest reads the JSON object of a POST body or of a subscribe message's payload. Its members are the four
// parameters of the GraphQL over HTTP draft, in their exact spelling; others are ignored, as the draft asks.
func parseRequest(raw []byte) (*request, *coded.Error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '[' {
		return nil, badInput("batched requests are not supported: send one operation per request")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, badInput("the request is not a JSON object")
	}
	if members == nil {
		return nil, badInput("the request must be a JSON object")
	}
	return requestOf(func(name string) json.RawMessage { return members[name] })
}

// parseRawQuery reads a GET request's URL after the question mark.
func parseRawQuery(raw string) (*request, *coded.Error) {
	values, err := url.ParseQuery(raw)
	if err != nil { // whatever could be read of it is not all that was asked
		return nil, badInput("the URL's parameters can't be read: a percent sign or a semicolon in them is not escaped")
	}
	return parseQueryParameters(values)
}

// parseQueryParameters reads the parameters of a GET request; variables and extensions are JSON in them.
func parseQueryParameters(values url.Values) (*request, *coded.Error) {
	for _, name := range []string{"query", "operationName", "variables", "extensions"} {
		if len(values[name]) > 1 {
			return nil, badInput("the parameter " + name + " is given more than once")
		}
	}
	return requestOf(func(name string) json.RawMessage {
		value := values.Get(name)
		if value == "" {
			return nil
		}
		if name == "query" || name == "operationName" {
			text, err := json.Marshal(value)
			if err != nil {
				return nil
			}
			return text
		}
		return json.RawMessage(value)
	})
}

func requestOf(member func(name string) json.RawMessage) (*request, *coded.Error) {
	req := &request{}
	switch {
	case !isString(member("query")) || !decode(member("query"), &req.query):
		return nil, badInput("query must be a string")
	case !isString(member("operationName")) || !decode(member("operationName"), &req.operationName):
		return nil, badInput("operationName must be a string")
	case !isObject(member("variables")):
		return nil, badInput("variables must be an object")
	case !isObject(member("extensions")):
		return nil, badInput("extensions must be an object")
	}
	for _, name := range []string{"variables", "extensions"} {
		if req.beyond == nil {
			req.beyond = checkInput(name, member(name))
		}
	}
	missing := isAbsent(member("query")) // an empty one is there: a document that does not parse
	switch {
	case req.beyond != nil && missing:
		return nil, badInput("query is missing")
	case req.beyond != nil:
		return req, nil
	case !decode(member("variables"), &req.variables):
		return nil, badInput("variables must be an object")
	case !decode(member("extensions"), &req.extensions):
		return nil, badInput("extensions must be an object")
	}
	switch {
	case req.query == "" && req.extensions["persistedQuery"] != nil:
		return nil, badInput("PersistedQueryNotSupported")
	case missing:
		return nil, badInput("query is missing")
	}
	return req, nil
}

// isString and isObject also take what stands for an absent member.
func isString(raw json.RawMessage) bool { return isAbsent(raw) || bytes.TrimSpace(raw)[0] == '"' }
func isObject(raw json.RawMessage) bool { return isAbsent(raw) || bytes.TrimSpace(raw)[0] == '{' }

func isAbsent(raw json.RawMessage) bool {
	text := bytes.TrimSpace(raw)
	return len(text) == 0 || string(text) == "null"
}

func decode(raw json.RawMessage, target any) bool {
	if isAbsent(raw) {
		return true
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(target) != nil {
		return false
	}
	_, err := d.Token()
	return err == io.EOF
}
