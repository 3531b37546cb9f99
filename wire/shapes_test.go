package wire

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The page's own lists, docs/wire.md: required members first, then the optional ones beside the spine.
// They are written out by hand: a change of the decoder's table has to be made here too.
var pageOfFrames = map[string][2]string{
	"run.start":     {"run_id conversation_id agent_id agent_version", ""},
	"user.message":  {"content", "id seq"},
	"node.start":    {"node_id kind", "message_id"},
	"message.delta": {"", "id content reasoning"},
	"message.end":   {"", "id seq content reasoning"},
	"output.delta":  {"name delta", "id format promoted"},
	"output.set":    {"name value status complete", "id seq format promoted"},
	"tool.call":     {"tool_call_id tool_name input requires_client_response", "id seq"},
	"tool.result":   {"tool_call_id output", "id seq"},
	"table.row":     {"table row_id value status", "key links"},
	"table.delete":  {"table row_id", ""},
	"edge.fired":    {"from to", "from_port seq"},
	"node.end":      {"node_id status", "error usage seq"},
	"run.pause":     {"status", ""},
	"run.end":       {"status", "error retryable"},
}

var pageOfRows = map[string][2]string{
	"user":        {"seq content", "id"},
	"assistant":   {"seq content", "id reasoning"},
	"output":      {"seq name value status complete", "id format promoted"},
	"tool-call":   {"seq tool_call_id tool_name input requires_client_response", "id"},
	"tool-result": {"seq tool_call_id output", "id"},
	"node-start":  {"seq node_id kind", "id message_id"},
	"node-end":    {"seq node_id status", "id error usage"},
	"edge":        {"seq from to", "id from_port"},
}

var pageOfHead = map[string][2]string{
	"conversation": {"conversation_id agent_id agent_version status",
		"retryable error has_earlier last_offset title created_at updated_at working_set"},
}

const pageOfSpine = "node_id subgraph_path activation iteration at"

func pageOf(name string) (required, optional []string) {
	for _, page := range []map[string][2]string{pageOfFrames, pageOfRows, pageOfHead} {
		if lists, ok := page[name]; ok {
			required, optional = strings.Fields(lists[0]), strings.Fields(lists[1])
			switch name {
			case "user.message", "user":
				optional = append(optional, "at")
			case headType:
			default:
				for _, m := range strings.Fields(pageOfSpine) {
					if !slices.Contains(required, m) {
						optional = append(optional, m)
					}
				}
			}
			return required, optional
		}
	}
	return nil, nil
}

func allTypes() []string {
	var names []string
	for _, t := range FrameTypes() {
		names = append(names, t.String())
	}
	for _, t := range RowTypes() {
		names = append(names, t.String())
	}
	return append(names, headType)
}

