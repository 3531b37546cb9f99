package langgraph

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"inlaygraph/wire"
)

// abortError is the exception of a task that was stopped because another one failed: it is cancelled, not failed.
const abortError = "AbortError"

// timeoutError stands for the exception of a run that took too long.
const timeoutError = "TimeoutError"

// cancelledWords are the names of exceptions that mean that a task was stopped.
var cancelledWords = map[string]bool{
	abortError: true, "CancelledError": true, "asyncio.CancelledError": true, "UserInterrupt": true, "UserRollback": true,
}

// exception is what the server tells of a failure. Its text stays here: it only tells whether two are one.
type exception struct{ name, text string }

// exceptionOf reads a failure: an object, the same as a string, or a text such as `Name('text')`; false without one.
func exceptionOf(v jsontext.Value) (exception, bool) {
	switch kindOfValue(v) {
	case '{':
		o, ok := asObject(v)
		return exceptionIn(o), ok
	case '"':
		text := asText(v)
		if o, ok := asObject(sound([]byte(text))); ok {
			return exceptionIn(o), true
		}
		name, _, called := strings.Cut(text, "(")
		if !called || strings.ContainsAny(name, " \t\r\n:") {
			name = ""
		}
		return exception{name, text}, true
	}
	return exception{}, false
}

func exceptionIn(o object) exception {
	e := exception{o.text("name"), o.text("message")}
	for _, member := range []string{"error", "type"} {
		if e.name == "" {
			e.name = o.text(member)
		}
	}
	return e
}

// The messages of failures. They say what kind of thing failed, and nothing of how.
const (
	messageModel = "The model could not answer."
	messageTool  = "A tool failed."
	messageStep  = "This step failed."
	messageRun   = "The run failed."
	messageSteps = "The agent stopped: it took too many steps."
	messageMerge = "The run failed: its steps gave results that do not go together."
	messageTime  = "The run took too long."
	resultFailed = "The tool failed."
)

// runMessages are the messages of failures of a whole run, by the exception's name.
var runMessages = map[string]string{
	"GraphRecursionError": messageSteps, "InvalidUpdateError": messageMerge, timeoutError: messageTime,
}

// failure is a failure as it is told.
type failure struct {
	exception
	public wire.PublicError
}

// failureOf is what a task's exception is told as. What a model or a tool was doing tells the kind.
func failureOf(e exception, kind string, streaming bool) failure {
	f := failure{exception: e, public: wire.PublicError{Kind: wire.ErrorInternal, Message: messageStep}}
	switch {
	case kind == kindTool:
		f.public = wire.PublicError{Kind: wire.ErrorTool, Message: messageTool}
	case kind == kindModel, streaming:
		f.public = wire.PublicError{Kind: wire.ErrorLLM, Message: messageModel}
	}
	return f
}

// failTask remembers a failure where it happened, and answers what it is told as: that of the place inside the task
// where it came from, if it came from there.
func (t *teller) failTask(tk *task, e exception) failure {
	inner := inside(tk.namespace, tk.spine.NodeID, tk.id)
	for i := len(t.failures) - 1; i >= 0; i-- {
		if f := t.failures[i]; within(f.namespace, inner) && f.exception == e {
			return t.remember(tk, f.failure)
		}
	}
	return t.remember(tk, failureOf(e, tk.kind, tk.streaming()))
}

// placedFailure is a failure and the namespace of the task that failed.
type placedFailure struct {
	failure
	namespace string
}

func (t *teller) remember(tk *task, f failure) failure {
	t.failures = append(t.failures, placedFailure{f, tk.namespace})
	return f
}

// runFailure is what a run's failure is told as: that of the node that failed with it, else one of the run.
func (t *teller) runFailure(e exception, told bool) wire.PublicError {
	for i := len(t.failures) - 1; i >= 0; i-- {
		if f := t.failures[i]; !told && e.name == "" || f.exception == e || !told && f.name == e.name {
			return f.public
		}
	}
	message := runMessages[e.name]
	if message == "" {
		message = messageRun
	}
	return wire.PublicError{Kind: wire.ErrorInternal, Message: message}
}
