package transport

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/transport/internal/testgql"
)

func testDocuments(t testing.TB, change func(*Options)) *documents {
	t.Helper()
	opts, err := Options{}.withDefaults()
	require.NoError(t, err)
	if change != nil {
		change(&opts)
	}
	return newDocuments(testgql.NewExecutableSchema(testgql.Config{}).Schema(), &opts)
}

// nest writes n selection sets of friend within one another.
func nest(n int, inner string) string {
	return strings.Repeat("friend{", n) + inner + strings.Repeat("}", n)
}

// numbered writes format n times with the numbers from 0.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)))
	}
	return b.String()
}

// doubling is a document whose n fragments each spread the next twice: 2^n fields once expanded.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString("{me{...F0}}")
	for i := range n {
		fmt.Fprintf(&b, "fragment F%d on User{a:friend{...F%d}friend{...F%d}}", i, i+1, i+1)
	}
	fmt.Fprintf(&b, "fragment F%d on User{name}", n)
	return b.String()
}

// Promise 1: every limit at its figure, and one beyond it. Those beyond are also invalid, which nobody may find out:
// the stage that refuses is asserted, and validation has not run.
func TestLimits(t *testing.T) {
	const wrong = " nothing "
	cases := []struct {
		name, fits, beyond string
		stage              stage
		message            string
	}{
		{"tokens", "{" + strings.Repeat("hello ", 50) + "}", "{" + wrong + strings.Repeat("hello ", 4998) + "}", stageTokens, "the document has more than 5000 tokens"},
		{"comments are tokens", "#\n{hello}", strings.Repeat("#\n", 5000) + "{hello}", stageTokens, "the document has more than 5000 tokens"},
		{"names", "{" + strings.Repeat("a", 256) + ":hello}", "{" + wrong + strings.Repeat("a", 257) + ":hello}", stageTokens, "a name is longer than 256 bytes"},
		{"aliases", "{" + numbered(30, "a#:hello ") + "}", "{" + wrong + numbered(31, "a#:hello ") + "}", stageLimits, `the field "hello" has more than 30 aliases`},
		{"directives", "{" + strings.Repeat("hello @skip(if:false)", 50) + "}", "{" + wrong + strings.Repeat("hello @skip(if:false)", 49) + strings.Repeat("me @skip(if:false){id}", 2) + "}", stageLimits, "the document has more than 50 directives"},
		{"response names", "{" + strings.Repeat("hello ", 50) + "}", "{" + wrong + strings.Repeat("hello ", 51) + "}", stageLimits, `the response name "hello" stands for more than 50 fields in one selection set`},
		{"response names by fragments", "{me{" + strings.Repeat("...F ", 50) + "}}fragment F on User{name}", "{me{" + wrong + strings.Repeat("...F ", 51) + "}}fragment F on User{name}", stageLimits, `the response name "name" stands for more than 50 fields in one selection set`},
		{"depth", "{me{" + nest(198, "name") + "}}", "{" + wrong + "me{" + nest(199, "name") + "}}", stageLimits, "selection sets are nested more than 200 deep"},
		{"depth by fragments", "{me{" + nest(98, "...F") + "}}fragment F on User{" + nest(99, "name") + "}", "{" + wrong + "me{" + nest(100, "...F") + "}}fragment F on User{" + nest(100, "name") + "}", stageLimits, "selection sets are nested more than 200 deep"},
		{"a chain of fragments", "{me{...F0}}" + chain(190), "{" + wrong + "me{...F0}}" + chain(201), stageLimits, "fragments are nested more than 200 deep"},
		{"expanded fields", doubling(13), strings.Replace(doubling(15), "name", "nothing", 1), stageLimits, "the document has more than 50000 fields after expanding its fragments"},
		{"introspection", "{__schema{types{fields{type{ofType{ofType{ofType{ofType{ofType{ofType{ofType{ofType{ofType{ofType{kind}}}}}}}}}}}}}}}", "{" + wrong + "__schema{types{fields{type{" + strings.Repeat("ofType{", 11) + "kind" + strings.Repeat("}", 15) + "}", stageLimits, "introspection is nested more than 15 deep"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			d := testDocuments(t, nil)
			_, refused := d.load(tc.fits)
			if refused != nil {
				t.Fatalf("refused at %s: %v", refused.stage, refused.errs)
			}
			_, refused = d.load(tc.beyond)
			require.NotNil(t, refused)
			assert.Equal(t, tc.stage, refused.stage)
			require.Len(t, refused.errs, 1)
			assert.Equal(t, tc.message, refused.errs[0].Message)
			assert.Equal(t, coded.BadUserInput, codeOf(refused.errs[0]))
			assert.Len(t, refused.errs[0].Locations, 1, "the place")
		})
	}
}