// Promise 3: the decoder's table is the page's, type by type, with no type left out of either.
func TestShapesAreThePages(t *testing.T) {
	shapes := map[string]shape{headType: headShape}
	for _, ft := range FrameTypes() {
		shapes[ft.String()] = frameShapes[ft]
	}
	for _, rt := range RowTypes() {
		shapes[rt.String()] = rowShapes[rt]
	}
	assert.Len(t, shapes, len(pageOfFrames)+len(pageOfRows)+len(pageOfHead))
	namesOf := func(set members) []string {
		var names []string
		for m, name := range memberNames {
			if set.has(member(m)) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names
	}
	for name, sh := range shapes {
		required, optional := pageOf(name)
		slices.Sort(required)
		slices.Sort(optional)
		assert.ElementsMatch(t, required, namesOf(sh.required), "%s: required", name)
		assert.ElementsMatch(t, optional, namesOf(sh.optional&^sh.required), "%s: optional", name)
	}
}

// sampleValues is a sound value of every member, as JSON text; `status` depends on the type.
var sampleValues = map[string]string{
	"type": `"x"`, "offset": `17`, "id": `"row-1"`, "seq": `4`,
	"node_id": `"writer"`, "subgraph_path": `["outer","inner"]`, "activation": `"a-1"`, "iteration": `2`,
	"at":     `"2026-02-06T12:00:00.25Z"`,
	"run_id": `"run-1"`, "conversation_id": `"c-1"`, "agent_id": `"agent"`, "agent_version": `7`,
	"kind": `"llm"`, "message_id": `"m-1"`,
	"content": `"some text"`, "reasoning": `"a thought"`,
	"name": `"report"`, "delta": `"more"`, "value": `{"a":[1,2.50]}`, "format": `"markdown"`,
	"complete": `true`, "promoted": `false`,
	"tool_call_id": `"call-1"`, "tool_name": `"search"`, "input": `"{}"`, "output": `"found"`,
	"requires_client_response": `true`,
	"table":                    `"leads"`, "row_id": `"r-1"`, "key": `"k-1"`, "links": `["r-2"]`,
	"from": `"writer"`, "from_port": `"out"`, "to": `"judge"`,
	"error":     `{"kind":"tool","message":"no luck"}`,
	"usage":     `{"prompt_tokens":1,"completion_tokens":2,"reasoning_tokens":3}`,
	"retryable": `true`, "has_earlier": `true`, "last_offset": `0`, "title": `"Forty-two"`,
	"created_at": `"2026-02-06T12:00:00Z"`, "updated_at": `"2026-02-06T13:00:00+01:00"`,
	"working_set": `{"bindings":{"b":{"value":1,"status":"final"}},"subagent_bindings":[],"tables":{}}`,
}

func sampleStatus(name string) string {
	switch name {
	case "output.set", "table.row", "output":
		return `"building"`
	case "run.pause":
		return `"paused"`
	}
	return `"completed"`
}

// sample is a sound record of the type with every member it may have.
func sample(t testing.TB, name string) map[string]string {
	required, optional := pageOf(name)
	record := map[string]string{"type": `"` + name + `"`}
	for _, m := range append(required, optional...) {
		value, ok := sampleValues[m]
		if m == "status" {
			value, ok = sampleStatus(name), true
		}
		require.True(t, ok, "no sample value of %s: add one", m)
		record[m] = value
	}
	if _, isFrame := pageOfFrames[name]; isFrame {
		record["offset"] = sampleValues["offset"]
	}
	return record
}

// spell writes a record, its members sorted by name: `type` stands late.
func spell(record map[string]string) []byte {
	var members []string
	for _, name := range slices.Sorted(maps.Keys(record)) {
		members = append(members, fmt.Sprintf("%q:%s", name, record[name]))
	}
	return []byte("{" + strings.Join(members, ",") + "}")
}

// with is the record with one member changed; "" takes it out.
func with(record map[string]string, name, value string) map[string]string {
	changed := maps.Clone(record)
	changed[name] = value
	if value == "" {
		delete(changed, name)
	}
	return changed
}

// usedUp is the offset that a rejection of the type in a recording tells.
func usedUp(name string) int64 {
	if _, isFrame := pageOfFrames[name]; isFrame {
		return 17
	}
	return 0
}

func requireRejected(t testing.TB, line []byte, want Rejection) {
	t.Helper()
	record, err := Decode(line)
	require.Nil(t, record, "%s", line) // promise 1
	var got *Rejection
	require.ErrorAs(t, err, &got, "%s", line)
	require.Equal(t, want, *got, "%s", line)
}

func requireTaken(t testing.TB, line []byte) Record {
	t.Helper()
	record, err := Decode(line)
	require.NoError(t, err, "%s", line)
	require.NotNil(t, record, "%s", line)
	return record
}

// Promise 3, over every type and every member that the page gives it.
func TestEveryMemberOfEveryType(t *testing.T) {
	for _, name := range allTypes() {
		t.Run(name, func(t *testing.T) {
			full := sample(t, name)
			required, optional := pageOf(name)
			requireTaken(t, spell(full))
			refused := func(m string, reason Reason, record map[string]string) {
				t.Helper()
				requireRejected(t, spell(record), Rejection{Reason: reason, Member: m, Type: name, Offset: usedUp(name)})
			}
			minimal := map[string]string{"type": full["type"]}
			for _, m := range required {
				minimal[m] = full[m]
			}
			requireTaken(t, spell(minimal))
			for _, m := range required {
				refused(m, ReasonMissing, with(full, m, ""))
				if m == "value" {
					requireTaken(t, spell(with(full, m, "null")))
				} else {
					refused(m, ReasonMissing, with(full, m, "null"))
				}
			}
			for _, m := range optional { // promise 4
				absent := requireTaken(t, spell(with(full, m, "")))
				null := requireTaken(t, spell(with(full, m, "null")))
				require.Equal(t, absent, null, "%s null", m)
				require.NotEqual(t, absent, requireTaken(t, spell(full)), "%s is read", m)
			}
			for _, m := range append(required, optional...) {
				for _, wrong := range wrongTypes(m) {
					refused(m, ReasonWrongType, with(full, m, wrong))
				}
				for _, beyond := range beyondRange[m] {
					refused(m, ReasonOutOfRange, with(full, m, beyond))
				}
				for _, within := range withinRange[m] {
					requireTaken(t, spell(with(full, m, within)))
				}
				if m == "at" || m == "created_at" || m == "updated_at" {
					for _, bad := range badTimes {
						refused(m, ReasonBadTime, with(full, m, bad))
					}
				}
			}
			// Members that the type does not have are ignored, whatever they hold.
			for m := range sampleValues {
				if _, has := full[m]; !has && m != "offset" {
					got := requireTaken(t, spell(with(full, m, `{"not":"looked at"}`)))
					require.Equal(t, requireTaken(t, spell(full)), got, m)
				}
			}
		})
	}
}

// wrongTypes are values of every JSON type that the member may not have.
func wrongTypes(m string) []string {
	if m == "status" {
		return []string{`5`, `true`, `["final"]`, `{}`}
	}
	switch sampleValues[m][:1] {
	case `"`:
		return []string{`5`, `true`, `["x"]`, `{"x":1}`}
	case `t`, `f`:
		return []string{`0`, `"true"`, `[]`, `{}`}
	case `{`, `[`:
		switch m {
		case "value", "links":
			return nil
		case "subgraph_path":
			return []string{`"outer"`, `5`, `true`, `{}`}
		}
		return []string{`"x"`, `5`, `true`, `[]`}
	}
	// Integers: a fraction or an exponent is no integer, whatever its value.
	return []string{`"5"`, `true`, `[5]`, `{}`, `1.0`, `2.5`, `1e2`, `1E+2`}
}

var beyondRange = map[string][]string{
	"seq":           {"0", "-0", "-1", "9007199254740992", "99999999999999999999999"},
	"iteration":     {"0", "-3", "2147483648", "-9223372036854775809"},
	"agent_version": {"-1", "2147483648"},
	"last_offset":   {"-1", "9007199254740992"},
}

var withinRange = map[string][]string{
	"seq":           {"1", "9007199254740991"},
	"iteration":     {"1", "2147483647"},
	"agent_version": {"0", "-0", "2147483647"},
	"last_offset":   {"0", "9007199254740991"},
}

var badTimes = []string{
	`""`, `"yesterday"`, `"2026-02-06"`, `"2026-02-06T12:00:00"`, `"2026-02-06 12:00:00Z"`,
	`"2026-02-06T12:00Z"`, `"2026-02-30T12:00:00Z"`, `"2026-02-06T25:00:00Z"`, `"2026-02-06T1:00:00Z"`,
	`"2026-02-06T12:00:00,5Z"`, `"2026-02-06T12:00:00+2400"`, `"2026-02-06T12:00:00+24:00"`,
	`"2026-02-06T12:00:00Z "`, `"2026-02-06T12:00:00.Z"`, `"2026-02-06T12:00:60Z"`, `"2026-02-06T12:00:00+01:60"`,
	`"2026-02-06T12:00:00+1:00"`, `"12026-02-06T12:00:00Z"`, `"0000-01-01T00:00:00+01:00"`, `"9999-12-31T23:59:59-01:00"`,
}
