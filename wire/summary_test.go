package wire

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Promise 8, for lists: only the id is asked for, and any other fault costs its member alone.
func TestSummaries(t *testing.T) {
	page, dropped, err := DecodeSummaries([]byte("\ufeff" + `{"conversations":[
		{"type":"conversation","conversation_id":"a","agent_id":"x","agent_version":0,"status":"paused","title":"A",
		 "created_at":"2026-02-06T12:00:00+01:00","updated_at":"2026-02-06T12:00:00.5Z","working_set":{"bindings":7},"error":"odd"},
		{"conversation_id":"b","status":"hibernating"},
		{"conversation_id":7,"status":"running"},
		{"status":"running"},
		{"conversation_id":null},
		{"conversation_id":""},
		{"conversation_id":"c"},
		{"conversation_id":"d","agent_id":1,"agent_version":"2","title":["t"],"status":7,"created_at":"yesterday","updated_at":5},
		{"conversation_id":"e","agent_version":-1,"status":"running","title":null,"updated_at":"2026-02-06T12:00:00"},
		{"conversation_id":"f","conversation_id":"g","status":null},
		"h", null, 5, []
	],"has_more":true,"total":12}` + "\n"))
	require.NoError(t, err)
	assert.Equal(t, 8, dropped)
	assert.True(t, page.HasMore)
	noon := time.Date(2026, 2, 6, 11, 0, 0, 0, time.UTC)
	assert.Equal(t, []*Summary{
		{ConversationID: "a", AgentID: "x", AgentVersion: pointer(0), Title: "A", Status: Paused,
			CreatedAt: noon, UpdatedAt: noon.Add(time.Hour + 500*time.Millisecond)},
		{ConversationID: "b"},
		{ConversationID: "c"},
		{ConversationID: "d"},
		{ConversationID: "e", Status: Running},
		{ConversationID: "g"},
	}, page.Items)
}

func TestSummariesAnswers(t *testing.T) {
	for text, more := range map[string]bool{
		`{"conversations":[],"has_more":true}`: true, `{"conversations":[],"has_more":false}`: false,
		`{"conversations":[]}`: false, `{"conversations":[],"has_more":null}`: false, `{"conversations":[],"has_more":"yes"}`: false,
	} {
		page, dropped, err := DecodeSummaries([]byte(text))
		require.NoError(t, err, text)
		assert.Zero(t, dropped)
		assert.Equal(t, &SummaryPage{Items: []*Summary{}, HasMore: more}, page, text)
	}
	for text, want := range map[string]Rejection{
		``:                                 {Reason: ReasonMalformed},
		`nothing`:                          {Reason: ReasonMalformed},
		`[]`:                               {Reason: ReasonMalformed},
		`{"conversations":[]`:              {Reason: ReasonMalformed},
		`{"has_more":true}`:                {Reason: ReasonMissing, Member: "conversations"},
		`{"conversations":null}`:           {Reason: ReasonMissing, Member: "conversations"},
		`{"conversations":{"a":{}}}`:       {Reason: ReasonWrongType, Member: "conversations"},
		`{"conversations":0,"has_more":1}`: {Reason: ReasonWrongType, Member: "conversations"},
	} {
		page, dropped, err := DecodeSummaries([]byte(text))
		assert.Equal(t, &want, err, text)
		assert.Nil(t, page)
		assert.Zero(t, dropped)
	}
}

// Promise 4: what the wire left out is nil, and what it said is not.
func TestSummaryOptionals(t *testing.T) {
	var bare Summary
	assert.Nil(t, bare.OptionalAgentID())
	assert.Nil(t, bare.OptionalTitle())
	assert.Nil(t, bare.OptionalStatus())
	assert.Nil(t, bare.OptionalCreatedAt())
	assert.Nil(t, bare.OptionalUpdatedAt())
	now := time.Now()
	full := Summary{AgentID: "a", Title: "t", Status: Failed, CreatedAt: now, UpdatedAt: now.Add(1)}
	assert.Equal(t, "a", *full.OptionalAgentID())
	assert.Equal(t, "t", *full.OptionalTitle())
	assert.Equal(t, Failed, *full.OptionalStatus())
	assert.Equal(t, now, *full.OptionalCreatedAt())
	assert.Equal(t, now.Add(1), *full.OptionalUpdatedAt())
}

