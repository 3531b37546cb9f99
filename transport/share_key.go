package transport

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// groupKey names those who share an execution.
type groupKey struct {
	seat any
	text [sha256.Size]byte // of the operation and its variables
}

// normalised is an operation without what makes no difference: layout, comments, other operations, the order of
// definitions, and for changes the position to go on from.
type normalised struct {
	sum       [sha256.Size]byte
	variables []string // that it uses, in order
}

// normalise spells an operation of a validated document, each fragment once.
func normalise(def *ast.OperationDefinition, root *ast.Field, isChanges bool) *normalised {
	n := &normaliser{hash: sha256.New(), fragments: map[string]bool{}, variables: map[string]bool{}}
	if isChanges {
		n.changes = root
	}
	n.word("operation", def.Name)
	n.directives(def.Directives)
	n.selections(def.SelectionSet)
	for i := 0; i < len(n.queue); i++ { // fragments name others
		f := n.queue[i]
		n.word("define", f.Name, f.TypeCondition)
		n.directives(f.Directives)
		n.selections(f.SelectionSet)
	}
	// Definitions come last, because only those are spelled that are in use by now.
	byName := func(a, b *ast.VariableDefinition) int { return strings.Compare(a.Variable, b.Variable) }
	for _, v := range slices.SortedFunc(slices.Values(def.VariableDefinitions), byName) {
		if n.variables[v.Variable] {
			n.word("variable", v.Variable, v.Type.String())
			n.directives(v.Directives)
		}
	}
	out := &normalised{variables: slices.Sorted(maps.Keys(n.variables))}
	n.hash.Sum(out.sum[:0])
	return out
}

// normaliser writes every word with its length, so that no two operations are spelled alike.
type normaliser struct {
	hash      hash.Hash
	changes   *ast.Field // whose position is left out
	fragments map[string]bool
	queue     []*ast.FragmentDefinition
	variables map[string]bool
}

func (n *normaliser) word(words ...string) {
	for _, w := range words {
		var size [4]byte
		binary.BigEndian.PutUint32(size[:], uint32(len(w)))
		n.hash.Write(size[:])
		n.hash.Write([]byte(w))
	}
}

func (n *normaliser) selections(set ast.SelectionSet) {
	n.word("{")
	for _, sel := range set {
		switch sel := sel.(type) {
		case *ast.Field:
			n.word("field", sel.Alias, sel.Name)
			for _, arg := range sel.Arguments {
				if sel == n.changes && arg.Name == positionArgument {
					continue
				}
				n.word("argument", arg.Name)
				n.value(arg.Value)
			}
			n.directives(sel.Directives)
			n.selections(sel.SelectionSet)
		case *ast.InlineFragment:
			n.word("inline", sel.TypeCondition)
			n.directives(sel.Directives)
			n.selections(sel.SelectionSet)
		case *ast.FragmentSpread:
			n.word("spread", sel.Name)
			n.directives(sel.Directives)
			if !n.fragments[sel.Name] {
				n.fragments[sel.Name] = true
				n.queue = append(n.queue, sel.Definition)
			}
		}
	}
	n.word("}")
}

func (n *normaliser) directives(list ast.DirectiveList) {
	for _, d := range list {
		n.word("directive", d.Name)
		for _, arg := range d.Arguments {
			n.word("argument", arg.Name)
			n.value(arg.Value)
		}
		n.word("end")
	}
}

func (n *normaliser) value(v *ast.Value) {
	switch v.Kind {
	case ast.Variable:
		if !isNumber(v) {
			n.variables[v.Raw] = true
		}
		n.word("$", v.Raw)
	case ast.ListValue, ast.ObjectValue:
		n.word("[")
		for _, child := range v.Children {
			n.word("item", child.Name)
			n.value(child.Value)
		}
		n.word("]")
	case ast.StringValue, ast.BlockValue:
		n.word("string", v.Raw)
	default:
		n.word("literal", v.Raw)
	}
}

// groupKeyOf is the key of an operation for a seat. ok is false for variables that have no JSON form.
func groupKeyOf(seat any, op *operation, isChanges bool) (key groupKey, ok bool) {
	n := op.doc.normalised(op.opCtx.Operation, op.root, isChanges)
	h := sha256.New()
	h.Write(n.sum[:])
	for _, name := range n.variables {
		value, given := op.opCtx.Variables[name]
		if !given {
			continue
		}
		text, err := json.Marshal(map[string]any{name: value}) // with the names inside in order
		if err != nil {
			return key, false
		}
		h.Write(text)
	}
	key.seat = seat
	h.Sum(key.text[:0])
	return key, true
}
