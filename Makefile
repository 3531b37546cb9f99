# What a developer runs. `make test` is the README's second command; CI runs all of it through .ci/run.

.PHONY: test race vet lint generate fuzz bench bench-e2e instances conformance clients langgraph run

run: ## the server, with the embedded demo
	go run .

test: ## everything that needs Go alone
	go test ./...

race:
	go test -race -timeout 20m ./...

vet:
	go vet ./...
	test -z "$$(gofmt -l $$(git ls-files '*.go'))"

lint: vet
	go tool staticcheck ./...

generate: ## rewrite generated code; CI fails when this leaves a difference
	go generate ./...

fuzz: ## every fuzz target for FUZZTIME
	./.ci/fuzz $(or $(FUZZTIME),30s)

bench:
	go test -run '^$$' -bench . -benchmem ./wire ./projection ./conversation ./transport ./graph ./graph/encoded ./feed

bench-e2e: ## the running server beside stock gqlgen, graphql-yoga and a bare broadcast; needs Node 20
	./tests/bench/run.sh $(or $(SCALE),quick)

instances: ## three servers on three NATS servers, and what breaks between them; some minutes
	./tests/bus/run.sh

conformance: ## real clients and audits against the running binary; needs Node 20
	./tests/conformance/run.sh

clients: ## the JavaScript reducer, alone and against the running binary; needs Node 20
	./clients/js/test.sh

langgraph: ## the binary in front of a real LangGraph server over scripted models; needs Node 20
	./tests/langgraph/run.sh
