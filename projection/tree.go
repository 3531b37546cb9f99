package projection

import "inlaygraph/ordered"

// tree is an ordered list by key; token owns what of it may be changed in place.
type (
	tree[V any] = ordered.Tree[V]
	token       = ordered.Token
)
