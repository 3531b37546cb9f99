package scalars

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-json-experiment/json/jsontext"

	"inlaygraph/projection"
	"inlaygraph/wire"
)

// MarshalJSON writes a value as the wire spelled it, compacted; an absent one is null.
func MarshalJSON(v projection.Value) graphql.Marshaler {
	if v == (projection.Value{}) {
		return graphql.Null
	}
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(v.AppendJSON(nil)) })
}

// UnmarshalJSON reads any JSON value. Numbers keep their spelling where they come as json.Number, as those of variables
// do, and those of documents that come by package transport; members of objects come out sorted by name, as a decoded
// object has no order to keep.
func UnmarshalJSON(v any) (projection.Value, error) {
	if text, ok := v.(string); ok {
		return projection.TextValue(text), nil
	}
	b, err := appendJSON(nil, v)
	if err != nil {
		return projection.Value{}, err
	}
	return projection.JSONValue(wire.JSON(b)), nil
}

// MarshalSchema writes a JSON Schema as the wire spelled it, compacted; an absent one is null.
func MarshalSchema(v wire.JSON) graphql.Marshaler {
	if v == "" {
		return graphql.Null
	}
	return graphql.WriterFunc(func(w io.Writer) { _, _ = io.WriteString(w, string(v)) })
}

// UnmarshalSchema reads any JSON value, like UnmarshalJSON.
func UnmarshalSchema(v any) (wire.JSON, error) {
	b, err := appendJSON(nil, v)
	return wire.JSON(b), err
}

func appendJSON(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case string:
		// Invalid UTF-8 is quoted as U+FFFD, and told by an error that has no other reason.
		dst, _ = jsontext.AppendQuote(dst, v)
		return dst, nil
	case json.Number:
		if !json.Valid([]byte(v)) {
			return nil, fmt.Errorf("JSON takes no number %q", string(v))
		}
		return append(dst, v...), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, fmt.Errorf("JSON takes no number %v", v)
		}
		return strconv.AppendFloat(dst, v, 'g', -1, 64), nil
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			var err error
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendJSON(dst, item); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case map[string]any:
		dst = append(dst, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			var err error
			if i > 0 {
				dst = append(dst, ',')
			}
			dst, _ = jsontext.AppendQuote(dst, name)
			if dst, err = appendJSON(append(dst, ':'), v[name]); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	}
	// A list of one type: what gqlparser makes of a single value for a variable that is a list.
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice && list.Type() != reflect.TypeFor[[]byte]() {
		items := make([]any, list.Len())
		for i := range items {
			items[i] = list.Index(i).Interface()
		}
		return appendJSON(dst, items)
	}
	return nil, fmt.Errorf("JSON takes no value of type %T", v)
}
