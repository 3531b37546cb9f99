package billing

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
)

// spot is one member of an answer's table: where its object is, and its row.
type spot struct {
	path  []string // the lists that lead to the object, of each the first element
	place string   // of the member, as errors tell it
	row   row
}

// spots are all members that an answer may have.
func (a answer) spots(t testing.TB) (all []spot) {
	t.Helper()
	rows := tables(t)
	var visit func(path []string, place, typ string)
	visit = func(path []string, place, typ string) {
		for _, r := range rows[typ] {
			all = append(all, spot{path, place + r.wire, r})
			if rows[r.kind] != nil {
				visit(append(slices.Clone(path), r.wire), place+r.wire+"[0].", r.kind)
			}
		}
	}
	if a.list == "" {
		visit(nil, "", a.typ)
		return all
	}
	all = append(all, spot{nil, a.list, row{wire: a.list, kind: a.typ, list: true, required: true}})
	visit([]string{a.list}, a.list+"[0].", a.typ)
	return all
}

// change answers text with the object at path changed by edit.
func change(t testing.TB, text []byte, path []string, edit func(map[string]json.RawMessage) []byte) []byte {
	t.Helper()
	var object map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(text, &object))
	if len(path) == 0 {
		return edit(object)
	}
	var list []json.RawMessage
	require.NoError(t, json.Unmarshal(object[path[0]], &list))
	list[0] = change(t, list[0], path[1:], edit)
	object[path[0]] = spell(list)
	return spell(object)
}

func spell(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// with answers text with another value of one member.
func with(t testing.TB, text []byte, s spot, value string) []byte {
	t.Helper()
	return change(t, text, s.path, func(object map[string]json.RawMessage) []byte {
		object[s.row.wire] = json.RawMessage(value)
		return spell(object)
	})
}

// objectAt is the value of the object that a spot is in.
func objectAt(t testing.TB, a answer, value any, s spot) reflect.Value {
	t.Helper()
	v, path := reflect.ValueOf(value).Elem(), s.path
	if a.list != "" {
		v, path = v.Index(0), path[1:]
	}
	for _, list := range path {
		v = fieldOf(t, v, strings.ReplaceAll(list, "_", "")).Index(0)
	}
	return v
}

// requireNonsense checks promise 9 on an answer that is not taken, and answers its cause.
func requireNonsense(t testing.TB, a answer, value any, err error) string {
	t.Helper()
	require.Nil(t, value)
	var e *coded.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, coded.UpstreamUnavailable, e.Code)
	want := sayUnreadable
	if a.typ == "HostedCheckout" {
		want = sayUnsafePage
	}
	require.Equal(t, want, e.Message)
	cause := errors.Unwrap(e).Error()
	require.True(t, strings.HasPrefix(cause, "billing "+a.name+": "), cause)
	return strings.TrimPrefix(cause, "billing "+a.name+": ")
}

// Promises 4 and 5: required members are there, optional ones are nil when they are not, whatever else the answer says.
func TestAbsentMembers(t *testing.T) {
	for _, a := range answers {
		for _, s := range a.spots(t) {
			absent := map[string][]byte{
				"gone": change(t, a.sample(t), s.path, func(object map[string]json.RawMessage) []byte {
					delete(object, s.row.wire)
					return spell(object)
				}),
				"null": with(t, a.sample(t), s, "null"),
			}
			if s.row.kind == "ID" {
				absent["empty"] = with(t, a.sample(t), s, `""`)
			}
			for how, text := range absent {
				t.Run(a.name+"/"+s.place+"/"+how, func(t *testing.T) {
					value, err := a.read(t, text)
					if s.row.required {
						assert.Equal(t, s.place+" is missing", requireNonsense(t, a, value, err))
						return
					}
					require.NoError(t, err)
					field := fieldOf(t, objectAt(t, a, value, s), s.row.field)
					assert.True(t, field.IsNil())
					// All the rest is as the sample has it.
					want, err := a.read(t, a.sample(t))
					require.NoError(t, err)
					assert.NotEqual(t, want, value)
					field.Set(fieldOf(t, objectAt(t, a, want, s), s.row.field))
					assert.Equal(t, want, value)
				})
			}
		}
	}
}

const (
	wrongNumbers = `1e3 1.0 12.5 -0.0 0e0 1E400 "5" "" true [] {} [1] 9007199254740992 -9007199254740992 9223372036854775808
		18446744073709551617 123456789012345678901234567890`
	beyondInt32 = ` 2147483648 -2147483649 4294967296`
	wrongTimes  = `"2026-02-06T12:00:00" "2026-02-06" "2026-02-06_12:00:00Z" "" 1700000000 true {} "2026-02-30T00:00:00Z" "now"
		"2026-02-06T12:00:00,5Z" "2026-02-06T1:00:00Z" "2026-02-06T12:00:00+24:00" "2026-02-06T12:00:00+01" "2026-02-06T24:00:00Z"
		"0000-01-01T00:00:00+01:00" "9999-12-31T23:59:59-01:00" "2016-12-31T23:59:60Z" "2026-02-06T12:00:00.Z"`
)

// wrong are values that no member of a kind may have.
var wrong = map[string][]string{
	"MicroUSD": strings.Fields(wrongNumbers),
	"SafeInt":  strings.Fields(wrongNumbers),
	"Int":      strings.Fields(wrongNumbers + beyondInt32),
	"DateTime": strings.Fields(wrongTimes),
	"String":   {`5`, `true`, `{}`, `[]`, `["x"]`},
	"ID":       {`5`, `true`, `{}`, `[]`, `["x"]`},
	"Boolean":  {`"true"`, `0`, `1`, `""`, `{}`, `[true]`},
}

