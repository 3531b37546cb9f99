package transport

import (
	"errors"
	"strings"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"inlaygraph/coded"
)

// stage is where a document was refused (promise 1).
type stage string

const (
	stageInput      stage = "input" // before the document: how much JSON there is beside it
	stageTokens     stage = "tokens"
	stageParse      stage = "parse"
	stageLimits     stage = "limits"
	stageValidation stage = "validation"
	stageCoercion   stage = "coercion" // operation, variables, and what extensions refuse
)

// refusal is why an operation was not started. It is an answer, not a Go error: the errors in it are presented already.
type refusal struct {
	stage stage
	errs  gqlerror.List
}

func refuse(s stage, errs ...*gqlerror.Error) *refusal { return &refusal{stage: s, errs: errs} }

// document is a parsed and validated document. It is shared by everyone who sends the same text, and what was read is never
// changed.
type document struct {
	text    string
	query   *ast.QueryDocument
	numbers numbers // to be among the variables of its operations
	bytes   int     // estimated

	mu    sync.Mutex
	known map[*ast.OperationDefinition]*normalised
}

// normalised spells an operation of the document, the first time that it is asked for.
func (d *document) normalised(def *ast.OperationDefinition, root *ast.Field, isChanges bool) *normalised {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.known[def]
	if n == nil {
		n = normalise(def, root, isChanges)
		if d.known == nil {
			d.known = map[*ast.OperationDefinition]*normalised{}
		}
		d.known[def] = n
	}
	return n
}

// What a node of the tree takes beside the text, from heap measurements of parsed documents: a token is a field or an
// argument more often than a brace.
const (
	bytesPerDocument = 1_024
	bytesPerToken    = 160
)

// documents takes the text of a document through the stages before coercion.
type documents struct {
	opts   *Options
	schema *ast.Schema
	cycles *rules.Rules
	cache  *documentCache
}

func newDocuments(schema *ast.Schema, opts *Options) *documents {
	return &documents{
		opts:   opts,
		schema: schema,
		cycles: rules.NewRules(rules.NoFragmentCyclesRule),
		cache:  newDocumentCache(opts.DocumentCacheBytes),
	}
}

// newRules are the rules for one document, whose numbers go into n.
func newRules(suggest bool, n numbers) *rules.Rules {
	all := rules.NewDefaultRules()
	literals := literalRule(n)
	all.AddRule(literals.Name, literals.RuleFunc)
	all.ReplaceRule(mergeRule.Name, mergeRule.RuleFunc)
	if suggest {
		return all
	}
	for with, without := range map[string]validator.Rule{
		rules.FieldsOnCorrectTypeRule.Name: rules.FieldsOnCorrectTypeRuleWithoutSuggestions,
		rules.KnownArgumentNamesRule.Name:  rules.KnownArgumentNamesRuleWithoutSuggestions,
		rules.KnownTypeNamesRule.Name:      rules.KnownTypeNamesRuleWithoutSuggestions,
		rules.ScalarLeafsRule.Name:         rules.ScalarLeafsRuleWithoutSuggestions,
		rules.ValuesOfCorrectTypeRule.Name: rules.ValuesOfCorrectTypeRuleWithoutSuggestions,
	} {
		all.RemoveRule(with)
		all.AddRule(without.Name, without.RuleFunc)
	}
	return all
}

// load returns the validated document of text, or the refusal of the first stage that it does not pass.
func (d *documents) load(text string) (*document, *refusal) {
	if doc := d.cache.get(text); doc != nil {
		return doc, nil
	}
	src := &ast.Source{Input: text}
	tokens, tooMany := countTokens(src, d.opts.MaxTokens)
	if tooMany != nil {
		return nil, refuse(stageTokens, tooMany)
	}
	query, err := parser.ParseQuery(src)
	if err != nil {
		parseErr, ok := errors.AsType[*gqlerror.Error](err)
		if !ok {
			parseErr = gqlerror.Wrap(err)
		}
		return nil, refuse(stageParse, withCode(parseErr, coded.ParseFailed, shorten(parseErr.Message)))
	}
	if len(query.Operations)+len(query.Fragments) == 0 { // the grammar asks for a definition, gqlparser does not
		return nil, refuse(stageParse, errorList(coded.ParseFailed, "the document is empty")...)
	}
	cyclic, limitErr := checkLimits(d.opts, query)
	if limitErr != nil {
		return nil, refuse(stageLimits, limitErr)
	}
	numbers := numbers{}
	if errs := d.validate(query, len(text), cyclic, numbers); len(errs) > 0 {
		return nil, refuse(stageValidation, errs...)
	}
	bytes := bytesPerDocument + tokens*bytesPerToken + len(numbers)*bytesPerNumber + len(text)
	doc := &document{text: text, query: query, numbers: numbers, bytes: bytes}
	d.cache.add(doc)
	return doc, nil
}

