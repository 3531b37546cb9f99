// Package graph is the public GraphQL API: schema.graphqls is the contract, resolvers/ answers its roots, scalars/ its
// leaf values, and generated/ holds what gqlgen makes of the schema and gqlgen.yml.
//
// Promises:
//  1. schema.graphqls is the whole contract. Names and nullability never change; every type, field, argument and enum
//     value has a description; a nullable field's description says when it is null.
//  2. GraphQL types are our own Go types, bound by name in gqlgen.yml. No model is generated, and no type stands between.
//  3. A field has a resolver only if it is on the list in bindings_test.go. Resolver stubs are never generated, so that
//     a field that is bound to nothing does not compile.
//  4. `go generate ./graph` gives the same bytes every time, and what is checked in is what it gives.
//  5. A subscription's message holds what a query of the same field answers at that moment.
//  6. Every root field refuses whoever has no session. What depends on who asks is reached by queries and mutations alone:
//     one execution may serve everybody who follows the same (docs/service.md, "Who may see what").
//
// gqlgen marshals each element of a list of objects in a goroutine of its own. gqlgen.yml bounds them to one at a time
// (worker_limit): every field below the roots is a read from memory, so that a goroutine for each row at once only costs
// stacks and a tenth more CPU. Lists of rows and of views of nodes are written by encoded/ instead, which generated code
// asks first: internal/generate runs gqlgen and puts the question there.
package graph

//go:generate go run ./internal/generate
