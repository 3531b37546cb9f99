package tests

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

// oddities are the ways in which an event stream may be spelled, or repeat itself, and say the same. (docs/wire.md, "Live
// frames"; the HTML standard, "Server-sent events")
var oddities = map[string]func(f *film) *cutting{
	"lines end with CRLF": spelt(func(event string) string { return strings.ReplaceAll(event, "\n", "\r\n") }),
	"lines end with CR":   spelt(func(event string) string { return strings.ReplaceAll(event, "\n", "\r") }),
	"no space after the colons": spelt(func(event string) string {
		return strings.NewReplacer("id: ", "id:", "event: ", "event:", "data: ", "data:").Replace(event)
	}),
	"no ids":                    spelt(func(event string) string { return event[strings.Index(event, "\n")+1:] }),
	"no names":                  spelt(func(event string) string { return without(event, "event: ") }),
	"the data first":            spelt(func(event string) string { return dataOf(event) + without(event, "data: ") }),
	"data of two lines":         spelt(func(event string) string { return strings.Replace(event, ",", ",\ndata: ", 1) }),
	"fields that nobody knows":  spelt(func(event string) string { return "retry: 1\nfoo\nfoo: bar\n" + event }),
	"comments":                  spelt(func(event string) string { return ": keep\n\n" + strings.ReplaceAll(event, "\n", "\n:\n") }),
	"blocks without data":       spelt(func(event string) string { return "event: ping\n\ndata:\n\n" + event + "\n\n" }),
	"a control line with an id": spelt(func(event string) string { return "id: 9007199254740991\n\nid: 1\n: control\n\n" + event }),
	"every id twice":            spelt(func(event string) string { return event + event }),
	"a byte-order mark": func(f *film) *cutting {
		return &cutting{film: f, reattaches: true, begins: "\ufeff"}
	},
	"byte by byte": func(f *film) *cutting {
		return &cutting{film: f, reattaches: true, slowly: true}
	},
	"no blank line at the end": func(f *film) *cutting {
		return &cutting{film: f, reattaches: true, spell: func(frame *wire.Frame) string {
			if endsARun(frame) {
				return strings.TrimSuffix(eventText(frame), "\n")
			}
			return eventText(frame)
		}}
	},
	"no line end at the end": func(f *film) *cutting {
		return &cutting{film: f, reattaches: true, spell: func(frame *wire.Frame) string {
			if endsARun(frame) {
				return strings.TrimSuffix(eventText(frame), "\n\n")
			}
			return eventText(frame)
		}}
	},
	"ids that go down again": func(f *film) *cutting {
		return &cutting{film: f, reattaches: true, spell: func(frame *wire.Frame) string {
			text := eventText(frame)
			for i := int(frame.Offset) - 2; i >= max(0, int(frame.Offset)-4) && !endsARun(frame); i-- {
				if endsARun(f.frames[i]) { // after which nothing is read
					break
				}
				text += eventText(f.frames[i])
			}
			return text
		}}
	},
}

func spelt(how func(event string) string) func(*film) *cutting {
	return func(f *film) *cutting {
		return &cutting{film: f, reattaches: true, spell: func(frame *wire.Frame) string { return how(eventText(frame)) }}
	}
}

// dataOf is an event's line of data.
func dataOf(event string) string {
	return strings.TrimSuffix(event[strings.Index(event, "data: "):], "\n")
}

// without is an event without the line that begins so.
func without(event, name string) string {
	from := strings.Index(event, name)
	return event[:from] + event[from+strings.Index(event[from:], "\n")+1:]
}

// However an upstream spells its stream, what is read is the same, and whoever replays rowChanges had nothing but values that
// the rows had, in their order, without a reset.
func TestOddStreams(t *testing.T) {
	t.Parallel()
	all := films(t)
	for i, name := range slices.Sorted(maps.Keys(oddities)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, f := range []*film{all[i%len(all)], all[(i+len(all)/2)%len(all)]} {
				plain := &cutting{film: f, reattaches: true}
				want, history := plain.watch(t, f.speaker()), f.history(t)
				c := oddities[name](f)
				got := c.watch(t, f.speaker())
				sameText(t, want.everything, got.everything)
				require.NoError(t, Validate(observed(t, got.changes, history)), f.name)
				assert.Equal(t, plain.streams, c.streams, "nothing was read again")
			}
		})
	}
	assert.GreaterOrEqual(t, len(oddities), 17, fmt.Sprint(len(oddities)))
}
