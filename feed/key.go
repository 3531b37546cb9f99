package feed

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
)

// key is a card's key: opaque, unique across conversations, of what identifies the card and nothing else.
func (c *Composer) key(kind string, parts ...string) string {
	return hash(append([]string{"card", c.snap.ID(), kind}, parts...)...)
}

// hash is an opaque name that begins with the first part and that other parts would not have.
func hash(parts ...string) string {
	h := sha256.New()
	for _, s := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	return parts[0] + "~" + base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:15])
}
