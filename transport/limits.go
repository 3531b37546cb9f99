package transport

import (
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"

	"inlaygraph/coded"
)

// maxNameBytes bounds a name, because validation quotes names and compares them with the schema's letter by letter.
const maxNameBytes = 256

// countTokens reads src token by token, without building anything, until it ends, cannot be read, or is over max. It
// returns the number of tokens, and an error only for the last: what cannot be read is left to the parser, whose message
// is the better one.
func countTokens(src *ast.Source, max int) (int, *gqlerror.Error) {
	lex := lexer.New(src)
	for n := 0; ; n++ {
		tok, err := lex.ReadToken()
		if err != nil || tok.Kind == lexer.EOF {
			return n, nil
		}
		if n == max {
			return n, overLimit(&tok.Pos, "the document has more than %d tokens", max)
		}
		if tok.Kind == lexer.Name && len(tok.Value) > maxNameBytes {
			return n, overLimit(&tok.Pos, "a name is longer than %d bytes", maxNameBytes)
		}
	}
}

func overLimit(pos *ast.Position, format string, args ...any) *gqlerror.Error {
	return withCode(at(pos), coded.BadUserInput, fmt.Sprintf(format, args...))
}

func at(pos *ast.Position) *gqlerror.Error {
	err := &gqlerror.Error{}
	if pos != nil {
		err.Locations = []gqlerror.Location{{Line: pos.Line, Column: pos.Column}}
	}
	return err
}

// weight is what a selection set holds once its fragments are expanded.
type weight struct {
	fields int // saturates just above the limit
	parts  int // fields, inline fragments and spreads, those of what is not there too; saturates just above its limit
	depth  int // selection sets within one another
	intro  int // the same, for a set that stands inside __schema or __type
}

// partsPerField is how many selections there may be for each of MaxExpandedFields: fragments that hold no field, only one
// another, would have the expansion walked for nothing.
const partsPerField = 4

// limitPass is the pass of promise 1. Its first part looks at every node once, with each fragment's weight computed
// once; its second part walks the expansion, which the first has bounded by MaxExpandedFields.
type limitPass struct {
	opts      *Options
	fragments map[string]*ast.FragmentDefinition
	weights   map[string]weight
	entered   map[string]bool // fragments whose weight is being computed
	reached   map[string]bool

	work       int // selections looked at, for tests
	directives int
	aliases    map[string]int // by field name
	cyclic     bool
	err        *gqlerror.Error
}

// checkLimits refuses a document that would cost too much to validate or to run. cyclic reports that a fragment spreads
// itself: such a document is bounded here as if the spread were empty, and validation must refuse it.
func checkLimits(opts *Options, doc *ast.QueryDocument) (cyclic bool, err *gqlerror.Error) {
	p := passLimits(opts, doc)
	return p.cyclic, p.err
}

func passLimits(opts *Options, doc *ast.QueryDocument) *limitPass {
	p := &limitPass{
		opts:      opts,
		fragments: make(map[string]*ast.FragmentDefinition, len(doc.Fragments)),
		weights:   make(map[string]weight, len(doc.Fragments)),
		entered:   map[string]bool{},
		reached:   map[string]bool{},
		aliases:   map[string]int{},
	}
	for _, f := range doc.Fragments {
		if _, ok := p.fragments[f.Name]; !ok {
			p.fragments[f.Name] = f
		}
	}
	total := weight{}
	for _, op := range doc.Operations {
		p.countDirectives(op.Directives)
		for _, v := range op.VariableDefinitions {
			p.countDirectives(v.Directives)
		}
		total = p.addRoot(total, op.Position, p.weigh(op.SelectionSet, 0))
	}
	// A fragment that nobody spreads is refused by validation, which walks it all the same.
	for _, f := range doc.Fragments {
		if !p.reached[f.Name] || p.fragments[f.Name] != f {
			p.reached[f.Name] = true
			total = p.addRoot(total, f.Position, p.weighFragment(f))
		}
	}
	if p.err == nil && !p.cyclic {
		for _, op := range doc.Operations {
			p.countNames(op.SelectionSet)
		}
		for _, f := range doc.Fragments {
			p.countNames(f.SelectionSet)
		}
	}
	return p
}

func (p *limitPass) refuse(err *gqlerror.Error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *limitPass) addRoot(total weight, pos *ast.Position, w weight) weight {
	p.grow(&total, w)
	if total.fields > p.opts.MaxExpandedFields {
		p.refuse(overLimit(pos, "the document has more than %d fields after expanding its fragments", p.opts.MaxExpandedFields))
	}
	if most := p.opts.MaxExpandedFields * partsPerField; total.parts > most {
		p.refuse(overLimit(pos, "the document has more than %d fields and fragments after expanding its fragments", most))
	}
	if w.depth > p.opts.MaxDepth {
		p.refuse(overLimit(pos, "selection sets are nested more than %d deep", p.opts.MaxDepth))
	}
	return total
}

