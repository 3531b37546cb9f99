package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"inlaygraph/coded"
	"inlaygraph/transport/internal/testgql"
)

// bomb is a request that is small to send and dear to do, and the stage that is to refuse it.
type bomb struct {
	name  string
	stage stage
	query string // of body
	body  string
}

// bombs are requests that cost a plain executor seconds, or its memory.
func bombs() []bomb {
	recursive := "{me{...F0}}"
	for i := range 30 {
		recursive += fmt.Sprintf("fragment F%d on User{a:friend{...F%d}friend{id ...F%d}pet{...on Dog{owner{...F%d}}}}", i, i+1, i+1, i+1)
	}
	recursive += "fragment F30 on User{name}"
	documents := []bomb{
		{name: "tokens: 8,000 fields", stage: stageTokens, query: "{" + strings.Repeat("hello ", 8000) + "}"},
		{name: "tokens: 2 MB of one name", stage: stageTokens, query: "{" + strings.Repeat("a", 2<<20) + "}"},
		{name: "tokens: 100,000 comments", stage: stageTokens, query: strings.Repeat("#\n", 100_000) + "{hello}"},
		{name: "tokens: a list of 100,000", stage: stageTokens, query: "{custom(any:[" + strings.Repeat("1 ", 100_000) + "])}"},
		{name: "aliases: 1,600", stage: stageLimits, query: "{" + numbered(1600, "a#:hello ") + "}"},
		{name: "depth: 1,600, not closed", stage: stageParse, query: strings.Repeat("{me", 1600)},
		{name: "depth: 400", stage: stageLimits, query: "{me{" + nest(400, "name") + "}}"},
		{name: "depth: a value of 2,000 lists", stage: stageParse, query: "{custom(any:" + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + ")}"},
		{name: "directives: 700", stage: stageLimits, query: "{hello " + strings.Repeat("@skip(if:true)", 700) + "}"},
		{name: "directives: 1,200 that nobody knows", stage: stageLimits, query: "{hello " + strings.Repeat("@aa", 1200) + "}"},
		{name: "one field 4,900 times", stage: stageLimits, query: "{" + strings.Repeat("hello ", 4900) + "}"},
		{name: "overlapping: pairs of 1,200 fields", stage: stageLimits, query: "{me{" + strings.Repeat("friend{id}", 1200) + "}}"},
		{name: "overlapping: fragments pairwise", stage: stageLimits, query: "{me{" + strings.Repeat("...F ", 1000) + "}}fragment F on User{friend{name id}}"},
		{name: "introspection: 30 deep", stage: stageLimits, query: "{__schema{types{" + strings.Repeat("fields{type{", 14) + "name" + strings.Repeat("}}", 14) + "}}}"},
		{name: "fragments: 4^30 fields, recursive", stage: stageLimits, query: recursive},
		{name: "fragments: 2^40 fields", stage: stageLimits, query: doubling(40)},
		{name: "fragments: 2^60 spreads, no field", stage: stageLimits, query: hollow(60)},
		{name: "fragments: a chain of 600 unused", stage: stageLimits, query: "{hello}" + chain(600)},
	}
	for i, d := range documents {
		text, err := json.Marshal(map[string]string{"query": d.query})
		if err != nil {
			panic(err)
		}
		documents[i].body = string(text)
	}
	input := func(name, member, value string) bomb {
		return bomb{name: name, stage: stageInput, query: "{hello}", body: `{"query":"query($v:JSON){custom(any:$v)}","` + member + `":{"v":` + value + `}}`}
	}
	return append(documents,
		input("variables: a list of 1,000,000", "variables", "["+strings.Repeat("1,", 1_000_000-1)+"1]"),
		input("variables: 300,000 empty objects", "variables", "["+strings.Repeat("{},", 300_000)+"{}]"),
		input("variables: 9,000 lists in one another", "variables", strings.Repeat("[", 9_000)+strings.Repeat("]", 9_000)),
		input("variables: 4,000 objects in one another", "variables", strings.Repeat(`{"a":`, 4_000)+"1"+strings.Repeat("}", 4_000)),
		input("extensions: a list of 1,000,000", "extensions", "["+strings.Repeat("1,", 1_000_000-1)+"1]"),
	)
}

// hollow is a document whose n fragments each spread the next twice, down to one that is not there: 2^n spreads of nothing.
func hollow(n int) string {
	var b strings.Builder
	b.WriteString("{me{...F0}}")
	for i := range n {
		fmt.Fprintf(&b, "fragment F%d on User{...F%d ...F%d}", i, i+1, i+1)
	}
	return b.String()
}

func testEngine(t testing.TB) *engine {
	t.Helper()
	opts, err := Options{}.withDefaults()
	require.NoError(t, err)
	return newEngine(testgql.NewExecutableSchema((&testgql.Root{}).Config()), &opts)
}

// refuses takes a request's body through the stages before execution.
func (e *engine) refuses(body string) *refusal {
	req, bad := parseRequest([]byte(body))
	if bad != nil {
		panic(bad)
	}
	_, refused := e.prepare(context.Background(), req)
	return refused
}

