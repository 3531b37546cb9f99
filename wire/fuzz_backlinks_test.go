package wire

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// Promises 1, 2, 6 and 7 on whatever an endpoint answers where backlinks should be.
func FuzzDecodeBacklinks(f *testing.F) {
	for _, text := range []string{
		`{"backlinks":[]}`, `{"backlinks":[{"table":"a","row_id":"b","n":1e400},null,"\ud83e"]}`, `{"backlinks":{}}`, `{"backlinks":null}`, `{}`, `[]`, `{"backlinks":[`, ``,
		`{"backlinks":[1],"backlinks":[2]}`, "{\"backlinks\":[\"\xff\"]}", "\ufeff{\"backlinks\":[ 1 , 2 ]}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		value, err := DecodeBacklinks(text)
		if err != nil {
			require.Empty(t, value)
			requireSound(t, err)
			return
		}
		require.True(t, json.Valid([]byte(value)), "%s", value)
		require.Equal(t, byte('['), value[0])
		require.Equal(t, before, text, "the bytes are the caller's")
	})
}
