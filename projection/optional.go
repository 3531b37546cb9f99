package projection

// optional is nil for a zero value: what the wire did not say.
func optional[T comparable](v *T) *T {
	var zero T
	if *v == zero {
		return nil
	}
	return v
}

// same tells whether two optional values are equal.
func same[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
