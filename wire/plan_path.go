package wire

import "encoding/binary"

// PathKey answers a string that identifies a path of node ids: two paths have the same key only if they are
// equal, whatever their segments hold. The key of no path is "". Keys concatenate: the key of a path is
// the key of its parent followed by the key of its last segment.
func PathKey(path []string) string { return string(AppendPathKey(nil, path...)) }

// AppendPathKey appends the key of the path that the segments make.
func AppendPathKey(dst []byte, segments ...string) []byte {
	for _, segment := range segments {
		dst = binary.AppendUvarint(dst, uint64(len(segment)))
		dst = append(dst, segment...)
	}
	return dst
}
