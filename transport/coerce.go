package transport

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"inlaygraph/coded"
)

// coercion is by what variables are held against their types.
type coercion struct {
	schema  *ast.Schema
	scalars map[string]func(any) error // Options.Scalars
}

// checkVariables holds the values that a client sends for the variables of op against their types as strictly as the
// specification says: gqlparser's own coercion takes "5" for an Int, 5 for a String and any case for an enum's value. It
// returns the variables with whole numbers written as such (1.0 for an Int is 1), and with the defaults of those that were
// not sent. Other missing values, and null ones, are left to the executor. n are the document's numbers.
func (c coercion) checkVariables(op *ast.OperationDefinition, sent map[string]any, n numbers) (map[string]any, *gqlerror.Error) {
	out := make(map[string]any, len(sent))
	for _, def := range op.VariableDefinitions {
		value, ok := sent[def.Variable]
		if !ok && def.DefaultValue == nil {
			continue
		}
		if !ok {
			literal, err := def.DefaultValue.Value(n)
			if err != nil {
				return nil, withCode(at(def.Position), coded.BadUserInput, `variable "$`+def.Variable+`": its default cannot be represented`)
			}
			out[def.Variable] = literal
			continue
		}
		checked, err := c.checkValue(def.Type, value)
		if err != nil {
			return nil, withCode(at(def.Position), coded.BadUserInput, `variable "$`+def.Variable+err.Error())
		}
		out[def.Variable] = checked
	}
	return out, nil
}

// valueError collects the place of a wrong value from the inside out: its text continues `variable "$name`.
type valueError struct{ path, why string }

func (e *valueError) Error() string { return e.path + `": ` + e.why }

func within(place string, err error) error {
	e, _ := errors.AsType[*valueError](err)
	return &valueError{place + e.path, e.why}
}

func cannot(typ, what string, value any) error {
	kind := "an object"
	switch value.(type) {
	case string:
		kind = "a string"
	case json.Number:
		kind = "a number"
	case bool:
		kind = "a boolean"
	case []any:
		kind = "a list"
	}
	return &valueError{why: fmt.Sprintf("%s takes %s, not %s", typ, what, kind)}
}

func (c coercion) checkValue(typ *ast.Type, value any) (any, error) {
	if value == nil {
		return nil, nil
	}
	if typ.Elem != nil {
		list, ok := value.([]any)
		if !ok {
			return c.checkValue(typ.Elem, value)
		}
		for i, item := range list {
			checked, err := c.checkValue(typ.Elem, item)
			if err != nil {
				return nil, within("["+strconv.Itoa(i)+"]", err)
			}
			list[i] = checked
		}
		return list, nil
	}
	def := c.schema.Types[typ.NamedType]
	switch {
	case def == nil:
		return value, nil
	case def.Kind == ast.Enum:
		name, ok := value.(string)
		if !ok || def.EnumValues.ForName(name) == nil {
			return nil, &valueError{why: "not a value of " + def.Name}
		}
		return value, nil
	case def.Kind == ast.InputObject:
		return c.checkObject(def, value)
	}
	if check := c.scalars[def.Name]; check != nil {
		if err := check(value); err != nil {
			return nil, &valueError{why: err.Error()}
		}
	}
	return checkScalar(def.Name, value)
}

func (c coercion) checkObject(def *ast.Definition, value any) (any, error) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil, cannot(def.Name, "an object", value)
	}
	if def.Directives.ForName("oneOf") != nil {
		if len(object) != 1 {
			return nil, &valueError{why: def.Name + " takes exactly one field"}
		}
		for name, v := range object {
			if v == nil {
				return nil, &valueError{"." + name, "cannot be null"}
			}
		}
	}
	for name, v := range object {
		field := def.Fields.ForName(name)
		if field == nil {
			return nil, &valueError{why: fmt.Sprintf("%s has no field %q", def.Name, name)}
		}
		checked, err := c.checkValue(field.Type, v)
		if err != nil {
			return nil, within("."+name, err)
		}
		object[name] = checked
	}
	return object, nil
}

func checkScalar(name string, value any) (any, error) {
	number, isNumber := value.(json.Number)
	switch name {
	case "Int", "ID":
		if _, isString := value.(string); isString && name == "ID" {
			return value, nil
		}
		if !isNumber {
			if name == "ID" {
				return nil, cannot(name, "a string or an integer", value)
			}
			return nil, cannot(name, "an integer", value)
		}
		if _, err := number.Int64(); err == nil && name == "ID" {
			return value, nil
		}
		f, err := number.Float64()
		if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return nil, &valueError{why: name + " cannot represent a number that is not an integer"}
		}
		if name == "Int" && (f < math.MinInt32 || f > math.MaxInt32) {
			return nil, &valueError{why: "Int cannot represent an integer of more than 32 bits"}
		}
		return json.Number(strconv.FormatInt(int64(f), 10)), nil
	case "Float":
		if !isNumber {
			return nil, cannot(name, "a number", value)
		}
		if _, err := number.Float64(); err != nil {
			return nil, &valueError{why: "Float cannot represent a number of that size"}
		}
	case "String":
		if _, ok := value.(string); !ok {
			return nil, cannot(name, "a string", value)
		}
	case "Boolean":
		if _, ok := value.(bool); !ok {
			return nil, cannot(name, "a boolean", value)
		}
	}
	return value, nil
}
