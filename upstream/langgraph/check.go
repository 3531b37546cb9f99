package langgraph

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"inlaygraph/upstream"
	"inlaygraph/upstream/internal/exchange"
)

// The oldest servers that have what is needed here: streams that can be joined again, the mode "tasks", and a search that
// takes ids (docs/langgraph.md).
var (
	oldestJS     = [2]int{1, 0}
	oldestPython = [2]int{0, 3}
)

// Check asks the server who it is. The error says in words for whoever starts us what is wrong: that nobody answers, that
// it is no LangGraph server, or that it is too old.
func (c *Client) Check(ctx context.Context) error {
	body, err := c.http.Read(ctx, exchange.Call{Op: "info", Path: []string{"info"}})
	if e, ok := errors.AsType[*upstream.Error](err); ok {
		switch {
		case e.Status == 401 || e.Status == 403:
			return fmt.Errorf("the LangGraph server does not let us in (%d): does it want an API key?", e.Status)
		case e.Status != 0:
			return fmt.Errorf("no LangGraph server answers there: GET /info is answered with %d", e.Status)
		}
		return fmt.Errorf("the LangGraph server does not answer: %w", e.Detail)
	} else if err != nil {
		return err
	}
	o, ok := asObject(sound(body))
	version := o.text("version")
	if !ok || version == "" {
		return errors.New("no LangGraph server answers there: GET /info tells no version")
	}
	oldest, kind := oldestPython, "Python"
	if o.text("context") == "js" || o.text("langgraph_js_version") != "" {
		oldest, kind = oldestJS, "JavaScript"
	}
	if major, minor, ok := versionOf(version); ok && (major < oldest[0] || major == oldest[0] && minor < oldest[1]) {
		return fmt.Errorf("the LangGraph server (%s) is of version %.32q: it takes %d.%d at least", kind, version, oldest[0], oldest[1])
	}
	return nil
}

// Reach tells whether the server answers: a refusal is an answer.
func (c *Client) Reach(ctx context.Context) error {
	return c.http.Reach(ctx, exchange.Call{Op: "reach", Path: []string{"info"}})
}

// versionOf reads the first two numbers of a version; false where there are none: what calls itself "dev" is new enough.
func versionOf(version string) (major, minor int, ok bool) {
	first, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	second, _, _ := strings.Cut(rest, ".")
	major, err1 := strconv.Atoi(first)
	minor, err2 := strconv.Atoi(second)
	return major, minor, err1 == nil && err2 == nil
}
