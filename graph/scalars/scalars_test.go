package scalars_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/graph/scalars"
	"inlaygraph/projection"
	"inlaygraph/wire"
)

func text(m graphql.Marshaler) string {
	var b strings.Builder
	m.MarshalGQL(&b)
	return b.String()
}

// Promise 3.
func TestMarshalInteger(t *testing.T) {
	cases := []struct {
		name string
		got  graphql.Marshaler
		want string
	}{
		{"Int", scalars.MarshalInt(-7), "-7"},
		{"Int greatest", scalars.MarshalInt(math.MaxInt32), "2147483647"},
		{"Int least", scalars.MarshalInt(math.MinInt32), "-2147483648"},
		{"Int above", scalars.MarshalInt(math.MaxInt32 + 1), ""},
		{"Int below", scalars.MarshalInt(math.MinInt32 - 1), ""},
		{"SafeInt", scalars.MarshalSafeInt(0), "0"},
		{"SafeInt greatest", scalars.MarshalSafeInt(1<<53 - 1), "9007199254740991"},
		{"SafeInt least", scalars.MarshalSafeInt(-(1<<53 - 1)), "-9007199254740991"},
		{"SafeInt above", scalars.MarshalSafeInt(1 << 53), ""},
		{"SafeInt below", scalars.MarshalSafeInt(-(1 << 53)), ""},
		{"SafeInt far below", scalars.MarshalSafeInt(math.MinInt64), ""},
		{"MicroUSD", scalars.MarshalMicroUSD(-1_500_000), "-1500000"},
		{"MicroUSD greatest", scalars.MarshalMicroUSD(1<<53 - 1), "9007199254740991"},
		{"MicroUSD above", scalars.MarshalMicroUSD(1 << 53), ""},
		{"MicroUSD below", scalars.MarshalMicroUSD(-(1 << 53)), ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if tc.want == "" {
				assert.Same(t, graphql.Null, tc.got)
				return
			}
			assert.Equal(t, tc.want, text(tc.got))
		})
	}
}

// Promise 1.
func TestUnmarshalInteger(t *testing.T) {
	const intMessage = "Int takes an integer from -2147483648 to 2147483647"
	const moneyMessage = "MicroUSD takes an integer from -9007199254740991 to 9007199254740991"
	const safeMessage = "SafeInt takes an integer from -9007199254740991 to 9007199254740991"
	cases := []struct {
		in      any
		isInt   bool // an Int takes it
		isSafe  bool // a SafeInt takes it
		integer int64
	}{
		{json.Number("5"), true, true, 5},
		{int64(-5), true, true, -5},
		{5, true, true, 5},
		{json.Number("1.0"), true, true, 1},
		{json.Number("-2e3"), true, true, -2000},
		{json.Number("-0"), true, true, 0},
		{int64(math.MaxInt32), true, true, math.MaxInt32},
		{int64(math.MaxInt32 + 1), false, true, math.MaxInt32 + 1},
		{json.Number("9007199254740991"), false, true, 1<<53 - 1},
		{json.Number("9007199254740992"), false, false, 0},
		{json.Number("-9007199254740992"), false, false, 0},
		{json.Number("9007199254740991.5"), false, false, 0},
		{json.Number("9007199254740990.4"), false, false, 0},
		{json.Number("4503599627370497.2"), false, false, 0},
		{json.Number("9007199254740990." + strings.Repeat("0", 40) + "1"), false, false, 0},
		{json.Number("90071992547409.91e2"), false, true, 9007199254740991},
		{json.Number("1e999"), false, false, 0},
		{json.Number("1e-999999999"), false, false, 0},
		{json.Number("1e999999999"), false, false, 0},
		{json.Number("99999999999999999999"), false, false, 0},
		{json.Number("0.5"), false, false, 0},
		{1.0, false, false, 0}, // a literal with a fraction
		{"5", false, false, 0},
		{true, false, false, 0},
		{nil, false, false, 0},
		{[]any{json.Number("5")}, false, false, 0},
	}
	for _, tc := range cases {
		n, err := scalars.UnmarshalInt(tc.in)
		if tc.isInt {
			assert.NoError(t, err)
			assert.EqualValues(t, tc.integer, n)
		} else {
			assert.EqualError(t, err, intMessage, "%#v", tc.in)
		}
		safe, err := scalars.UnmarshalSafeInt(tc.in)
		money, moneyErr := scalars.UnmarshalMicroUSD(tc.in)
		if tc.isSafe {
			assert.NoError(t, err)
			assert.Equal(t, tc.integer, safe)
			assert.NoError(t, moneyErr)
			assert.Equal(t, tc.integer, money)
		} else {
			assert.EqualError(t, err, safeMessage, "%#v", tc.in)
			assert.EqualError(t, moneyErr, moneyMessage, "%#v", tc.in)
		}
	}
}

func TestIntegersReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(-scalars.MaxSafeInt, scalars.MaxSafeInt).Draw(t, "n")
		back, err := scalars.UnmarshalSafeInt(json.Number(text(scalars.MarshalSafeInt(n))))
		require.NoError(t, err)
		require.Equal(t, n, back)
	})
}

// Promise 3.
func TestMarshalDateTime(t *testing.T) {
	cases := []struct {
		in   time.Time
		want string
	}{
		{time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC), `"2026-01-31T08:00:00Z"`},
		{time.Date(2026, 1, 31, 8, 0, 0, 250_000_000, time.UTC), `"2026-01-31T08:00:00.25Z"`},
		{time.Date(2026, 1, 31, 8, 0, 0, 1, time.FixedZone("", -90*60)), `"2026-01-31T09:30:00.000000001Z"`},
		{time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), `"9999-12-31T23:59:59.999999999Z"`},
		{time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), `"0000-01-01T00:00:00Z"`},
		{time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -60)), ""},
		{time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), ""},
		{time.Time{}, ""},
	}
	for _, tc := range cases {
		if tc.want == "" {
			assert.Same(t, graphql.Null, scalars.MarshalDateTime(tc.in))
		} else {
			assert.Equal(t, tc.want, text(scalars.MarshalDateTime(tc.in)))
		}
	}
}

// Promise 1.
func TestUnmarshalDateTime(t *testing.T) {
	good := map[string]time.Time{
		"2026-01-31T08:00:00Z":           time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC),
		"2026-01-31t08:00:00.5z":         time.Date(2026, 1, 31, 8, 0, 0, 500_000_000, time.UTC),
		"2026-01-31T08:00:00.123456789Z": time.Date(2026, 1, 31, 8, 0, 0, 123_456_789, time.UTC),
		"2026-01-31T08:00:00+05:30":      time.Date(2026, 1, 31, 2, 30, 0, 0, time.UTC),
		"2026-01-31T08:00:00-23:59":      time.Date(2026, 2, 1, 7, 59, 0, 0, time.UTC),
	}
	for in, want := range good {
		got, err := scalars.UnmarshalDateTime(in)
		require.NoError(t, err, in)
		assert.Equal(t, want, got)
	}
	for _, in := range []any{
		"", "2026-01-31", "2026-01-31T08:00:00", "2026-01-31 08:00:00Z", "2026-01-31T8:00:00Z", "2026-01-31T08:00:00,5Z", "2026-01-31T08:00:60Z",
		"2026-02-30T08:00:00Z", "2026-01-31T08:00:00+24:00", "2026-01-31T08:00:00+05:60", "9999-12-31T23:59:59-01:00", " 2026-01-31T08:00:00Z",
		nil, int64(0), json.Number("1769846400"), true, time.Now(),
	} {
		_, err := scalars.UnmarshalDateTime(in)
		assert.EqualError(t, err, `DateTime takes an RFC 3339 time with a zone, such as "2026-01-31T08:00:00Z"`, "%#v", in)
	}
}

// Promise 2.
func TestMarshalJSON(t *testing.T) {
	cases := []struct {
		in   projection.Value
		want string
	}{
		{projection.JSONValue(`{"n":12345678901234567890.10,"e":1E+2}`), `{"n":12345678901234567890.10,"e":1E+2}`},
		{projection.JSONValue(`"quoted \u0041"`), `"quoted \u0041"`},
		{projection.JSONValue(`null`), `null`},
		{projection.TextValue(""), `""`},
		{projection.TextValue("a\"b\\c\n\x01 é🦦<>&"), `"a\"b\\c\n\u0001 é🦦<>&"`},
		{projection.TextValue("\xff"), `"` + "\uFFFD" + `"`},
	}
	for _, tc := range cases {
		assert.Equal(t, tc.want, text(scalars.MarshalJSON(tc.in)))
	}
	assert.Same(t, graphql.Null, scalars.MarshalJSON(projection.Value{}))
}

