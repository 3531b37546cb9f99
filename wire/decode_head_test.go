package wire

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHead(t *testing.T) {
	head, err := DecodeHead([]byte(`{"type":"conversation","conversation_id":"c-1","agent_id":"agent","agent_version":7,
		"status":"failed","retryable":false,"error":{"kind":"condition","message":"no way out"},"has_earlier":false,
		"last_offset":0,"title":"Forty-two","created_at":"2026-02-06T12:00:00Z","updated_at":"2026-02-06T13:00:00+01:00",
		"working_set":{
			"bindings":{"zeta":{"value":null,"status":"building","format":"code"},"alpha":{"value":[1, 2],"status":"final","format":"odd"}},
			"subagent_bindings":[{"path":["s","t"],"name":"x","value":1,"status":"final"},{"path":[],"name":"","value":"","status":"building","format":null}],
			"tables":{"b":[],"a":[{"row_id":"r2","key":"","value":{ },"status":"final","links":{"to":"r1"}},{"row_id":"r1","key":null,"value":0,"status":"building","links":null}]},
			"more":1}}`))
	require.NoError(t, err)
	assert.Equal(t, &Head{
		ConversationID: "c-1", AgentID: "agent", AgentVersion: 7, Status: Failed,
		HasRetryable: true, Error: &PublicError{Kind: ErrorCondition, Message: "no way out"},
		SaysEarlier: true, HasLastOffset: true, Title: "Forty-two",
		CreatedAt: time.Date(2026, 2, 6, 12, 0, 0, 0, time.UTC), UpdatedAt: time.Date(2026, 2, 6, 12, 0, 0, 0, time.UTC),
		WorkingSet: &WorkingSet{
			Bindings: []WorkingBinding{
				{Name: "alpha", Value: `[1,2]`, Status: Final},
				{Name: "zeta", Value: `null`, Status: Building, Format: FormatCode},
			},
			SubagentBindings: []WorkingBinding{
				{Path: []string{"s", "t"}, Name: "x", Value: `1`, Status: Final},
				{Value: `""`, Status: Building},
			},
			Tables: []WorkingTable{
				{Name: "a", Rows: []WorkingRow{
					{RowID: "r2", HasKey: true, Value: `{}`, Status: Final, Links: `{"to":"r1"}`},
					{RowID: "r1", Value: `0`, Status: Building},
				}},
				{Name: "b"},
			},
		},
	}, head)

	head, err = DecodeHead([]byte(`{"type":"conversation","conversation_id":"c","agent_id":"a","agent_version":0,"status":"running",
		"working_set":{"bindings":null,"tables":{"t":[],"t":[{"row_id":"r","value":1,"status":"final"}]}}}`))
	require.NoError(t, err)
	assert.Equal(t, &WorkingSet{Tables: []WorkingTable{{Name: "t", Rows: []WorkingRow{{RowID: "r", Value: "1", Status: Final}}}}},
		head.WorkingSet, "a part that is absent is empty, the last of repeated names wins")
	assert.False(t, head.SaysEarlier || head.HasRetryable || head.HasLastOffset)
}

