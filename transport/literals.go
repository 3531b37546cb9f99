package transport

import (
	"encoding/json"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// numbers are the values of a document's numbers that stand where a custom scalar is taken, by their own text.
//
// gqlparser reads a literal into an int64 or a float64, so that 1.10 loses its spelling, and panics where a number fits
// neither. A custom scalar shall get a literal as it gets a variable's value: as a json.Number. So literalRule turns such
// a literal into a variable of the operation, which is named by the literal's text: no variable of a client can have that
// name, because names do not begin with a digit or a minus.
type numbers map[string]any

// bytesPerNumber is what one of them takes beside its token, estimated.
const bytesPerNumber = 320

// literalRule fills n with the numbers of a document, and refuses an enum's value inside a custom scalar, which gqlparser
// would take for a string. Rules see a value in the order of their names: this one goes before those that look at
// variables, and before the one that reads the values of whole input objects.
func literalRule(n numbers) validator.Rule {
	return validator.Rule{Name: "CustomScalarLiterals", RuleFunc: func(observers *core.Events, addError core.AddErrFunc) {
		observers.OnValue(func(_ *core.Walker, v *ast.Value) {
			switch {
			case isNumber(v): // of a fragment that was walked before, as a part of another operation
				define(v)
			case v.Definition != nil && v.Definition.Kind == ast.Scalar && !v.Definition.BuiltIn:
				n.lift(v, v.ExpectedType, addError)
			}
		})
	}}
}

// lift turns the numbers in v, which is a literal for a scalar of typ, into variables.
func (n numbers) lift(v *ast.Value, typ *ast.Type, addError core.AddErrFunc) {
	switch v.Kind {
	case ast.IntValue, ast.FloatValue:
		n[v.Raw] = json.Number(v.Raw)
		v.Kind = ast.Variable
		define(v)
	case ast.EnumValue:
		addError(core.Message("Expected value of type %q, found %s.", typ.String(), v.Raw), core.At(v.Position))
	case ast.ListValue, ast.ObjectValue:
		for _, child := range v.Children {
			n.lift(child.Value, typ, addError)
		}
	}
}

// isNumber tells whether a variable stands for a number of the document.
func isNumber(v *ast.Value) bool {
	return v.Kind == ast.Variable && v.Raw != "" && (v.Raw[0] == '-' || '0' <= v.Raw[0] && v.Raw[0] <= '9')
}

// define gives a number a definition of just the type that is taken where it stands.
func define(v *ast.Value) {
	v.VariableDefinition = &ast.VariableDefinition{Variable: v.Raw}
	if v.ExpectedType != nil {
		typ := *v.ExpectedType
		typ.NonNull = true
		v.VariableDefinition.Type = &typ
	}
}