func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "fragment F%d on User{...F%d}", i, i+1)
	}
	fmt.Fprintf(&b, "fragment F%d on User{name}", n)
	return b.String()
}

// The limits are Options.
func TestLimitsAreConfigurable(t *testing.T) {
	cases := map[string]struct {
		change func(*Options)
		text   string
	}{
		"tokens":         {func(o *Options) { o.MaxTokens = 3 }, "{hello me{id}}"},
		"aliases":        {func(o *Options) { o.MaxAliasesPerField = 1 }, "{a:hello b:hello}"},
		"directives":     {func(o *Options) { o.MaxDirectives = 1 }, "query @a @b{hello}"},
		"introspection":  {func(o *Options) { o.MaxIntrospectionDepth = 2 }, "{__schema{types{name}}}"},
		"response names": {func(o *Options) { o.MaxFieldsPerResponseName = 1 }, "{hello ...{hello}}"},
		"depth":          {func(o *Options) { o.MaxDepth = 1 }, "{me{id}}"},
		"expanded":       {func(o *Options) { o.MaxExpandedFields = 2 }, "{me{id name}}"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, refused := testDocuments(t, nil).load(tc.text)
			assert.True(t, refused == nil || refused.stage == stageValidation)
			_, refused = testDocuments(t, tc.change).load(tc.text)
			require.NotNil(t, refused)
			assert.Contains(t, []stage{stageTokens, stageLimits}, refused.stage)
		})
	}
}

// Fragments that spread themselves neither loop nor cost, and validation says what is wrong with them.
func TestCyclicFragments(t *testing.T) {
	for name, text := range map[string]string{
		"itself":   "{me{...A}}fragment A on User{name ...A}",
		"two":      "{me{...A}}fragment A on User{friend{...B}}fragment B on User{friend{...A ...A}}",
		"unused":   "{hello}fragment A on User{...B}fragment B on User{...A}",
		"doubling": strings.Replace(doubling(15), "{name}", "{...F0}", 1),
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			_, refused := testDocuments(t, nil).load(text)
			require.NotNil(t, refused)
			assert.Contains(t, []stage{stageLimits, stageValidation}, refused.stage)
			if refused.stage == stageValidation {
				assert.Contains(t, refused.errs[0].Message, "within itself")
			}
			assert.Less(t, time.Since(begin), time.Second)
		})
	}
}

// The introspection query of graphql-js, the longest that tools send, fits.
func TestIntrospectionFits(t *testing.T) {
	text, err := os.ReadFile("testdata/introspection.graphql")
	require.NoError(t, err)
	_, refused := testDocuments(t, nil).load(string(text))
	assert.Nil(t, refused)
}