// maxValidationErrors bounds the answer to a document that is wrong in very many places.
const maxValidationErrors = 100

// maxSuggestBytes is the longest document that gets suggestions: finding them takes the length of each wrong word times
// that of every name of its type.
const maxSuggestBytes = 16 << 10

func (d *documents) validate(query *ast.QueryDocument, size int, cyclic bool, n numbers) gqlerror.List {
	if len(query.Operations) == 0 {
		return errorList(coded.ValidationFailed, "the document has no operation")
	}
	// The other rules are not linear in a document whose fragments spread themselves, and have nothing to add.
	which := d.cycles
	if !cyclic {
		which = newRules(!d.opts.DisableIntrospection && size <= maxSuggestBytes, n)
	}
	errs := validator.ValidateWithRules(d.schema, query, which)
	if len(errs) == 0 {
		errs = d.checkOwnRules(query)
	}
	if len(errs) > maxValidationErrors {
		errs = append(errs[:maxValidationErrors:maxValidationErrors],
			gqlerror.Errorf("there are more errors in the document; these are the first %d", maxValidationErrors))
	}
	for _, err := range errs {
		withCode(err, coded.ValidationFailed, shorten(err.Message))
	}
	return errs
}

// maxMessageBytes bounds a message, because it quotes the client's own literals.
const maxMessageBytes = 1_000

func shorten(message string) string {
	if len(message) <= maxMessageBytes {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessageBytes], "") + "…"
}

// checkOwnRules holds what gqlparser's rules let through and the executor cannot do.
func (d *documents) checkOwnRules(query *ast.QueryDocument) gqlerror.List {
	var errs gqlerror.List
	refuse := func(pos *ast.Position, message string) {
		err := at(pos)
		err.Message = message
		errs = append(errs, err)
	}
	// Incremental delivery is part of neither protocol that is served here, so @defer is no known directive.
	var visit func(ast.SelectionSet)
	visit = func(set ast.SelectionSet) {
		for _, sel := range set {
			var directives ast.DirectiveList
			switch sel := sel.(type) {
			case *ast.Field:
				if d.opts.DisableIntrospection && (sel.Name == "__schema" || sel.Name == "__type") {
					refuse(sel.Position, "introspection is off")
				}
				visit(sel.SelectionSet)
			case *ast.InlineFragment:
				directives = sel.Directives
				visit(sel.SelectionSet)
			case *ast.FragmentSpread:
				directives = sel.Directives
			}
			if directives.ForName("defer") != nil {
				refuse(sel.GetPosition(), `Unknown directive "@defer".`)
			}
		}
	}
	for _, op := range query.Operations {
		visit(op.SelectionSet)
		if op.Operation == ast.Subscription {
			d.checkSubscriptionRoot(op, refuse)
		}
	}
	for _, f := range query.Fragments {
		visit(f.SelectionSet)
	}
	return errs
}

// checkSubscriptionRoot refuses a subscription whose root has two response names, or a root field that may be left out:
// gqlparser counts field names, and the executor finds out only when it runs.
func (d *documents) checkSubscriptionRoot(op *ast.OperationDefinition, refuse func(*ast.Position, string)) {
	name := ""
	var visit func(ast.SelectionSet)
	visit = func(set ast.SelectionSet) {
		for _, sel := range set {
			var directives ast.DirectiveList
			switch sel := sel.(type) {
			case *ast.Field:
				directives = sel.Directives
				if name != "" && sel.Alias != name {
					refuse(sel.Position, "a subscription must select one top level field, under one name")
				}
				name = sel.Alias
			case *ast.InlineFragment:
				directives = sel.Directives
				visit(sel.SelectionSet)
			case *ast.FragmentSpread:
				directives = sel.Directives
				visit(sel.Definition.SelectionSet)
			}
			if directives.ForName("skip") != nil || directives.ForName("include") != nil {
				refuse(sel.GetPosition(), "@skip and @include cannot be used at the top level of a subscription")
			}
		}
	}
	visit(op.SelectionSet)
}

// subscriptionField is the one root field of a validated subscription.
func subscriptionField(set ast.SelectionSet) *ast.Field {
	switch sel := set[0].(type) {
	case *ast.InlineFragment:
		return subscriptionField(sel.SelectionSet)
	case *ast.FragmentSpread:
		return subscriptionField(sel.Definition.SelectionSet)
	default:
		return sel.(*ast.Field)
	}
}
