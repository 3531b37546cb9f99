package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Diff marshals two values and says, one place a line, where they differ as JSON; "" when they do not. Numbers
// are compared by their spelling, strings by their meaning. At most ten lines.
func Diff(want, got any) string {
	w, err := decoded(want)
	if err != nil {
		return "want: " + err.Error()
	}
	g, err := decoded(got)
	if err != nil {
		return "got: " + err.Error()
	}
	var d differ
	d.compare("", w, g)
	return d.out.String()
}

func decoded(v any) (any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var out any
	err = dec.Decode(&out)
	return out, err
}

type differ struct {
	out   bytes.Buffer
	lines int
}

func (d *differ) compare(at string, want, got any) {
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			d.objects(at, w, g)
			return
		}
	case []any:
		if g, ok := got.([]any); ok {
			if len(w) != len(g) {
				d.line(at, fmt.Sprintf("%d items: %s", len(w), short(w)), fmt.Sprintf("%d items: %s", len(g), short(g)))
				return
			}
			for i := range w {
				d.compare(fmt.Sprintf("%s[%d]", at, i), w[i], g[i])
			}
			return
		}
	default: // a string, a number by its spelling, a boolean or null
		if want == got {
			return
		}
	}
	d.line(at, short(want), short(got))
}

func (d *differ) objects(at string, want, got map[string]any) {
	var keys []string
	for k := range want {
		keys = append(keys, k)
	}
	for k := range got {
		if _, both := want[k]; !both {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		w, inWant := want[k]
		g, inGot := got[k]
		if inWant != inGot {
			d.line(at+"."+k, present(inWant, w), present(inGot, g))
			continue
		}
		d.compare(at+"."+k, w, g)
	}
}

func present(there bool, v any) string {
	if !there {
		return "no such member"
	}
	return short(v)
}

func short(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	const most = 1200
	if len(b) > most {
		return string(b[:most]) + "…"
	}
	return string(b)
}

func (d *differ) line(at, want, got string) {
	if d.lines++; d.lines <= 10 {
		fmt.Fprintf(&d.out, "%s\n  want %s\n  got  %s\n", at, want, got)
	}
}