// heavy are the documents that cost most of all that pass: found by hand against the rules of the validator.
func heavy() map[string]string {
	within := func(levels, n int) string {
		set := "name "
		for range levels {
			set = strings.Repeat("friend{"+set+"}", n)
		}
		return "{me{" + set + "}}"
	}
	pets := "name"
	for range 7 {
		pets = "pet{...on Dog{owner{" + pets + "}}...on Cat{owner{" + pets + "}}}"
	}
	unions := "...F0"
	for range 60 {
		unions = "pet{...on Dog{owner{" + unions + "}}...on Cat{owner{name}}}"
	}
	fragments := "{me{" + numbered(40, "...F# ") + "}}"
	for i := range 40 {
		fragments += fmt.Sprintf("fragment F%d on User{friend{%s}}", i, strings.Repeat("name id ", 30))
	}
	return map[string]string{
		"48 sets of 48 fields":       "{me{" + strings.Repeat("friend{"+strings.Repeat("name ", 48)+"}", 48) + "}}",
		"10 sets, 3 deep":            within(3, 10),
		"3 sets, 6 deep":             within(6, 3),
		"40 sets, 40 deep":           "{me{" + strings.Repeat(nest(40, "name "), 40) + "}}",
		"40 fragments":               fragments,
		"types part 7 times":         "{me{" + pets + "}}",
		"types part over 2^13":       strings.Replace(doubling(13), "{me{...F0}}", "{me{"+unions+"}}", 1),
		"2^13 fields":                doubling(13),
		"fragments in one another":   "{me{...F0}}" + chain(190),
		"2,400 names of no meaning":  "{" + numbered(2400, "n# ") + "}",
		"every field wrong, nested":  "{me{" + nest(190, strings.Repeat("wrong ", 50)) + "}}",
		"50 conflicts in 16 sets":    "{me{" + strings.Repeat("friend{"+numbered(29, "x:name y:id ")+"}", 16) + "}}",
		"two arguments that differ":  "{" + strings.Repeat("echo(n:1) echo(n:2)", 25) + "}",
		"1,000 variables":            "query(" + numbered(1000, "$v#:Int ") + "){hello}",
		"4,000 values in a list":     "{echo(input:{text:\"\" tags:[" + strings.Repeat("\"a\" ", 4000) + "]})}",
		"values nested 400 deep":     "{echo(input:" + strings.Repeat(`{text:"" deep:`, 400) + `{text:""}` + strings.Repeat("}", 400) + ")}",
		"256 KB of one string":       "{echo(mood:\"" + strings.Repeat("a", 256<<10) + "\")}",
		"one field, 1,600 arguments": "{echo(" + strings.Repeat("n:1 ", 1600) + ")}",
	}
}

// What passes the limits is validated in no time, whether it is valid or not.
func TestHeavyDocuments(t *testing.T) {
	for name, text := range heavy() {
		t.Run(name, func(t *testing.T) {
			d := testDocuments(t, nil)
			begin := time.Now()
			_, refused := d.load(text)
			took := time.Since(begin)
			assert.Less(t, took, 2*time.Second)
			why := "accepted"
			if refused != nil {
				assert.LessOrEqual(t, len(encodeErrors(refused.errs)), 64<<10)
				why = "refused at " + string(refused.stage) + ": " + refused.errs[0].Message
			}
			t.Logf("%6d bytes in %8s %.120s", len(text), took.Round(10*time.Microsecond), why)
		})
	}
}

func BenchmarkLimits(b *testing.B) {
	for _, bomb := range bombs() {
		b.Run(bomb.name, func(b *testing.B) {
			e := testEngine(b)
			for b.Loop() {
				if e.refuses(bomb.body) == nil {
					b.Fatal("accepted")
				}
			}
		})
	}
}

// A validated document is kept by its text, and the cache stays under its size.
func TestDocumentCache(t *testing.T) {
	d := testDocuments(t, func(o *Options) { o.DocumentCacheBytes = 10_000 })
	first, refused := d.load("{hello}")
	require.Nil(t, refused)
	again, _ := d.load("{hello}")
	assert.Same(t, first, again)
	for i := range 100 {
		_, refused := d.load(fmt.Sprintf("{hello a%d:hello}", i))
		require.Nil(t, refused)
		kept, _ := d.load("{hello}")
		require.Same(t, first, kept, "what is used stays")
		assert.LessOrEqual(t, d.cache.bytes, 10_000)
		assert.Equal(t, d.cache.order.Len(), len(d.cache.byText))
	}
	assert.Less(t, d.cache.order.Len(), 10)
	_, refused = d.load("{nothing}")
	require.NotNil(t, refused)
	assert.Nil(t, d.cache.get("{nothing}"), "a refused document is not kept")
	_, refused = d.load("#" + strings.Repeat("x", 20_000) + "\n{hello}")
	require.Nil(t, refused)
	assert.Less(t, d.cache.order.Len(), 10, "one that is larger than the cache is not kept")
}

