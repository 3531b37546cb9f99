# What a developer runs. `make test` is the README's second command; CI runs all of it through .ci/run.

.PHONY: test test-bus race vet lint generate fuzz soak attack bench bench-e2e instances conformance clients image langgraph page browser run

run: ## the server, with the embedded demo
	go run .

test: ## everything that needs Go alone
	./.ci/test ./...

test-bus: ## the end-to-end tests once more, every server on an embedded bus
	TESTS_BUS=embedded ./.ci/test -count=1 ./tests

race:
	./.ci/test -race -timeout 20m ./...

vet:
	go vet ./...
	test -z "$$(gofmt -l $$(git ls-files '*.go'))"

lint: vet
	go tool staticcheck ./...

generate: ## rewrite generated code; CI fails when this leaves a difference
	go generate ./...

fuzz: ## every fuzz target for FUZZTIME
	./.ci/fuzz $(or $(FUZZTIME),30s)

soak: ## 1,000 subscribers for SOAK (10m) while everything around the server goes wrong
	go run ./tests/soak -for $(or $(SOAK),10m) -subscribers $(or $(SUBSCRIBERS),1000)

bench:
	go test -run '^$$' -bench . -benchmem ./wire ./projection ./conversation ./transport ./graph ./graph/encoded ./feed

attack: ## what the server holds under a stream of 1 GB, a million rows, ten thousand conversations; takes four minutes
	go run ./tests/attack

bench-e2e: ## the running server beside stock gqlgen, graphql-yoga and a bare broadcast; needs Node 20
	./tests/bench/run.sh $(or $(SCALE),quick)

instances: ## three servers on three NATS servers, and what breaks between them; some minutes
	./tests/bus/run.sh

conformance: ## real clients and audits against the running binary; needs Node 20
	./tests/conformance/run.sh

clients: ## the client examples, or NAME alone, and the reducer, against the running binary; needs Node 20
	./clients/test.sh $(NAME)

image: ## build the image's binary as deploy/Dockerfile does, and run it as the image would
	go test -tags image -run TestTheImagesBinary ./tests

langgraph: ## the binary in front of a real LangGraph server over scripted models; needs Node 20
	./tests/langgraph/run.sh

page: ## build the page and GraphiQL into inspector/dist; needs Node 20
	./inspector/build.sh

browser: ## the page in Chromium, against the running binary; needs Node 20 and Chromium
	./tests/browser/run.sh