// Promises 1 and 2.
func TestUnmarshalJSON(t *testing.T) {
	cases := []struct {
		in   any
		want string
	}{
		{nil, `null`},
		{true, `true`},
		{"text \"x\"", `"text \"x\""`},
		{json.Number("12345678901234567890.10"), `12345678901234567890.10`},
		{int64(-3), `-3`},
		{0.25, `0.25`},
		{1e300, `1e+300`},
		{[]any{}, `[]`},
		{map[string]any{}, `{}`},
		{[]any{nil, "a", []any{json.Number("1e3")}}, `[null,"a",[1e3]]`},
		{map[string]any{"tags": []string{"a"}, "ids": []json.Number{"1.0"}}, `{"ids":[1.0],"tags":["a"]}`},
		{map[string]any{"b": false, "a": map[string]any{"\n": "\xff"}}, `{"a":{"\n":"` + "\uFFFD" + `"},"b":false}`},
	}
	for _, tc := range cases {
		got, err := scalars.UnmarshalJSON(tc.in)
		require.NoError(t, err)
		assert.Equal(t, tc.want, string(got.AppendJSON(nil)))
	}
	for want, in := range map[string]any{
		"JSON takes no value of type uint8":                      uint8(1),
		"JSON takes no value of type time.Time":                  []any{map[string]any{"at": time.Time{}}},
		`JSON takes no number "1.0.0"`:                           json.Number("1.0.0"),
		"JSON takes no number +Inf":                              math.Inf(1),
		"JSON takes no number NaN":                               []any{math.NaN()},
		"JSON takes no value of type map[interface {}]struct {}": map[any]struct{}{},
	} {
		_, err := scalars.UnmarshalJSON(in)
		assert.EqualError(t, err, want)
	}
}

// Promise 2: whatever a client sends comes out as the same value, its numbers as they were spelled.
func TestJSONReadsBack(t *testing.T) {
	scalar := rapid.OneOf(
		rapid.Just(any(nil)), rapid.Map(rapid.Bool(), func(v bool) any { return v }), rapid.Map(rapid.String(), func(v string) any { return v }),
		rapid.Map(rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?`), func(v string) any { return json.Number(v) }),
	)
	list := rapid.Map(rapid.SliceOfN(scalar, 0, 3), func(v []any) any { return v })
	object := rapid.Map(rapid.MapOfN(rapid.String(), rapid.OneOf(scalar, list), 0, 3), func(v map[string]any) any { return v })
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(scalar, list, object).Draw(t, "value")
		got, err := scalars.UnmarshalJSON(value)
		require.NoError(t, err)
		decoder := json.NewDecoder(strings.NewReader(text(scalars.MarshalJSON(got))))
		decoder.UseNumber()
		var back any
		require.NoError(t, decoder.Decode(&back))
		require.Equal(t, value, back)
	})
}

// Promise 2.
func TestSchema(t *testing.T) {
	assert.Equal(t, `{"maximum":1E+2}`, text(scalars.MarshalSchema(`{"maximum":1E+2}`)))
	assert.Equal(t, `true`, text(scalars.MarshalSchema(`true`)))
	assert.Same(t, graphql.Null, scalars.MarshalSchema(""))

	got, err := scalars.UnmarshalSchema(map[string]any{"maximum": json.Number("1E+2")})
	require.NoError(t, err)
	assert.Equal(t, wire.JSON(`{"maximum":1E+2}`), got)
	_, err = scalars.UnmarshalSchema(uint8(1))
	assert.EqualError(t, err, "JSON takes no value of type uint8")
}

// Promise 4: where an enum is nullable, a value without a name is told from an absent one.
func TestNullableEnumsOutsideTheSet(t *testing.T) {
	for message, m := range map[string]graphql.ContextMarshaler{
		"ArtifactFormat has no name for 77": scalars.MarshalArtifactFormat(77),
		"ArtifactFormat has no name for 0":  scalars.MarshalArtifactFormat(0),
		"NodeRunStatus has no name for 77":  scalars.MarshalNodeRunStatus(77),
		"NodeRunStatus has no name for 5":   scalars.MarshalNodeRunStatus(wire.Paused),
	} {
		var b strings.Builder
		require.EqualError(t, m.MarshalGQLContext(t.Context(), &b), message)
		assert.Empty(t, b.String())
	}
}
