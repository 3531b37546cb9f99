package graph

import (
	"encoding/json"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// PossibleTypes returns, as a JSON object, the object types that each interface and union of the schema can be, in the schema's
// order: what Apollo Client calls possibleTypes, and needs to match fragments on an interface. The error is about the SDL.
func PossibleTypes() ([]byte, error) {
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphqls", Input: SDL})
	if err != nil {
		return nil, err
	}
	possible := map[string][]string{}
	for name, definition := range schema.Types {
		if !definition.IsAbstractType() || definition.BuiltIn {
			continue
		}
		for _, one := range schema.GetPossibleTypes(definition) {
			if one.Kind == ast.Object {
				possible[name] = append(possible[name], one.Name)
			}
		}
	}
	return json.Marshal(possible)
}
