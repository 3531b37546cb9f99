package conversation

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
)

// cursor says where a client stands: the journal (which is one slice in one epoch) and its version. It
// carries no authority: whoever holds one may read nothing that it may not read without it.
type cursor struct {
	journal string
	version uint64
}

// journalIDBytes is the length of a journal's id.
const journalIDBytes = 12

// newJournalID makes an id that no journal had, of any server.
func newJournalID() string {
	var b [journalIDBytes]byte
	_, _ = rand.Read(b[:]) // never fails
	return string(b[:])
}

func (c cursor) String() string {
	return base64.RawURLEncoding.EncodeToString(binary.AppendUvarint([]byte(c.journal), c.version))
}

// parseCursor reads a cursor; one that is not spelled as String does is as good as none.
func parseCursor(s string) cursor {
	if len(s) > base64.RawURLEncoding.EncodedLen(journalIDBytes+binary.MaxVarintLen64) {
		return cursor{}
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) <= journalIDBytes {
		return cursor{}
	}
	version, n := binary.Uvarint(b[journalIDBytes:])
	if n <= 0 {
		return cursor{}
	}
	c := cursor{string(b[:journalIDBytes]), version}
	if c.String() != s {
		return cursor{}
	}
	return c
}
