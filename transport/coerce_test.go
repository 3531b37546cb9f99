package transport

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/graph/scalars"
)

// Variables are held against their types as the specification says, and literals by the executor to the same end.
func TestCoercion(t *testing.T) {
	s := start(t, Options{})
	const bad = "BAD_USER_INPUT"
	cases := []struct{ typ, arg, value, want string }{
		{"Int", "n", "5", "n=5"},
		{"Int", "n", "5.0", "n=5"},
		{"Int", "n", "1e2", "n=100"},
		{"Int", "n", "-2147483648", "n=-2147483648"},
		{"Int", "n", "2147483648", bad},
		{"Int", "n", "1e400", bad},
		{"Int", "n", "5.5", bad},
		{"Int", "n", `"5"`, bad},
		{"Int", "n", "true", bad},
		{"Int", "n", "null", ""},
		{"Int!", "n", "null", bad},
		{"String", "text", `"x"`, "text=x"},
		{"String", "text", "5", bad},
		{"String", "text", "true", bad},
		{"String", "text", `["x"]`, bad},
		{"String", "text", `{"x":1}`, bad},
		{"ID", "id", `"x"`, "id=x"},
		{"ID", "id", "123456789012345678", "id=123456789012345678"},
		{"ID", "id", "1.5", bad},
		{"ID", "id", "true", bad},
		{"Boolean", "flag", "true", "flag=true"},
		{"Boolean", "flag", `"true"`, bad},
		{"Boolean", "flag", "1", bad},
		{"Float", "ratio", "1", "ratio=1"},
		{"Float", "ratio", "0.5", "ratio=0.5"},
		{"Float", "ratio", `"0.5"`, bad},
		{"Float", "ratio", "1e999", bad},
		{"Mood", "mood", `"GLAD"`, "mood=GLAD"},
		{"Mood", "mood", `"glad"`, bad},
		{"Mood", "mood", "1", bad},
		{"EchoInput", "input", `{"text":"x","tags":["a","b"]}`, "input=x/a,b"},
		{"EchoInput", "input", `{"text":"x","tags":"a"}`, "input=x/a"},
		{"EchoInput", "input", `{"text":"x","tags":["a",1]}`, bad},
		{"EchoInput", "input", `{"text":"x","tags":[null]}`, bad},
		{"EchoInput", "input", `{"text":"x","deep":{"text":1}}`, bad},
		{"EchoInput", "input", `{"text":"x","more":1}`, bad},
		{"EchoInput", "input", `{}`, bad},
		{"EchoInput", "input", `"x"`, bad},
	}
	for _, tc := range cases {
		t.Run(tc.typ+" "+tc.value, func(t *testing.T) {
			body := `{"query":"query($v:` + tc.typ + `){echo(` + tc.arg + `:$v)}","variables":{"v":` + tc.value + `}}`
			got := s.do(t, "POST", "/", body, "Content-Type", "application/json", "Accept", mediaResponse)
			var result struct {
				Data   struct{ Echo *string }
				Errors []struct {
					Message    string
					Extensions struct{ Code string }
				}
			}
			require.NoError(t, json.Unmarshal([]byte(got.body), &result), got.body)
			if tc.want != bad {
				require.NotNil(t, result.Data.Echo, got.body)
				assert.Equal(t, tc.want, *result.Data.Echo)
				return
			}
			require.Len(t, result.Errors, 1, got.body)
			assert.Equal(t, bad, result.Errors[0].Extensions.Code)
			assert.Contains(t, result.Errors[0].Message, `variable "$v`)
			assert.Equal(t, 400, got.status)
		})
	}
	for body, want := range map[string]string{
		`{echo(n:3000000000)}`:                               bad,
		`query($v:EchoInput){echo(input:$v)}`:                `{"data":{"echo":""}}`,
		`query($v:Int=4){echo(n:$v)}`:                        `{"data":{"echo":"n=4"}}`,
		`query A{hello} query B{hello}`:                      `operationName must name one`,
		`query($v:String!="x"){echo(text:$v)}`:               `{"data":{"echo":"text=x"}}`,
		`query($v:[String!]){echo(input:{text:"",tags:$v})}`: `{"data":{"echo":"input=/"}}`,
	} {
		assert.Contains(t, s.post(t, body).body, want, body)
	}
	assert.NotContains(t, s.logs.String(), "level=ERROR", "a client's mistake is no error of the server")
}

func TestCoercionNamesThePlace(t *testing.T) {
	s := start(t, Options{})
	body := `{"query":"query($in:EchoInput){echo(input:$in)}","variables":{"in":{"text":"","deep":{"text":"","tags":["a",false]}}}}`
	assert.Equal(t, `{"errors":[{"message":"variable \"$in.deep.tags[1]\": String takes a string, not a boolean","locations":[{"line":1,"column":7}],"extensions":{"code":"BAD_USER_INPUT"}}]}`,
		s.do(t, "POST", "/", body, "Content-Type", "application/json").body)
}

// Promise 14: what a custom scalar refuses of a variable is told before anything runs, with the variable and the place in it.
func TestVariablesOfCustomScalars(t *testing.T) {
	safe := func(v any) error {
		_, err := scalars.UnmarshalSafeInt(v)
		return err
	}
	s := start(t, Options{Scalars: map[string]func(any) error{"SafeInt": safe}})
	const limits = "SafeInt takes an integer from -9007199254740991 to 9007199254740991"
	for name, tc := range map[string]struct{ query, variables, want, message string }{
		"taken":           {`query($v:SafeInt){custom(safe:$v)}`, `{"v":9007199254740991}`, "9007199254740991", ""},
		"null":            {`query($v:SafeInt){custom(safe:$v)}`, `{"v":null}`, "", ""},
		"a fraction":      {`query($v:SafeInt){custom(safe:$v)}`, `{"v":1.5}`, "", `variable "$v": ` + limits},
		"a text":          {`query($v:SafeInt){custom(safe:$v)}`, `{"v":"5"}`, "", `variable "$v": ` + limits},
		"one not checked": {`query($v:JSON){custom(any:$v)}`, `{"v":1.10}`, "1.10", ""},
	} {
		t.Run(name, func(t *testing.T) {
			body, err := json.Marshal(map[string]any{"query": tc.query, "variables": json.RawMessage(tc.variables)})
			require.NoError(t, err)
			got := s.do(t, "POST", "/", string(body), "Content-Type", "application/json", "Accept", mediaResponse)
			if tc.message == "" {
				assert.Equal(t, 200, got.status, got.body)
				assert.Contains(t, got.body, tc.want)
				return
			}
			assert.Equal(t, 400, got.status, got.body)
			assert.NotContains(t, got.body, `"data"`)
			var answer struct{ Errors []struct{ Message string } }
			require.NoError(t, json.Unmarshal([]byte(got.body), &answer))
			assert.Contains(t, answer.Errors[0].Message, tc.message)
		})
	}
}
