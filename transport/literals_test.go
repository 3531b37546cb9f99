package transport

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// custom asks what a resolver gets of custom scalars. The answer is its text, or the code and message of the only error.
func custom(t *testing.T, s *server, query, variables string) (value, code, message string) {
	t.Helper()
	text, err := json.Marshal(query)
	require.NoError(t, err)
	body := `{"query":` + string(text) + `,"variables":` + variables + `}`
	got := s.do(t, "POST", "/", body, "Content-Type", "application/json", "Accept", mediaJSON)
	var result struct {
		Data   struct{ Custom string }
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(got.body), &result), got.body)
	if len(result.Errors) == 0 {
		return result.Data.Custom, "", ""
	}
	require.Len(t, result.Errors, 1, got.body)
	assert.Empty(t, result.Data.Custom)
	return "", result.Errors[0].Extensions.Code, result.Errors[0].Message
}

// Promise 14: a custom scalar gets the literals of a document as it gets variables.
func TestLiteralsOfCustomScalars(t *testing.T) {
	s := start(t, Options{})
	cases := []struct{ name, query, variables, want string }{
		{"spelling", `{custom(any:1.10)}`, `{}`, `1.10`},
		{"exponent", `{custom(any:-1E+2)}`, `{}`, `-1E+2`},
		{"minus zero", `{custom(any:-0)}`, `{}`, `-0`},
		{"beyond 64 bits", `{custom(any:123456789012345678901234567890)}`, `{}`, `123456789012345678901234567890`},
		{"beyond float64", `{custom(any:1e999)}`, `{}`, `1e999`},
		{"not exact in float64", `{custom(any:0.1000000000000000055511151231257827)}`, `{}`, `0.1000000000000000055511151231257827`},
		{"text", `{custom(any:"1.10")}`, `{}`, `"1.10"`},
		{"block text", `{custom(any:"""a "b" c""")}`, `{}`, `"a \"b\" c"`},
		{"true", `{custom(any:true)}`, `{}`, `true`},
		{"null", `{custom(any:null)}`, `{}`, ``},
		{"empty", `{custom(any:{a:[],b:{}})}`, `{}`, `{"a":[],"b":{}}`},
		{"object", `{custom(any:{b:1.10,a:[1e999,null,{c:18446744073709551616}]})}`, `{}`, `{"a":[1e999,null,{"c":18446744073709551616}],"b":1.10}`},
		{"in an input object", `{custom(input:{any:{n:12345678901234567890,f:1.10}})}`, `{}`, `{"f":1.10,"n":12345678901234567890}`},
		{"variable", `query($v:JSON){custom(any:$v)}`, `{"v":{"n":1.10,"m":12345678901234567890}}`, `{"m":12345678901234567890,"n":1.10}`},
		{"variable in a literal", `query($v:JSON){custom(any:{n:2.50,v:[$v,3.0]})}`, `{"v":{"x":1.10}}`, `{"n":2.50,"v":[{"x":1.10},3.0]}`},
		{"variables of other types", `query($i:Int,$s:String,$b:Boolean,$m:Mood,$l:[String!]){custom(any:[$i,$s,$b,$m,$l])}`,
			`{"i":7,"s":"x","b":true,"m":"GLAD","l":"one"}`, `[7,"x",true,"GLAD",["one"]]`},
		{"variable that was not sent", `query($v:JSON){custom(any:{a:1.0,v:$v,l:[$v]})}`, `{}`, `{"a":1.0,"l":[null]}`},
		{"default", `query($v:JSON={n:1.10,l:[12345678901234567890]}){custom(any:$v)}`, `{}`, `{"l":[12345678901234567890],"n":1.10}`},
		{"default that is not used", `query($v:JSON=1.10){custom(any:$v)}`, `{"v":2.20}`, `2.20`},
		{"default in a literal", `query($v:JSON=1.10){custom(any:[$v])}`, `{}`, `[1.10]`},
		{"default of another type", `query($i:Int=5,$m:Mood=SAD){custom(any:[$i,$m])}`, `{}`, `[5,"SAD"]`},
		{"list", `{custom(list:[1.10,"x",{a:2.0}])}`, `{}`, `1.10 "x" {"a":2.0}`},
		{"list of one", `{custom(list:1.10)}`, `{}`, `1.10`},
		{"whole number", `{custom(safe:9007199254740991)}`, `{}`, `9007199254740991`},
		{"whole number with a point", `{custom(safe:5.0)}`, `{}`, `5`},
		{"in two fragments of two operations",
			`query A{...F} query B{...F} fragment F on Query{custom(any:{n:1.10},safe:3)}`, `{},"operationName":"B"`, `{"n":1.10} 3`},
		{"in a fragment that is spread twice", `{...F ...F} fragment F on Query{custom(any:1.10,list:[1.10])}`, `{}`, `1.10 1.10`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			for range 2 { // the second time from the cache
				got, code, message := custom(t, s, tc.query, tc.variables)
				assert.Empty(t, message, code)
				assert.Equal(t, tc.want, got)
			}
		})
	}
}