// right are values that a member of a kind may have.
var right = map[string][]string{
	"MicroUSD": {`0`, `-0`, `1`, `-1`, `9007199254740991`, `-9007199254740991`},
	"SafeInt":  {`0`, `-0`, `1`, `-1`, `9007199254740991`, `-9007199254740991`},
	"Int":      {`0`, `-0`, `1`, `-1`, `2147483647`, `-2147483648`},
	"DateTime": {`"2026-02-06t12:00:00z"`, `"2026-02-06T12:00:00.123456789+05:30"`, `"0000-01-01T00:00:00Z"`, `"9999-12-31T23:59:59Z"`},
	"String":   {`""`, `" "`, `"a word of next year"`, `"<b>\u0000\n\ud83e\udd89"`},
	"ID":       {`" "`, `"<b>\u0000\n\ud83e\udd89"`},
	"Boolean":  {`true`, `false`},
}

// Promises 3, 4 and 6: what a member may say, on every member of every answer.
func TestValues(t *testing.T) {
	for _, a := range answers {
		for _, s := range a.spots(t) {
			t.Run(a.name+"/"+s.place, func(t *testing.T) {
				bad, good := wrong[s.row.kind], right[s.row.kind]
				if s.row.list {
					bad, good = []string{`{}`, `"x"`, `0`, `[null]`, `[0]`, `[[]]`, `[true]`}, []string{`[]`}
				}
				if a.typ == "HostedCheckout" {
					good = []string{`"https://pay.example.com"`}
				}
				for _, text := range bad {
					value, err := a.read(t, with(t, a.sample(t), s, text))
					assert.Regexp(t, "^"+quoted(s.place)+`(\[0\])? is `, requireNonsense(t, a, value, err), text)
				}
				for _, text := range good {
					value, err := a.read(t, with(t, a.sample(t), s, text))
					require.NoError(t, err, text)
					if s.row.field == "" { // the list is the answer
						assert.Zero(t, reflect.ValueOf(value).Elem().Len())
						continue
					}
					got := reflect.Indirect(fieldOf(t, objectAt(t, a, value, s), s.row.field))
					want := reflect.New(got.Type())
					if s.row.kind == "DateTime" {
						text = strings.ToUpper(text)
					}
					require.NoError(t, json.Unmarshal([]byte(text), want.Interface()))
					if s.row.kind == "DateTime" {
						want = want.MethodByName("UTC").Call(nil)[0]
					}
					assert.Equal(t, reflect.Indirect(want).Interface(), got.Interface(), text)
				}
			})
		}
	}
}

func quoted(place string) string {
	return strings.NewReplacer(".", `\.`, "[", `\[`, "]", `\]`).Replace(place)
}

// Promise 4: a member that is there twice tells nothing, even where both say the same or nothing.
func TestRepeatedMembers(t *testing.T) {
	for _, a := range answers {
		for _, s := range a.spots(t) {
			for _, first := range []string{"", "null"} {
				text := change(t, a.sample(t), s.path, func(object map[string]json.RawMessage) []byte {
					value := string(object[s.row.wire])
					if first != "" {
						value = first
					}
					// The second time escaped, which is the same name.
					escaped := `"\u00` + hex(s.row.wire[0]) + s.row.wire[1:] + `":`
					return []byte(`{` + escaped + value + `,` + string(spell(object))[1:])
				})
				value, err := a.read(t, text)
				assert.Equal(t, s.place+" is there more than once", requireNonsense(t, a, value, err), "%s", text)
			}
		}
	}
}

func hex(c byte) string { return string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15]) }

// Promise 4: what is no JSON object.
func TestNoObject(t *testing.T) {
	for _, a := range answers {
		sample := string(a.sample(t))
		for _, text := range []string{
			``, ` `, `null`, `[]`, `"x"`, `1`, `true`, `{`, `{"url"`, `{"url":`, `{"a":1,}`, `{'a':1}`, `{"a":NaN}`, `<html>`, "\xff",
			sample + sample, sample + "x", sample[:len(sample)-2], "\ufeff\ufeff" + sample, `[` + sample + `]`,
			`{"a":` + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001) + `}`,
		} {
			value, err := a.read(t, []byte(text))
			assert.Equal(t, "the answer is no JSON object", requireNonsense(t, a, value, err), "%.40q", text)
		}
	}
}

// Promise 5: what is no member of ours is ignored, whatever it holds and however often; a mark and space around the answer
// are not of it.
func TestUnknownMembers(t *testing.T) {
	for _, a := range answers {
		want, err := a.read(t, a.sample(t))
		require.NoError(t, err)
		for _, s := range a.spots(t) {
			text := change(t, a.sample(t), s.path, func(object map[string]json.RawMessage) []byte {
				return append([]byte(`{"amount":1.5,"":[{}],"amount":"x","Id":1e999,"KEY":null,"\ud800":0,`), spell(object)[1:]...)
			})
			value, err := a.read(t, []byte("\ufeff \r\n"+string(text)+"\n"))
			require.NoError(t, err, "%s", text)
			assert.Equal(t, want, value)
		}
	}
}

// Promise 5: bytes that are not UTF-8, and halves of a pair.
func TestInvalidUTF8(t *testing.T) {
	for given, want := range map[string]string{
		"a\xffb": "a\ufffdb", `a\ud83eb`: "a\ufffdb", "\xed\xa0\x80": "\ufffd\ufffd\ufffd", "é\u2028": "é\u2028",
	} {
		grants, err := New(saying(`{"grants":[{"id":"` + given + `","source":"` + given + `","amount_micro_usd":1}]}`)).For("").Grants(t.Context())
		require.NoError(t, err, given)
		assert.Equal(t, []CreditGrant{{ID: want, Source: want, AmountMicroUsd: 1}}, grants)
	}
}
