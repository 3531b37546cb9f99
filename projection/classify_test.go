package projection

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// rowSlices are marked by every move of a row.
var rowSlices = []SliceKind{SliceTimeline, SliceTranscript, SliceTopLevel, SliceRowsAt, SliceSubtree}

// fieldSlices says for every field of a snapshot which slices tell of it. none: it only names things, and
// nothing reads it by itself. A new field has to be put here, and its slice marked.
var (
	none        = []SliceKind{}
	fieldSlices = map[string][]SliceKind{
		"id": {SliceConversation}, "places": none, "names": none, "inners": none, "tools": none, "tableIDs": none,
		"cut": none, "entries": append([]SliceKind{SliceNode, SliceRun, SliceError}, rowSlices...),
		"rows": {SliceTimeline}, "top": {SliceTopLevel}, "transcript": {SliceTranscript}, "at": {SliceRowsAt, SliceSubtree},
		"outputs": {SliceBinding, SliceBindings, SliceTimeline}, "innerOutputs": {SliceBinding, SliceSubagentBindings, SliceOutputsOf},
		"keptOwn": {SliceBinding, SliceBindings}, "keptInner": {SliceBinding, SliceSubagentBindings, SliceOutputsOf},
		"pairs": {SliceToolCall}, "pending": {SlicePendingTools}, "toolStates": {SliceToolStates, SliceToolCall},
		"tables": {SliceTable, SliceTables}, "nodeRuns": {SliceNode, SliceBelow, SliceRun}, "nodeOrder": {SliceRun}, "edges": {SliceNode, SliceRun},
		"exits": {SliceNode}, "counts": {SliceRun}, "run": {SliceRun}, "plan": {SlicePlan}, "chat": none, // member by member: scalarSlices
	}
	scalarSlices = map[string]SliceKind{
		"status": SliceStatus, "conversation": SliceConversation, "err": SliceError, "retryable": SliceRetryable,
		"hasEarlier": SliceHasEarlier, "capabilities": SliceCapabilities, "canRetry": SliceCanRetry, "runStatus": SliceRun,
	}
)

// Promise 6: every field belongs to a slice.
func TestEveryFieldIsClassified(t *testing.T) {
	told := map[SliceKind]bool{}
	fields := reflect.TypeFor[Snapshot]()
	require.Len(t, fieldSlices, fields.NumField())
	for i := range fields.NumField() {
		kinds, known := fieldSlices[fields.Field(i).Name]
		require.True(t, known, "to which slice does %s belong?", fields.Field(i).Name)
		for _, k := range kinds {
			told[k] = true
		}
	}
	fields = reflect.TypeFor[scalars]()
	require.Len(t, scalarSlices, fields.NumField())
	for i := range fields.NumField() {
		kind, known := scalarSlices[fields.Field(i).Name]
		require.True(t, known, "to which slice does %s belong?", fields.Field(i).Name)
		told[kind] = true
	}
	for k := SliceTimeline; k < sliceKinds; k++ {
		require.True(t, told[k], "no field belongs to slice kind %d", k)
	}
}

// Promise 6: a scalar that moved marks its slice.
func TestScalarsMarkTheirSlices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New("")
		for _, rec := range drawInputs(t) {
			before := reflect.ValueOf(s.cur.chat)
			c := s.Apply(rec)
			after := reflect.ValueOf(s.cur.chat)
			for i := range before.NumField() {
				if name := before.Type().Field(i).Name; !sameField(before.Field(i), after.Field(i)) {
					require.True(t, c.Has(Slice{Kind: scalarSlices[name]}), "%s moved", name)
				}
			}
		}
	})
}

func sameField(a, b reflect.Value) bool {
	if a.Kind() == reflect.Pointer && !a.IsNil() && !b.IsNil() {
		return a.Elem().Equal(b.Elem())
	}
	return a.Equal(b)
}
