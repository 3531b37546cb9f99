package recording

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

const (
	start = `{"type":"run.start","offset":1,"run_id":"r","conversation_id":"c","agent_id":"a","agent_version":1}`
	user  = `{"type":"user","seq":1,"content":"hi"}`
	head  = `{"type":"conversation","conversation_id":"c","agent_id":"a","agent_version":1,"status":"paused"}`
)

func TestRead(t *testing.T) {
	rec, err := Read(strings.NewReader("\ufeff"+head+"\r\n\n"+user+"\nnot json\n"+start+"\n{\"type\":\"user\"}"), "some/run.ndjson", 0)
	require.NoError(t, err)
	assert.Equal(t, "run", rec.Name)
	require.Len(t, rec.Records, 3)
	assert.IsType(t, &wire.Head{}, rec.Records[0])
	assert.IsType(t, &wire.Row{}, rec.Records[1])
	assert.IsType(t, &wire.Frame{}, rec.Records[2])

	// Promise 1: the file, the line and the reason.
	require.Len(t, rec.Problems, 2)
	assert.Equal(t, "some/run.ndjson:4: malformed_json", rec.Problems[0].Error())
	assert.Equal(t, 6, rec.Problems[1].Line)
	var why *wire.Rejection
	require.True(t, errors.As(rec.Problems[1], &why))
	assert.Equal(t, wire.ReasonMissing, why.Reason)
}

// Promise 2.
func TestReadRefusesWhatIsNoRecording(t *testing.T) {
	for text, want := range map[string]string{
		"":                "x.ndjson: the file is empty",
		" \n\n":           "x.ndjson: the file is empty",
		"hello\nworld\n":  "x.ndjson:1: malformed_json; no line of x.ndjson is a record",
		"\x7fELF\x00\x01": "x.ndjson:1: malformed_json; no line of x.ndjson is a record",
		"\n[1]":           "x.ndjson:2: malformed_json; no line of x.ndjson is a record",
	} {
		_, err := Read(strings.NewReader(text), "x.ndjson", 0)
		assert.EqualError(t, err, want, "%q", text)
	}
	_, err := Read(strings.NewReader(start), "x.ndjson", 20)
	assert.EqualError(t, err, "x.ndjson:1: too_large; no line of x.ndjson is a record")

	_, err = Read(io.MultiReader(strings.NewReader(start+"\n"), iotest.ErrReader(os.ErrClosed)), "x.ndjson", 0)
	assert.ErrorIs(t, err, os.ErrClosed)
	assert.ErrorContains(t, err, "x.ndjson: ")
}

// Promise 3.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	_, err := Load(dir, 0)
	assert.ErrorContains(t, err, "no *.ndjson file in it")
	_, err = Load(filepath.Join(dir, "missing"), 0)
	assert.ErrorIs(t, err, os.ErrNotExist)

	write("b.ndjson", start)
	write("a.ndjson", user)
	write("notes.txt", "not one")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "deeper.ndjson"), 0o700))
	all, err := Load(dir, 0)
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, "a", all[0].Name)
	assert.Equal(t, "b", all[1].Name)

	one, err := Load(filepath.Join(dir, "b.ndjson"), 0)
	require.NoError(t, err)
	require.Len(t, one, 1)
	assert.Equal(t, filepath.Join(dir, "b.ndjson"), one[0].Path)

	wrong1, wrong2 := write("c.ndjson", "what"), write("d.ndjson", "")
	_, err = Load(dir, 0)
	require.Error(t, err)
	assert.Contains(t, err.Error(), wrong1+":1: ")
	assert.Contains(t, err.Error(), wrong2+": the file is empty")
}
