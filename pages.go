package main

import (
	"net/http"

	"inlaygraph/graph"
	"inlaygraph/inspector"
)

// landing is what a client that asks for no HTML finds at the address that the server prints.
const landing = `Inlay GraphQL: live AI-agent runs over GraphQL.

/                     a page that shows runs, in a browser, where it is on (docs/inspector.md)
/graphql              the API: POST, GET, WebSocket (graphql-transport-ws), server-sent events
/graphiql             GraphiQL, where it is on
/schema.graphql       the schema, with a description on every field
/possible-types.json  what each interface and union can be, for Apollo Client
`

// pages adds what people look at: the page and GraphiQL, which are on in the demo and where a flag says so, and the landing.
func (c *serveCommand) pages(mux *http.ServeMux) error {
	possible, err := graph.PossibleTypes()
	if err != nil {
		return err
	}
	mux.HandleFunc("GET /possible-types.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(possible) // a client that left has nothing to be told
	})
	demo := c.Upstream == ""
	pages, err := inspector.New(inspector.Options{
		Page:       demo || c.Inspector || c.Playground,
		Playground: demo || c.Playground,
		Landing:    landing,
	})
	if err != nil {
		return err
	}
	mux.Handle("/", pages) // what it does not know is a 404
	return nil
}
