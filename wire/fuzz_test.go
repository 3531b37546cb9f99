package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// Promises 1, 2, 7 and 10 on whatever bytes: a record or a rejection, never both; what is taken is
// written and read again as the same.
func FuzzDecode(f *testing.F) {
	for _, name := range allTypes() {
		f.Add(spell(sample(f, name)))
	}
	for _, text := range benchFrames()[:4] {
		f.Add(text[:len(text)-9])
	}
	f.Add([]byte("\ufeff" + `{"rows":[{"type":"user","seq":1,"content":"\ud83e"}],"has_earlier":true}`))
	f.Add([]byte(`{"conversations":[{"conversation_id":"a"}],"has_more":false}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		record, err := Decode(text)
		if err != nil {
			require.Nil(t, record)
			requireSound(t, err)
		} else {
			again := record.(jsonAppender).AppendJSON(nil)
			require.True(t, utf8.Valid(again))
			got, err := Decode(again)
			require.NoError(t, err, "%s", again)
			require.Equal(t, record, got, "%s", again)
		}
		page, refused, err := DecodePage(text)
		if err != nil {
			require.Nil(t, page)
			requireSound(t, err)
		} else {
			for _, rejected := range refused {
				requireSound(t, rejected)
			}
			got, refused, err := DecodePage(page.AppendJSON(nil))
			require.NoError(t, err)
			require.Empty(t, refused)
			require.Equal(t, page, got)
		}
		require.Equal(t, before, text, "the bytes are the caller's")
	})
}

func requireSound(t *testing.T, err error) {
	var rejected *Rejection
	require.ErrorAs(t, err, &rejected)
	require.NotEmpty(t, rejected.Reason)
	require.LessOrEqual(t, len(rejected.Type), 64)
	require.LessOrEqual(t, len(rejected.Member), 256)
	require.GreaterOrEqual(t, rejected.Offset, int64(0))
	require.LessOrEqual(t, rejected.Offset, int64(maxInteger))
	require.NotContains(t, rejected.Error(), "\n")
	require.True(t, utf8.ValidString(rejected.Error()))
}

// Promise 11 on whatever bytes: the reader comes to the end, tells every line that is not blank, and
// judges each as Decode does.
func FuzzReader(f *testing.F) {
	f.Add([]byte("\ufeff{\"type\":\"run.end\",\"status\":\"failed\"}\r\n\r\n{\"type\":\"user\",\"seq\":1,\"content\":\"hi\"}"), 0)
	f.Add([]byte("# no JSON\n{}\n\n{\"type\":\"x\",\"offset\":3}\n"), 12)
	f.Add([]byte("\r\n \n\t\n"), 3)
	f.Add(bytes.Repeat([]byte("x"), 5000), 100)
	f.Fuzz(func(t *testing.T, recording []byte, limit int) {
		decoder := Decoder{MaxRecord: limit}
		reader := NewReader(bytes.NewReader(recording), limit)
		lines := strings.Split(string(recording), "\n")
		for i, text := range lines {
			if strings.Trim(strings.TrimPrefix(text, "\ufeff"), " \t\r") == "" {
				continue
			}
			line, err := reader.Next()
			require.NoError(t, err)
			require.Equal(t, i+1, line.Number)
			want, err := decoder.Decode([]byte(text))
			var rejected *Rejection
			if err != nil {
				require.True(t, errors.As(err, &rejected))
			}
			require.Equal(t, Line{Number: i + 1, Record: want, Rejected: rejected}, line)
		}
		_, err := reader.Next()
		require.Equal(t, io.EOF, err)
	})
}
