package scalars

// Checks tell, by a custom scalar's name, whether it takes a value that a client sent. JSON takes any.
func Checks() map[string]func(value any) error {
	return map[string]func(any) error{
		"DateTime": checkedBy(UnmarshalDateTime),
		"SafeInt":  checkedBy(UnmarshalSafeInt),
		"MicroUSD": checkedBy(UnmarshalMicroUSD),
	}
}

func checkedBy[T any](unmarshal func(any) (T, error)) func(any) error {
	return func(value any) error {
		_, err := unmarshal(value)
		return err
	}
}
