package projection

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"inlaygraph/wire"
)

// Schemas are a plan's declared JSON Schemas (draft 2020-12), compiled. Immutable; nil checks nothing.
type Schemas struct {
	outputs map[innerKey]*jsonschema.Schema
	tables  map[string]*jsonschema.Schema
}

// innerKey is an output by the key of the subgraph that declares it, "" for the agent.
type innerKey struct{ subgraph, name string }

// NewSchemas compiles what a plan declares. A schema that does not compile is told by an error that names its
// place; what it would check stays unchecked.
func NewSchemas(plan *wire.PlanIndex) (*Schemas, []error) {
	s := &Schemas{outputs: map[innerKey]*jsonschema.Schema{}, tables: map[string]*jsonschema.Schema{}}
	var bad []error
	for i, o := range plan.Plan().Outputs {
		if schema, err := compile(o.Schema); err != nil {
			bad = append(bad, fmt.Errorf("outputs[%d].schema (%s): %w", i, o.Name, err))
		} else if schema != nil {
			s.outputs[innerKey{PathKey(o.SubgraphPath), o.Name}] = schema
		}
	}
	for i, t := range plan.Plan().Tables {
		if schema, err := compile(t.Schema); err != nil {
			bad = append(bad, fmt.Errorf("tables[%d].schema (%s): %w", i, t.Name, err))
		} else if schema != nil {
			s.tables[t.Name] = schema
		}
	}
	return s, bad
}

// offline refuses what a schema refers to outside itself: nothing is fetched or read for a plan.
type offline struct{}

func (offline) Load(url string) (any, error) { return nil, errors.New("it refers outside itself") }

func compile(text wire.JSON) (*jsonschema.Schema, error) {
	if text == "" {
		return nil, nil
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(offline{})
	const name = "plan:schema"
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	return c.Compile(name)
}

// output returns what is wrong with an output's value: nil when it is not checked, empty when it is valid. A
// promoted output may be declared where it is made or for the agent.
func (s *Schemas) output(subgraph, name string, promoted bool, v Value) []string {
	if s == nil {
		return nil
	}
	schema := s.outputs[innerKey{subgraph, name}]
	if schema == nil && promoted {
		schema = s.outputs[innerKey{"", name}]
	}
	return violations(schema, v)
}

// table is output for a row of a table.
func (s *Schemas) table(name string, v Value) []string {
	if s == nil {
		return nil
	}
	return violations(s.tables[name], v)
}

// maxViolations bounds what is told of one value.
const maxViolations = 20

func violations(schema *jsonschema.Schema, v Value) []string {
	if schema == nil {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(v.AppendJSON(nil))))
	if err != nil {
		return []string{"the value can't be read"}
	}
	err = schema.Validate(value)
	if err == nil {
		return []string{}
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []string{err.Error()}
	}
	return leaves(nil, invalid)
}

var english = message.NewPrinter(language.English)

// leaves lists the innermost causes, each with the place in the value.
func leaves(out []string, e *jsonschema.ValidationError) []string {
	if len(e.Causes) == 0 && len(out) < maxViolations {
		at := "/" + strings.Join(e.InstanceLocation, "/")
		return append(out, at+": "+e.ErrorKind.LocalizedString(english))
	}
	for _, cause := range e.Causes {
		out = leaves(out, cause)
	}
	return out
}
