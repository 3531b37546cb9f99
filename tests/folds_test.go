package tests

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// On every recording the three ways to the same rows meet: every frame live, the whole log, and a small window of the log with
// all that lies before it loaded. Two things the log alone knows: the seq of a turn that was interrupted, and in which order
// what went on side by side was banked. (On generated runs, tests/model and projection show the same of all that is read.)
func TestLiveLogAndWindowAgree(t *testing.T) {
	t.Parallel()
	for _, f := range films(t) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			live := &cutting{film: f, reattaches: true}
			s := live.show(t)
			rows := dial(t, s).subscribe(t, rowChanges().operation(f.id))
			status := dial(t, s).subscribe(t, chat(standing).operation(f.id))
			eventually(t, patience, func() string {
				if last := chat("").latest(t, status); last != f.rests() || live.left() != nil {
					return "its chat is " + last
				}
				return ""
			})
			everyRowOnce(t, allChanges(t, rows, timeline("").read(t, s, f.id)))
			log, window := f.rest().show(t), f.rest().showWith(t, 5)
			window.query(t, timeline("").query(f.id))
			loadAll(t, window, f.id)

			whole := timeline("").read(t, log, f.id)
			sameText(t, whole, timeline("").read(t, window, f.id))
			want := withoutPlace(t, whole)
			assert.NotEmpty(t, want)
			assert.Equal(t, want, withoutPlace(t, timeline("").read(t, s, f.id)))
		})
	}
}

// withoutPlace is a list of rows in the order of their ids, without their seqs.
func withoutPlace(t *testing.T, text string) (all []string) {
	t.Helper()
	rows, err := parseRows(text)
	require.NoError(t, err)
	for _, row := range rows {
		delete(row, "seq")
		all = append(all, fmt.Sprintf("%s %s", row["id"], rowList{row}))
	}
	slices.Sort(all)
	return all
}
