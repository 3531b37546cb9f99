package encoded_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// The types whose selections are generated: the fields that hold a value, and the fields that hold an object.
var (
	rowFields = []string{"type", "id", "seq", "nodeId", "subgraphPath", "path", "activation", "iteration", "at"}
	leaves    = map[string][]string{
		"Row":           rowFields,
		"FeedRow":       nil,
		"UserRow":       append([]string{"content"}, rowFields...),
		"AssistantRow":  append([]string{"content", "reasoning", "complete"}, rowFields...),
		"OutputRow":     append([]string{"name", "value", "status", "format", "complete", "schemaErrors"}, rowFields...),
		"ToolCallRow":   append([]string{"toolCallId", "toolName", "input", "requiresClientResponse"}, rowFields...),
		"ToolResultRow": append([]string{"toolCallId", "output"}, rowFields...),
		"PathView":      {"path", "nodeId", "name", "status", "exitedVia", "visitCount", "hasEarlier"},
		"NodeView": {
			"path", "nodeId", "name", "status", "exitedVia", "visitCount", "hasEarlier", "kind", "active", "done", "failed", "content",
			"reasoning", "startedAt", "finishedAt",
		},
		"Branch":      {"port", "to", "flag"},
		"PublicError": {"kind", "message"},
		"TokenUsage":  {"promptTokens", "completionTokens", "reasoningTokens"},
	}
	objects = map[string]map[string]string{
		"NodeView": {"error": "PublicError", "usage": "TokenUsage", "rows": "Row", "branches": "Branch"},
	}
	rowTypes = []string{"UserRow", "AssistantRow", "OutputRow", "ToolCallRow", "ToolResultRow"}
	// said are fields of one type, which may go by one name on rows of different types.
	said = map[string]string{
		"UserRow": "content", "AssistantRow": "content", "OutputRow": "name", "ToolCallRow": "input", "ToolResultRow": "output",
	}
)

// possible are the types of objects that a type stands for.
func possible(on string) []string {
	switch on {
	case "Row", "FeedRow":
		return rowTypes
	case "PathView":
		return []string{"NodeView"}
	}
	return []string{on}
}

// conditions are the types that a fragment within a selection on a type may be on.
func conditions(on string) (out []string) {
	for name := range leaves {
		if slices.ContainsFunc(possible(on), func(object string) bool { return slices.Contains(possible(name), object) }) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// document is one that is being generated. It is always valid.
type document struct {
	t         *rapid.T
	variables map[string]any
	fragments []string
	on        map[string][]string // the fragments that are written, by their type
	names     int                 // of fragments so far
	swapped   map[string]string   // the name of each field, where all go by the name of another
}

func newDocument(t *rapid.T) *document {
	d := &document{t: t, variables: map[string]any{}, on: map[string][]string{}}
	if d.chance("swapped names", 20) {
		fields := map[string]string{}
		for _, type_ := range slices.Sorted(maps.Keys(leaves)) {
			for _, name := range leaves[type_] {
				fields[name] = ""
			}
			for name := range objects[type_] {
				fields[name] = ""
			}
		}
		all := slices.Sorted(maps.Keys(fields))
		d.swapped = map[string]string{}
		by := d.number("rotation", 1, len(all)-1)
		for i, name := range all {
			d.swapped[name] = all[(i+by)%len(all)]
		}
	}
	return d
}

func (d *document) number(label string, low, high int) int {
	return rapid.IntRange(low, high).Draw(d.t, label)
}

func (d *document) chance(label string, percent int) bool { return d.number(label, 0, 99) < percent }

func (d *document) pick(label string, from []string) string {
	return rapid.SampledFrom(from).Draw(d.t, label)
}

// text is the document with one operation.
func (d *document) text(operation, selection string) string {
	var head []string
	for _, name := range slices.Sorted(maps.Keys(d.variables)) {
		head = append(head, "$"+name+": Boolean!")
	}
	if len(head) > 0 {
		operation += "(" + strings.Join(head, ", ") + ")"
	}
	return operation + " " + selection + "\n" + strings.Join(d.fragments, "\n")
}

func (d *document) selection(on string, depth int) string {
	items := []string{}
	for range d.number("items", 1, 5) {
		items = append(items, d.item(on, depth))
	}
	return " { " + strings.Join(items, " ") + " }"
}

func (d *document) item(on string, depth int) string {
	dice := d.number("item", 0, 9)
	switch {
	case dice <= 1 && depth < 4:
		condition := d.pick("condition", append(conditions(on), "", ""))
		if condition == "" {
			return "..." + d.directives() + d.selection(on, depth+1)
		}
		return "... on " + condition + d.directives() + d.selection(condition, depth+1)
	case dice == 2 && depth < 4:
		return "..." + d.fragment(on, depth) + d.directives()
	case dice == 3 || len(leaves[on]) == 0:
		return d.named("__typename") + d.directives()
	case dice <= 5 && len(objects[on]) > 0:
		name := d.pick("object", slices.Sorted(maps.Keys(objects[on])))
		return d.named(name) + d.directives() + d.selection(objects[on][name], depth+1)
	case dice == 6 && said[on] != "":
		return "said: " + said[on] + d.directives()
	}
	return d.named(d.pick("field", leaves[on])) + d.directives()
}

// named is a field, by its own name or by another that no other field goes by.
func (d *document) named(field string) string {
	if d.swapped[field] != "" {
		return d.swapped[field] + ": " + field
	}
	if d.chance("alias", 30) {
		return fmt.Sprintf("_%s%d: %s", field, d.number("alias", 1, 2), field)
	}
	return field
}

// fragment is the name of one that is written, or of a new one.
func (d *document) fragment(on string, depth int) string {
	type_ := d.pick("type", conditions(on))
	if known := d.on[type_]; len(known) > 0 && d.chance("again", 50) {
		return d.pick("fragment", known)
	}
	body := d.selection(type_, depth+1)
	d.names++
	name := fmt.Sprint("F", d.names)
	d.fragments = append(d.fragments, "fragment "+name+" on "+type_+body)
	d.on[type_] = append(d.on[type_], name)
	return name
}

func (d *document) directives() (out string) {
	for _, name := range rapid.Permutation([]string{"skip", "include"}).Draw(d.t, "order") {
		if !d.chance(name, 10) {
			continue
		}
		condition := d.pick("condition", []string{"true", "false", "$a", "$b", "$c"})
		if variable, ok := strings.CutPrefix(condition, "$"); ok {
			if _, known := d.variables[variable]; !known {
				d.variables[variable] = rapid.Bool().Draw(d.t, variable)
			}
		}
		out += " @" + name + "(if: " + condition + ")"
	}
	return out
}
