package transport

import "encoding/binary"

// The parts of RFC 6455's framing that a server writes: it never masks, fragments or compresses.
const (
	finalBit = 0x80
	opText   = 0x1
	opClose  = 0x8
	opPing   = 0x9
	opPong   = 0xA
)

// appendTextHeader appends the header of a text frame of n bytes.
func appendTextHeader(buf []byte, n int) []byte {
	buf = append(buf, finalBit|opText)
	switch {
	case n <= 125:
		return append(buf, byte(n))
	case n <= 0xFFFF:
		return binary.BigEndian.AppendUint16(append(buf, 126), uint16(n))
	default:
		return binary.BigEndian.AppendUint64(append(buf, 127), uint64(n))
	}
}