// grow adds what inner holds to w.
func (p *limitPass) grow(w *weight, inner weight) {
	w.fields = min(w.fields+inner.fields, p.opts.MaxExpandedFields+1)
	w.parts = min(w.parts+inner.parts, p.opts.MaxExpandedFields*partsPerField+1)
}

// weigh returns the weight of set. level is the nesting that the document itself writes here, which bounds the recursion.
func (p *limitPass) weigh(set ast.SelectionSet, level int) weight {
	var w weight
	if p.err != nil || len(set) == 0 {
		return w
	}
	if level >= p.opts.MaxDepth {
		p.refuse(overLimit(set[0].GetPosition(), "selection sets are nested more than %d deep", p.opts.MaxDepth))
		return w
	}
	for _, sel := range set {
		p.work++
		var inner weight
		switch sel := sel.(type) {
		case *ast.Field:
			p.countDirectives(sel.Directives)
			if sel.Alias != sel.Name {
				p.countAlias(sel)
			}
			inner = p.weigh(sel.SelectionSet, level+1)
			p.grow(&inner, weight{fields: 1})
			inner.intro++
			if (sel.Name == "__schema" || sel.Name == "__type") && inner.intro > p.opts.MaxIntrospectionDepth {
				p.refuse(overLimit(sel.Position, "introspection is nested more than %d deep", p.opts.MaxIntrospectionDepth))
			}
		case *ast.InlineFragment:
			p.countDirectives(sel.Directives)
			inner = p.weigh(sel.SelectionSet, level+1)
		case *ast.FragmentSpread:
			p.countDirectives(sel.Directives)
			if f := p.fragments[sel.Name]; f != nil {
				p.reached[sel.Name] = true
				inner = p.weighFragment(f)
			}
		}
		p.grow(&inner, weight{parts: 1})
		p.grow(&w, inner)
		w.depth = max(w.depth, inner.depth)
		w.intro = max(w.intro, inner.intro)
	}
	w.depth++
	return w
}

func (p *limitPass) weighFragment(f *ast.FragmentDefinition) weight {
	named := p.fragments[f.Name] == f
	if named {
		if w, ok := p.weights[f.Name]; ok {
			return w
		}
		if p.entered[f.Name] {
			p.cyclic = true
			return weight{}
		}
		// A chain of fragments recurses as deep as it is long, so it is bounded like any nesting.
		if len(p.entered) >= p.opts.MaxDepth {
			p.refuse(overLimit(f.Position, "fragments are nested more than %d deep", p.opts.MaxDepth))
			return weight{}
		}
		p.entered[f.Name] = true
		defer delete(p.entered, f.Name)
	}
	p.countDirectives(f.Directives)
	w := p.weigh(f.SelectionSet, 0)
	if named {
		p.weights[f.Name] = w
	}
	return w
}

func (p *limitPass) countDirectives(list ast.DirectiveList) {
	for _, d := range list {
		p.directives++
		if p.directives > p.opts.MaxDirectives {
			p.refuse(overLimit(d.Position, "the document has more than %d directives", p.opts.MaxDirectives))
			return
		}
	}
}

func (p *limitPass) countAlias(f *ast.Field) {
	p.aliases[f.Name]++
	if p.aliases[f.Name] > p.opts.MaxAliasesPerField {
		p.refuse(overLimit(f.Position, "the field %q has more than %d aliases", f.Name, p.opts.MaxAliasesPerField))
	}
}

// countNames refuses a selection set in which one response name stands for too many fields, its inline fragments and
// spreads included: the rule that compares such fields pairwise is quadratic in their number.
func (p *limitPass) countNames(set ast.SelectionSet) {
	if p.err != nil || len(set) == 0 {
		return
	}
	names := make(map[string]int, len(set))
	p.countInto(names, set)
	p.eachChild(set, p.countNames)
}

func (p *limitPass) countInto(names map[string]int, set ast.SelectionSet) {
	for _, sel := range set {
		if p.err != nil {
			return
		}
		p.work++
		switch sel := sel.(type) {
		case *ast.Field:
			names[sel.Alias]++
			if names[sel.Alias] > p.opts.MaxFieldsPerResponseName {
				p.refuse(overLimit(sel.Position, "the response name %q stands for more than %d fields in one selection set", sel.Alias, p.opts.MaxFieldsPerResponseName))
			}
		case *ast.InlineFragment:
			p.countInto(names, sel.SelectionSet)
		case *ast.FragmentSpread:
			if f := p.fragments[sel.Name]; f != nil {
				p.countInto(names, f.SelectionSet)
			}
		}
	}
}

// eachChild calls visit with the selection sets of the fields that set writes itself; a spread fragment's are visited
// with the fragment.
func (p *limitPass) eachChild(set ast.SelectionSet, visit func(ast.SelectionSet)) {
	for _, sel := range set {
		p.work++
		switch sel := sel.(type) {
		case *ast.Field:
			visit(sel.SelectionSet)
		case *ast.InlineFragment:
			p.eachChild(sel.SelectionSet, visit)
		}
	}
}