// Promises 2 and 3: a bad member in the head rejects the head, and its place is told.
func TestWorkingSetRejections(t *testing.T) {
	binding := `{"value":1,"status":"final"}`
	for _, c := range []struct {
		place, set string
		reason     Reason
	}{
		{"working_set.bindings", `{"bindings":[]}`, ReasonWrongType},
		{"working_set.bindings.b", `{"bindings":{"a":` + binding + `,"b":null}}`, ReasonWrongType},
		{"working_set.bindings.b.value", `{"bindings":{"b":{"status":"final"}}}`, ReasonMissing},
		{"working_set.bindings.b.status", `{"bindings":{"b":{"value":1}}}`, ReasonMissing},
		{"working_set.bindings.b.status", `{"bindings":{"b":{"value":1,"status":null}}}`, ReasonMissing},
		{"working_set.bindings.b.status", `{"bindings":{"b":{"value":1,"status":"done"}}}`, ReasonUnknownValue},
		{"working_set.bindings.b.status", `{"bindings":{"b":{"value":1,"status":1}}}`, ReasonWrongType},
		{"working_set.bindings.b.format", `{"bindings":{"b":{"value":1,"status":"final","format":1}}}`, ReasonWrongType},
		{"working_set.bindings." + strings.Repeat("n", 64) + ".value", `{"bindings":{"` + strings.Repeat("n", 999) + `":{}}}`, ReasonMissing},
		{"working_set.subagent_bindings", `{"subagent_bindings":{}}`, ReasonWrongType},
		{"working_set.subagent_bindings[0]", `{"subagent_bindings":[null]}`, ReasonWrongType},
		{"working_set.subagent_bindings[0].path", `{"subagent_bindings":[{"name":"n","value":1,"status":"final"}]}`, ReasonMissing},
		{"working_set.subagent_bindings[0].path", `{"subagent_bindings":[{"path":"p","name":"n","value":1,"status":"final"}]}`, ReasonWrongType},
		{"working_set.subagent_bindings[0].path[1]", `{"subagent_bindings":[{"path":["p",{}],"name":"n","value":1,"status":"final"}]}`, ReasonWrongType},
		{"working_set.subagent_bindings[0].name", `{"subagent_bindings":[{"path":["p"],"value":1,"status":"final"}]}`, ReasonMissing},
		{"working_set.subagent_bindings[0].name", `{"subagent_bindings":[{"path":["p"],"name":1,"value":1,"status":"final"}]}`, ReasonWrongType},
		{"working_set.subagent_bindings[1].value", `{"subagent_bindings":[{"path":["p"],"name":"n","value":1,"status":"final"},{"path":["p"],"name":"n","status":"final"}]}`, ReasonMissing},
		{"working_set.tables", `{"tables":"leads"}`, ReasonWrongType},
		{"working_set.tables.leads", `{"tables":{"leads":{}}}`, ReasonWrongType},
		{"working_set.tables.leads[0]", `{"tables":{"leads":["r"]}}`, ReasonWrongType},
		{"working_set.tables.leads[0].row_id", `{"tables":{"leads":[{"value":1,"status":"final"}]}}`, ReasonMissing},
		{"working_set.tables.leads[0].row_id", `{"tables":{"leads":[{"row_id":1,"value":1,"status":"final"}]}}`, ReasonWrongType},
		{"working_set.tables.leads[0].key", `{"tables":{"leads":[{"row_id":"r","key":1,"value":1,"status":"final"}]}}`, ReasonWrongType},
		{"working_set.tables.leads[0].value", `{"tables":{"leads":[{"row_id":"r","status":"final"}]}}`, ReasonMissing},
		{"working_set.tables.leads[0].status", `{"tables":{"leads":[{"row_id":"r","value":1}]}}`, ReasonMissing},
		{"working_set.tables.leads[2].status", `{"tables":{"leads":[{"row_id":"r","value":1,"status":"final"},{"row_id":"s","value":1,"status":"final"},{"row_id":"t","value":1,"status":"x"}]}}`, ReasonUnknownValue},
	} {
		requireRejected(t, spell(with(sample(t, headType), "working_set", c.set)),
			Rejection{Reason: c.reason, Member: c.place, Type: headType})
	}
}

// Promise 8, for pages.
func TestPage(t *testing.T) {
	page, refused, err := DecodePage([]byte("\ufeff" + `{"rows":[
		{"type":"user","seq":1,"content":"hi"},
		{"type":"assistant","seq":2},
		{"type":"message.delta","offset":3,"content":"no row"},
		"nor this",
		{"type":"output","seq":5,"name":"n","value":1,"status":"done","complete":true},
		{"type":"edge","seq":6,"from":"a","to":"b"}
	],"has_earlier":true,"more":[]}` + "\n"))
	require.NoError(t, err)
	assert.Equal(t, &Page{HasEarlier: true, Rows: []*Row{
		{Type: RowUser, Body: Body{Seq: 1, Content: "hi", HasContent: true}},
		{Type: RowEdge, Body: Body{Seq: 6, From: "a", To: "b"}},
	}}, page)
	assert.Equal(t, []*Rejection{
		{Reason: ReasonMissing, Member: "rows[1].content", Type: "assistant"},
		{Reason: ReasonUnknownType, Member: "rows[2].type", Type: "message.delta"},
		{Reason: ReasonMalformed, Member: "rows[3]"},
		{Reason: ReasonUnknownValue, Member: "rows[4].status", Type: "output"},
	}, refused)

	page, refused, err = DecodePage([]byte(`{"has_earlier":false,"rows":[]}`))
	require.NoError(t, err)
	assert.Empty(t, refused)
	assert.Equal(t, &Page{}, page)

	page, refused, err = Decoder{MaxRecord: 50}.Page([]byte(`{"rows":[{"type":"user","seq":1,"content":"` +
		strings.Repeat("x", 50) + `"},{"type":"user","seq":2,"content":""}],"has_earlier":false}`))
	require.NoError(t, err, "the limit is a row's")
	assert.Equal(t, []*Rejection{{Reason: ReasonTooLarge, Member: "rows[0]"}}, refused)
	assert.Len(t, page.Rows, 1)

	for text, want := range map[string]Rejection{
		``:                                 {Reason: ReasonMalformed},
		`[]`:                               {Reason: ReasonMalformed},
		`<html>`:                           {Reason: ReasonMalformed},
		`{"rows":[],"has_earlier":true}}`:  {Reason: ReasonMalformed},
		`{"has_earlier":true}`:             {Reason: ReasonMissing, Member: "rows"},
		`{"rows":null,"has_earlier":true}`: {Reason: ReasonMissing, Member: "rows"},
		`{"rows":{},"has_earlier":true}`:   {Reason: ReasonWrongType, Member: "rows"},
		`{"rows":[]}`:                      {Reason: ReasonMissing, Member: "has_earlier"},
		`{"rows":[],"has_earlier":"no"}`:   {Reason: ReasonWrongType, Member: "has_earlier"},
	} {
		page, refused, err := DecodePage([]byte(text))
		assert.Equal(t, &want, err, text)
		assert.Nil(t, page)
		assert.Nil(t, refused)
	}
}