// Promise 14: what is refused is refused by the scalar or by validation, and nothing panics.
func TestRefusedLiteralsOfCustomScalars(t *testing.T) {
	s := start(t, Options{})
	const bad, invalid = "BAD_USER_INPUT", "GRAPHQL_VALIDATION_FAILED"
	const safe = "SafeInt takes an integer from -9007199254740991 to 9007199254740991"
	cases := []struct{ name, query, variables, code, message string }{
		{"an enum's value", `{custom(any:GLAD)}`, `{}`, invalid, `Expected value of type "JSON", found GLAD.`},
		{"an enum's value inside", `{custom(input:{any:[{a:GLAD}]})}`, `{}`, invalid, `Expected value of type "JSON!", found GLAD.`},
		{"an enum's value in a default", `query($v:JSON=[GLAD]){custom(any:$v)}`, `{}`, invalid, `Expected value of type "JSON", found GLAD.`},
		{"null", `{custom(input:{any:null})}`, `{}`, invalid, `Expected value of type "JSON!", found null.`},
		{"not sent", `query($v:JSON!){custom(any:$v)}`, `{}`, bad, `variable "$v": must be defined`},
		{"a variable that is not there", `{custom(any:[1.0,$v])}`, `{}`, invalid, `Variable "$v" is not defined.`},
		{"out of 53 bits", `{custom(safe:9007199254740992)}`, `{}`, bad, safe},
		{"out of 64 bits", `{custom(safe:-99999999999999999999)}`, `{}`, bad, safe},
		{"out of float64", `{custom(safe:1e999)}`, `{}`, bad, safe},
		{"a fraction", `{custom(safe:0.5)}`, `{}`, bad, safe},
		{"an enum's value for a number", `{custom(safe:GLAD)}`, `{}`, invalid, `Expected value of type "SafeInt", found GLAD.`},
		{"a list for a number", `{custom(safe:[1])}`, `{}`, bad, safe},
		{"an Int beside it", `{custom(input:{any:1.0,n:5.5})}`, `{}`, invalid, `Int cannot represent non-integer value: 5.5`},
		{"two spellings in one field", `{custom(any:1.0) custom(any:1.00)}`, `{}`, invalid,
			`Fields "custom" conflict because they have differing arguments. Use different aliases on the fields to fetch both if this was intentional.`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			_, code, message := custom(t, s, tc.query, tc.variables)
			assert.Equal(t, tc.code, code)
			assert.Equal(t, tc.message, message)
		})
	}
	assert.NotContains(t, s.logs.String(), "panic")
}

// Promise 14: whatever the value, a literal and a variable of it are the same.
func TestLiteralsAreLikeVariables(t *testing.T) {
	s := start(t, Options{})
	scalar := rapid.OneOf(
		rapid.SampledFrom([]string{"null", "true", "false", `""`, `"text"`, `"1.10"`}),
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?`),
	)
	// A value in the spelling of both: names are quoted in JSON alone.
	type spelled struct{ literal, json string }
	both := rapid.Map(scalar, func(text string) spelled { return spelled{text, text} })
	nest := func(of *rapid.Generator[spelled]) *rapid.Generator[spelled] {
		return rapid.Custom(func(t *rapid.T) spelled {
			items := rapid.SliceOfN(of, 0, 3).Draw(t, "items")
			object := rapid.Bool().Draw(t, "object")
			var out spelled
			for i, item := range items {
				if i > 0 {
					out.literal, out.json = out.literal+",", out.json+","
				}
				if object {
					name := string(rune('a' + i))
					out.literal, out.json = out.literal+name+":", out.json+`"`+name+`":`
				}
				out.literal, out.json = out.literal+item.literal, out.json+item.json
			}
			if object {
				return spelled{"{" + out.literal + "}", "{" + out.json + "}"}
			}
			return spelled{"[" + out.literal + "]", "[" + out.json + "]"}
		})
	}
	rapid.Check(t, func(rt *rapid.T) {
		value := rapid.OneOf(both, nest(both), nest(nest(both))).Draw(rt, "value")
		literal, _, message := custom(t, s, `{custom(any:[`+value.literal+`])}`, `{}`)
		require.Empty(rt, message)
		variable, _, message := custom(t, s, `query($v:JSON){custom(any:$v)}`, `{"v":[`+value.json+`]}`)
		require.Empty(rt, message)
		require.Equal(rt, "["+value.json+"]", literal)
		require.Equal(rt, variable, literal)
	})
}

// Promise 14: a number of the document is no variable that a client could set.
func TestLiteralsAreNoVariables(t *testing.T) {
	s := start(t, Options{})
	got, _, message := custom(t, s, `{custom(any:1.10)}`, `{"1.10":"mine"}`)
	assert.Empty(t, message)
	assert.Equal(t, `1.10`, got)
}
