package tests

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const (
	none = `[]`
	hi   = `[{"id":"a","content":"hi","complete":false}]`
	hiya = `[{"id":"a","content":"hiya","complete":false}]`
	said = `[{"id":"a","content":"hiya","complete":true}]`

	reset    = `{"cursor":"1","ops":[{"__typename":"RowsReset","rows":[]}]}`
	inserted = `{"cursor":"2","ops":[{"__typename":"RowInserted","index":0,"row":{"id":"a","content":"hi","complete":false}}]}`
	appended = `{"cursor":"3","ops":[{"__typename":"RowTextAppended","index":0,"field":"CONTENT","offset":2,"text":"ya"}]}`
	replaced = `{"cursor":"4","ops":[{"__typename":"RowReplaced","index":0,"row":{"id":"a","content":"hiya","complete":true}}]}`
	removed  = `{"cursor":"5","ops":[{"__typename":"RowRemoved","index":0}]}`
)

func opsOf(op string) string { return `{"cursor":"9","ops":[` + op + `]}` }

// Every validator catches the fault it is there for, planted into what a good subscription receives, and finds nothing
// wrong with the good ones.
func TestValidatorsCatchPlantedFaults(t *testing.T) {
	history := []string{none, hi, hiya, said}
	for name, tc := range map[string]struct {
		o     Observation
		fails string // the validator, "" for none
	}{
		"good":                   {Observation{Values: history, History: history, Before: none, Final: said}, ""},
		"good, values skipped":   {Observation{Values: []string{hi, said}, History: history, Before: none, Final: said}, ""},
		"good, back in history":  {Observation{Values: []string{none, hi, none}, History: []string{none, hi, none}}, ""},
		"good, history unknown":  {Observation{Values: history}, ""},
		"good changes":           {Observation{Values: history, History: history, Changes: []string{reset, inserted, appended, replaced}}, ""},
		"good, spelt otherwise":  {Observation{Values: []string{`[ {"content":"hi","complete":false,"id":"a"} ]`}, History: history, Final: hi}, ""},
		"good, undone at once":   {Observation{Values: []string{none, none}, Changes: []string{reset, opsOf(`{"__typename":"RowInserted","index":0,"row":{}},{"__typename":"RowRemoved","index":0}`)}}, ""},
		"good, a loss":           {Observation{Lossy: true, Changes: []string{reset, inserted, reset, inserted}}, ""},
		"an older value":         {Observation{Values: []string{hi, hiya, hi}, History: history}, "Ordered"},
		"a value it never had":   {Observation{Values: []string{said, `[{"id":"b"}]`}, History: history}, "Ordered"},
		"text that shrinks":      {Observation{Values: []string{hiya, hi}}, "Ordered"},
		"no longer complete":     {Observation{Values: []string{said, hiya}}, "Ordered"},
		"another seq":            {Observation{Values: []string{`[{"id":"a","seq":4}]`, `[{"id":"a","seq":5}]`}}, "Ordered"},
		"a node gone":            {Observation{Values: []string{`{"nodes":[{"path":["x"]}]}`, `{"nodes":[]}`}}, "Ordered"},
		"a node back at work":    {Observation{Values: []string{`{"nodes":[{"path":["x"],"activation":"v","finishedAt":"t"}]}`, `{"nodes":[{"path":["x"],"activation":"v"}]}`}}, "Ordered"},
		"an edge less often":     {Observation{Values: []string{`{"edges":[{"from":"x","to":"y","count":2}]}`, `{"edges":[{"from":"x","to":"y","count":1}]}`}}, "Ordered"},
		"the last change missed": {Observation{Values: []string{none, hi}, History: history, Final: said}, "Complete"},
		"nothing at all":         {Observation{History: history, Final: said}, "Complete"},
		"a change twice":         {Observation{Changes: []string{reset, inserted, appended, appended}}, "NoGaps"},
		"a change lost":          {Observation{Changes: []string{reset, appended}}, "NoGaps"},
		"an offset in bytes":     {Observation{Kept: `[{"id":"a","content":"👋"}]`, Changes: []string{opsOf(`{"__typename":"RowTextAppended","index":0,"field":"CONTENT","offset":4,"text":"!"}`)}}, "NoGaps"},
		"a place too far":        {Observation{Changes: []string{reset, opsOf(`{"__typename":"RowInserted","index":1,"row":{}}`)}}, "NoGaps"},
		"a row that is not":      {Observation{Changes: []string{reset, removed}}, "NoGaps"},
		"a reset in between":     {Observation{Changes: []string{reset, inserted, reset}}, "NoGaps"},
		"a reset and more":       {Observation{Changes: []string{opsOf(`{"__typename":"RowsReset","rows":[]},{"__typename":"RowInserted","index":0,"row":{}}`)}}, "NoGaps"},
		"text to another kind":   {Observation{Kept: `[{"id":"a","value":7}]`, Changes: []string{opsOf(`{"__typename":"RowTextAppended","index":0,"field":"VALUE","offset":0,"text":"!"}`)}}, "NoGaps"},
		"no change":              {Observation{Values: []string{hi, hi}}, "Isolated"},
		"no operations":          {Observation{Changes: []string{reset, opsOf("")}}, "Isolated"},
		"an operation in vain":   {Observation{Changes: []string{reset, inserted, opsOf(`{"__typename":"RowReplaced","index":0,"row":{"id":"a","content":"hi","complete":false}}`)}}, "Isolated"},
		"a good cursor resets":   {Observation{Kept: hi, Changes: []string{reset}}, "Resumable"},
		"begins in the past":     {Observation{Values: []string{hi, hiya}, History: history, Before: hiya}, "Atomic"},
		"begins too early":       {Observation{Values: []string{hi}, Before: hiya}, "Atomic"},
		"another's text":         {Observation{Values: []string{hi}, Foreign: []string{"hi"}}, "Scoped"},
		"another's row":          {Observation{Changes: []string{reset, inserted}, Foreign: []string{`"a"`}}, "Scoped"},
		"more than there was":    {Observation{Values: []string{none, hi, none}, History: []string{none, hi}}, "Bounded"},
		"late":                   {Observation{Values: []string{hi}, Slowest: time.Minute}, "Bounded"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Validate(tc.o)
			if tc.fails == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tc.fails+": ")
		})
	}
}

// A client's list after each message.
func TestReplay(t *testing.T) {
	after, err := Replay("", []string{reset, inserted, appended, replaced, removed})
	assert.NoError(t, err)
	assert.Len(t, after, 5)
	for i, want := range []string{none, hi, hiya, said, none} {
		assert.JSONEq(t, want, after[i])
	}
	after, err = Replay(`[{"id":"a","value":null,"reasoning":null}]`, []string{opsOf(`{"__typename":"RowTextAppended","index":0,"field":"VALUE","offset":0,"text":"👩‍👧"},{"__typename":"RowTextAppended","index":0,"field":"VALUE","offset":5,"text":"!"},{"__typename":"RowTextAppended","index":0,"field":"REASONING","offset":0,"text":"?"}`)})
	assert.NoError(t, err)
	assert.JSONEq(t, `[{"id":"a","value":"👩‍👧!","reasoning":"?"}]`, after[0])
}
