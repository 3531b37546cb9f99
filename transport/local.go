package transport

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// Local executes operations in this process, through the same stages and with the same encoding as a Handler.
type Local struct{ engine *engine }

// NewLocal returns the executor of schema. It fails on options that make no sense, naming them.
func NewLocal(schema graphql.ExecutableSchema, options Options) (*Local, error) {
	opts, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Local{newEngine(schema, &opts)}, nil
}

// ErrMutation refuses a mutation: it would need a server.
var ErrMutation = errors.New("mutations need a server")

// Result is one encoded response.
type Result struct {
	Payload []byte
	// Failed tells that the response has errors.
	Failed bool
}

// Operation is an operation that was accepted. Next is for one goroutine.
type Operation struct {
	Subscription bool
	source       source
	repeats      *repeats
}

// Start prepares an operation; its resolvers run under ctx. An operation that is refused before execution is answered
// by the Result alone. variables is a JSON object, or empty.
func (l *Local) Start(ctx context.Context, query string, variables json.RawMessage) (*Operation, *Result, error) {
	req, bad := requestOf(func(name string) json.RawMessage {
		switch name {
		case "query":
			if query == "" { // on a command line it is missing
				return nil
			}
			text, _ := json.Marshal(query) // a string always marshals
			return text
		case "variables":
			return variables
		}
		return nil
	})
	if bad != nil {
		return nil, nil, bad
	}
	if mutates(query) {
		return nil, nil, ErrMutation
	}
	op, refused := l.engine.prepare(ctx, req)
	if refused != nil {
		return nil, &Result{Payload: encodeErrors(refused.errs), Failed: true}, nil
	}
	return &Operation{
		Subscription: op.kind == ast.Subscription,
		source:       l.engine.execute(ctx, op),
		repeats:      l.engine.repeatsOf(op),
	}, nil, nil
}

// mutates tells whether a document has a mutation; one that does not parse is for the stages to refuse.
func mutates(query string) bool {
	doc, err := parser.ParseQuery(&ast.Source{Input: query})
	if err != nil {
		return false
	}
	for _, op := range doc.Operations {
		if op.Operation == ast.Mutation {
			return true
		}
	}
	return false
}

// Next waits for the next response; nil for one that equals the one before it and is not to be sent. io.EOF says that
// there is none.
func (o *Operation) Next(ctx context.Context) (*Result, error) {
	payload, _, err := o.source.Next(ctx)
	if err != nil {
		return nil, err
	}
	if payload == nil {
		return nil, io.EOF
	}
	if o.repeats.drop(payload) {
		return nil, nil
	}
	return &Result{Payload: payload, Failed: hasErrors(payload)}, nil
}

// hasErrors looks for the member that a response has at its top level exactly when it has errors.
func hasErrors(payload []byte) bool {
	var response struct {
		Errors json.RawMessage `json:"errors"`
	}
	return json.Unmarshal(payload, &response) != nil || response.Errors != nil
}