// FuzzDecodeSummaries: promises 1, 6, 7 and 8 on whatever bytes. Every head is told or dropped.
func FuzzDecodeSummaries(f *testing.F) {
	for _, seed := range []string{
		`{"conversations":[{"conversation_id":"a","agent_version":1,"status":"running","created_at":"2026-02-06T12:00:00Z"}],"has_more":true}`,
		`{"conversations":[{"conversation_id":1},{},"x",[{"conversation_id":"no"}],{"conversation_id":"\ud83e"}]}`,
		"\ufeff" + `{"conversations":[{"conversation_id":"é","agent_version":99999999999999999999,"status":"odd"}]}` + "\r\n",
		`{"conversations":[{"conversation_id":"a","conversation_id":null}],"has_more":0}`, `{"conversations":{}}`, `[`,
	} {
		f.Add([]byte(seed))
	}
	f.Add([]byte(`"agent_id":"x","agent_version":0,"title":"t","status":"paused","updated_at":"2026-02-06T12:00:00+01:00"`))
	f.Fuzz(func(t *testing.T, text []byte) {
		requireSummaries(t, text)
		// Most bytes are no answer; as part of one they come further.
		requireSummaries(t, slices.Concat([]byte(`{"conversations":[`), text, []byte(`]}`)))
		requireSummaries(t, slices.Concat([]byte(`{"conversations":[{"conversation_id":"a",`), text, []byte(`}],"has_more":true}`)))
	})
}

func requireSummaries(t *testing.T, text []byte) {
	page, dropped, err := DecodeSummaries(text)
	if err != nil {
		require.Nil(t, page)
		require.Zero(t, dropped)
		requireSound(t, err)
		return
	}
	require.NotNil(t, page.Items)
	require.Equal(t, len(page.Items)+dropped, headsIn(text))
	for _, item := range page.Items {
		require.NotEmpty(t, item.ConversationID)
		require.True(t, utf8.ValidString(item.ConversationID+item.AgentID+item.Title))
		require.LessOrEqual(t, item.Status, AwaitingClientTool)
		require.True(t, item.AgentVersion == nil || *item.AgentVersion >= 0)
		_, offset := item.UpdatedAt.Zone()
		require.Zero(t, offset)
	}
	again, _, err := DecodeSummaries(text)
	require.NoError(t, err)
	require.Equal(t, page, again)
}

// headsIn counts the elements of the list by another reader.
func headsIn(text []byte) int {
	text = trimLine(text)
	var answer map[string]json.RawMessage
	var heads []json.RawMessage
	if json.Unmarshal(text, &answer) != nil || json.Unmarshal(answer["conversations"], &heads) != nil {
		return -1
	}
	return len(heads)
}

// Promise 6: the array of backlinks keeps its spelling.
func TestBacklinks(t *testing.T) {
	got, err := DecodeBacklinks([]byte("\ufeff{ \"more\" : 1, \"backlinks\" : [ 1.50 , 1e400, 12345678901234567890, {\"a\" : \"\\u00e9 \\ud800\"} , null ] }\r\n"))
	require.NoError(t, err)
	assert.Equal(t, JSON(`[1.50,1e400,12345678901234567890,{"a":"\u00e9 \ufffd"},null]`), got)
	got, err = DecodeBacklinks([]byte(`{"backlinks":[]}`))
	require.NoError(t, err)
	assert.Equal(t, JSON(`[]`), got)
	for text, want := range map[string]Rejection{
		``:                     {Reason: ReasonMalformed},
		`[]`:                   {Reason: ReasonMalformed},
		`{"backlinks":[}`:      {Reason: ReasonMalformed},
		`{"links":[]}`:         {Reason: ReasonMissing, Member: "backlinks"},
		`{"backlinks":null}`:   {Reason: ReasonMissing, Member: "backlinks"},
		`{"backlinks":{}}`:     {Reason: ReasonWrongType, Member: "backlinks"},
		`{"backlinks":"none"}`: {Reason: ReasonWrongType, Member: "backlinks"},
		`{"backlinks":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`: {Reason: ReasonMalformed},
	} {
		got, err := DecodeBacklinks([]byte(text))
		assert.Empty(t, got)
		assert.Equal(t, &want, err, "%.60s", text)
	}
}