// Promise 3: with introspection off nothing of the schema is told.
func TestNoIntrospection(t *testing.T) {
	for _, text := range []string{"{helo}", "{echo(mod:GLAD)}", "{echo(mood:GLA)}", "{me}", "{echo(input:{txt:\"\"})}", "{hello}fragment F on Usr{id}"} {
		_, refused := testDocuments(t, nil).load(text)
		require.NotNil(t, refused, text)
		assert.Contains(t, fmt.Sprint(refused.errs), "Did you mean", text)
		_, refused = testDocuments(t, func(o *Options) { o.DisableIntrospection = true }).load(text)
		require.NotNil(t, refused, text)
		assert.NotContains(t, fmt.Sprint(refused.errs), "Did you mean", text)
	}
	s := start(t, Options{DisableIntrospection: true})
	assert.Equal(t, `{"errors":[{"message":"introspection is off","locations":[{"line":1,"column":2}],"extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}`,
		s.post(t, "{__schema{types{name}}}").body)
	assert.Contains(t, s.post(t, `{...{__type(name:"User"){name}}}`).body, "introspection is off")
	assert.Equal(t, `{"data":{"__typename":"Query"}}`, s.post(t, "{__typename}").body)
}

// What the executor cannot do is refused by validation, not found out when it runs.
func TestOwnRules(t *testing.T) {
	for text, message := range map[string]string{
		"{hello ...@defer{me{id}}}":                                                  `Unknown directive "@defer".`,
		"{...F @defer}fragment F on Query{hello}":                                    `Unknown directive "@defer".`,
		"subscription{a:count(to:1) b:count(to:1)}":                                  "a subscription must select one top level field, under one name",
		"subscription{count(to:1)@skip(if:true)}":                                    "@skip and @include cannot be used at the top level of a subscription",
		"subscription{...F}fragment F on Subscription{count(to:1)@include(if:true)}": "@skip and @include cannot be used at the top level of a subscription",
		"fragment F on Query{hello}":                                                 "the document has no operation",
	} {
		_, refused := testDocuments(t, nil).load(text)
		require.NotNil(t, refused, text)
		assert.Equal(t, stageValidation, refused.stage)
		assert.Equal(t, message, refused.errs[0].Message)
		assert.Equal(t, coded.ValidationFailed, codeOf(refused.errs[0]))
	}
}

// A document without any definition is none by the grammar.
func TestEmptyDocument(t *testing.T) {
	for _, text := range []string{"", " \n", ",", "# nothing"} {
		_, refused := testDocuments(t, nil).load(text)
		require.NotNil(t, refused, text)
		assert.Equal(t, stageParse, refused.stage)
		assert.Equal(t, coded.ParseFailed, codeOf(refused.errs[0]))
	}
}

// FuzzDocument: no document makes the stages panic or take long.
func FuzzDocument(f *testing.F) {
	for _, bomb := range bombs() {
		if len(bomb.query) < 10_000 {
			f.Add(bomb.query)
		}
	}
	for _, text := range heavy() {
		if len(text) < 10_000 {
			f.Add(text)
		}
	}
	f.Add("subscription S($n:Int=1 @skip(if:true)){...F}fragment F on Subscription{count(to:$n)}")
	f.Add("query A($v:JSON=[1.0]){...F}query B($v:JSON){...F}fragment F on Query{custom(any:{a:$v,b:-1e999},safe:99999999999999999999,input:{any:E})}")
	opts, err := Options{}.withDefaults()
	if err != nil {
		f.Fatal(err)
	}
	e := newEngine(testgql.NewExecutableSchema((&testgql.Root{}).Config()), &opts)
	f.Fuzz(func(t *testing.T, text string) {
		begin := time.Now()
		if _, refused := e.docs.load(text); refused == nil {
			e.prepare(context.Background(), &request{query: text})
		}
		if took := time.Since(begin); took > 3*time.Second {
			t.Errorf("took %s", took)
		}
	})
}