// Promise 1: every bomb is refused before validation, by the stage that is there for it, and in no time. The bound is loose
// because machines are shared; the log has the figures.
func TestBombs(t *testing.T) {
	kinds := map[stage]int{}
	for _, bomb := range bombs() {
		t.Run(bomb.name, func(t *testing.T) {
			e := testEngine(t)
			begin := time.Now()
			refused := e.refuses(bomb.body)
			took := time.Since(begin)
			require.NotNil(t, refused)
			assert.Equal(t, bomb.stage, refused.stage)
			assert.Less(t, took, 2*time.Second)
			code := coded.BadUserInput
			if bomb.stage == stageParse {
				code = coded.ParseFailed
			}
			require.Len(t, refused.errs, 1)
			assert.Equal(t, code, codeOf(refused.errs[0]))
			assert.LessOrEqual(t, len(encodeErrors(refused.errs)), 1_000, "the answer is small")
			t.Logf("| %s | %d | %s | %.2f ms |", bomb.name, len(bomb.body), refused.stage, float64(took.Microseconds())/1000)
			kinds[refused.stage]++
		})
	}
	assert.Len(t, kinds, 4, "every stage before validation has its bombs")
	assert.Zero(t, kinds[stageValidation])
}

// What the stage of input lets through: whatever may be sent as content, to the last value and level.
func TestInputLimits(t *testing.T) {
	e := testEngine(t)
	ask := func(value string) *refusal {
		return e.refuses(`{"query":"query($v:JSON){custom(any:$v)}","variables":{"v":` + value + `}}`)
	}
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	wide := func(n int) string { return "[" + strings.Repeat("1,", n-1) + "1]" }
	assert.Nil(t, ask(deep(maxInputDepth-1)))
	assert.Nil(t, ask(wide(maxInputValues-1)))
	assert.Nil(t, ask(wide((256<<10)/2)), "262,144 bytes of content hold no more values")
	assert.Nil(t, ask(`"`+strings.Repeat(`[{,\\\"`, 100_000)+`"`), "what stands in a string is no value")
	for value, says := range map[string]string{
		deep(maxInputDepth):                  "variables are nested more than 200 deep",
		wide(maxInputValues):                 "variables have more than 150000 values",
		`"\\",` + deep(maxInputDepth) + `,"`: "variables are nested more than 200 deep",
	} {
		err := checkInput("variables", []byte(`{"v":`+value+`}`))
		require.NotNil(t, err)
		assert.Equal(t, says, err.Message)
	}
	s := start(t, Options{})
	body := `{"query":"{hello}","variables":{"v":` + deep(maxInputDepth) + `}}`
	for _, accept := range []string{mediaJSON, mediaResponse} {
		got := s.do(t, "POST", "/", body, "Content-Type", mediaJSON, "Accept", accept)
		assert.Equal(t, 400, got.status)
		assert.Equal(t, `{"errors":[{"message":"variables are nested more than 200 deep","extensions":{"code":"BAD_USER_INPUT"}}]}`, got.body)
	}
	c := s.connect(t)
	c.send(`{"id":"1","type":"subscribe","payload":` + body + `}`)
	c.expect(`{"id":"1","type":"error","payload":[{"message":"variables are nested more than 200 deep","extensions":{"code":"BAD_USER_INPUT"}}]}`)
	c.quiet()
	assert.Contains(t, s.do(t, "POST", "/", strings.Replace(body, "query", "other", 1), "Content-Type", mediaJSON).body, "query is missing")
}

// Promise 1: the pass is linear. Its work is counted, not timed: twice the document is no more than twice the work, and what
// fragments multiply is bounded by MaxExpandedFields, whatever they spread.
func TestTheLimitPassIsLinear(t *testing.T) {
	opts, err := Options{MaxTokens: 1 << 20, MaxAliasesPerField: 1 << 20, MaxFieldsPerResponseName: 1 << 20, MaxDirectives: 1 << 20}.withDefaults()
	require.NoError(t, err)
	work := func(text string) (int, string) {
		doc, err := parser.ParseQuery(&ast.Source{Input: text})
		require.NoError(t, err)
		p := passLimits(&opts, doc)
		if p.err != nil {
			return p.work, "refused: " + p.err.Message
		}
		return p.work, "let through"
	}
	for name, write := range map[string]func(n int) string{
		"fields":            func(n int) string { return "{" + strings.Repeat("hello ", n) + "}" },
		"aliases":           func(n int) string { return "{" + numbered(n, "a#:hello ") + "}" },
		"directives":        func(n int) string { return "{hello " + strings.Repeat("@skip(if:true)", n) + "}" },
		"sets side by side": func(n int) string { return "{me{" + strings.Repeat("friend{id name}", n) + "}}" },
		"inline fragments":  func(n int) string { return "{me{" + strings.Repeat("...{...{...{id}}}", n) + "}}" },
		"one fragment":      func(n int) string { return "{me{" + strings.Repeat("...F ", n) + "}}fragment F on User{id name}" },
		"fragments each": func(n int) string {
			return "{me{" + numbered(n, "...F# ") + "}}" + numbered(n, "fragment F# on User{id}")
		},
		"fragments of empty": func(n int) string { return "{me{" + strings.Repeat("...Nothing ", n) + "}}" },
	} {
		t.Run(name, func(t *testing.T) {
			for n := 250; n <= 4000; n *= 2 {
				once, what := work(write(n))
				twice, _ := work(write(2 * n))
				assert.LessOrEqual(t, twice, 2*once+10)
				t.Logf("n = %d: work %d, at 2n %d, %s", n, once, twice, what)
			}
		})
	}
	for name, write := range map[string]func(n int) string{"doubling": doubling, "hollow": hollow} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{10, 14, 16, 18, 20, 40, 80, 160} {
				did, what := work(write(n))
				assert.LessOrEqual(t, did, len(write(n))+2*partsPerField*opts.MaxExpandedFields)
				if n >= 18 {
					assert.LessOrEqual(t, did, 4*n+10, "what is refused is not expanded")
					assert.Contains(t, what, "refused")
				}
				t.Logf("n = %d, 2^n spreads: work %d, %s", n, did, what)
			}
		})
	}
}
