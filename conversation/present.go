package conversation

import "inlaygraph/coded"

// notFound is the one answer for every reason for which a conversation may not be seen.
func notFound(cause error) error {
	return coded.Wrap(coded.NotFound, "no such conversation", cause)
}
