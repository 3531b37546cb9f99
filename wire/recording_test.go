package wire

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func readAllLines(t testing.TB, r *Reader) []Line {
	var lines []Line
	for {
		line, err := r.Next()
		if err == io.EOF {
			return lines
		}
		require.NoError(t, err)
		require.NotEqual(t, line.Record == nil, line.Rejected == nil, "line %d", line.Number)
		lines = append(lines, line)
	}
}

// Promise 11.
func TestReader(t *testing.T) {
	const end = `{"type":"run.end","status":"failed"}`
	failed := &Frame{Type: RunEnd, Body: Body{Status: Failed}}
	const limit = 80
	text := strings.Join([]string{
		"\ufeff" + end + "\r",                    // 1
		"",                                       // 2
		" \t\r",                                  // 3
		"# a note",                               // 4
		`{"type":"user","seq":1,"content":"hi"}`, // 5
		`{"pad":"` + strings.Repeat("x", 9000) + `"}`, // 6: beyond the limit and the buffer
		end + strings.Repeat(" ", limit-len(end)),     // 7: as long as may be
		end + strings.Repeat(" ", limit-len(end)+1),   // 8: one more
		`{"type":"x.y","offset":4}`,                   // 9
		end[:20],                                      // 10: cut, without a line end
	}, "\n")
	want := []Line{
		{Number: 1, Record: failed},
		{Number: 4, Rejected: &Rejection{Reason: ReasonMalformed}},
		{Number: 5, Record: &Row{Type: RowUser, Body: Body{Seq: 1, Content: "hi", HasContent: true}}},
		{Number: 6, Rejected: &Rejection{Reason: ReasonTooLarge}},
		{Number: 7, Record: failed},
		{Number: 8, Rejected: &Rejection{Reason: ReasonTooLarge}},
		{Number: 9, Rejected: &Rejection{Reason: ReasonUnknownType, Member: "type", Type: "x.y", Offset: 4}},
		{Number: 10, Rejected: &Rejection{Reason: ReasonMalformed, Type: "run.end"}},
	}
	assert.Equal(t, want, readAllLines(t, NewReader(strings.NewReader(text), limit)))
	assert.Equal(t, want, readAllLines(t, NewReader(iotest.OneByteReader(strings.NewReader(text)), limit)))
	assert.Equal(t, want, readAllLines(t, NewReader(iotest.DataErrReader(strings.NewReader(text)), limit)))

	last := []Line{{Number: 1, Record: failed}}
	assert.Equal(t, last, readAllLines(t, NewReader(strings.NewReader(end), 0)), "a last line without an end counts")
	assert.Equal(t, last, readAllLines(t, NewReader(strings.NewReader(end+"\n"), 0)))
	for _, empty := range []string{"", "\n", "\ufeff", "\ufeff\r\n\r\n"} {
		assert.Empty(t, readAllLines(t, NewReader(strings.NewReader(empty), 0)))
	}
	reader := NewReader(strings.NewReader(""), 0)
	for range 3 {
		_, err := reader.Next()
		require.Equal(t, io.EOF, err, "the end stays the end")
	}
}

func TestReaderTellsOfItsSource(t *testing.T) {
	broken := errors.New("the disk is gone")
	reader := NewReader(io.MultiReader(strings.NewReader("{}\n{\"type\":"), iotest.ErrReader(broken)), 0)
	line, err := reader.Next()
	require.NoError(t, err)
	assert.Equal(t, ReasonMissing, line.Rejected.Reason)
	_, err = reader.Next()
	assert.ErrorIs(t, err, broken)
}

// Promise 11: a line of 256 MB costs no more memory than the limit.
func TestLongLineIsNotHeld(t *testing.T) {
	const length = 256 << 20
	endless := io.LimitReader(repeated('x'), length)
	reader := NewReader(io.MultiReader(endless, strings.NewReader("\n{\"type\":\"run.end\",\"status\":\"failed\"}")), 1<<16)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	lines := readAllLines(t, reader)
	runtime.ReadMemStats(&after)
	require.Len(t, lines, 2)
	assert.Equal(t, ReasonTooLarge, lines[0].Rejected.Reason)
	assert.Equal(t, 2, lines[1].Number)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

type repeated byte

func (r repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r)
	}
	return len(p), nil
}

func TestWriter(t *testing.T) {
	var buffer bytes.Buffer
	writer := NewWriter(&buffer)
	require.NoError(t, writer.Write(&Frame{Type: RunPause, Offset: 2, Body: Body{Status: Paused}}))
	require.NoError(t, writer.Write(&Row{Type: RowUser, Body: Body{Seq: 1, Content: "a\nb"}}))
	require.NoError(t, writer.Write(&Head{ConversationID: "c", AgentID: "a", Status: Paused}))
	require.Error(t, writer.Write(&Page{}))
	require.Error(t, writer.Write(nil))
	assert.Equal(t, `{"type":"run.pause","offset":2,"status":"paused"}
{"type":"user","seq":1,"content":"a\nb"}
{"type":"conversation","conversation_id":"c","agent_id":"a","agent_version":0,"status":"paused"}
`, buffer.String())
	assert.Error(t, NewWriter(&failing{}).Write(&Frame{Type: RunPause}))
}

type failing struct{}

func (*failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// Golden: one line of every type in full, as it is written.
func TestEveryTypeAsWritten(t *testing.T) {
	var got bytes.Buffer
	writer := NewWriter(&got)
	for _, name := range allTypes() {
		require.NoError(t, writer.Write(requireTaken(t, spell(sample(t, name)))))
	}
	const golden = "testdata/every_type.ndjson"
	if *update {
		require.NoError(t, os.WriteFile(golden, got.Bytes(), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())

	var again bytes.Buffer
	writer = NewWriter(&again)
	for _, line := range readAllLines(t, NewReader(&got, 0)) {
		require.Nil(t, line.Rejected, "line %d", line.Number)
		require.NoError(t, writer.Write(line.Record))
	}
	require.Equal(t, string(want), again.String())
}
