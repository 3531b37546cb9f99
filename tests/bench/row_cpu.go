package main

import (
	"fmt"

	"inlaygraph/tests/bench/story"
)

// snapshotBytes is the size of a message of 50 rows.
const snapshotBytes = 20_500

// snapshots: everybody follows the same 50 rows by the same document.
func snapshots(b *bench) error {
	for _, viewers := range []int{b.few, b.viewers} {
		a := audience{
			viewers: viewers, story: story.Chat(50, snapshotBytes),
			document: func(int) story.Document { return story.Everything },
		}
		costs, err := b.compare(a, ours, bareArm, bareAgain, stock, yoga)
		if err != nil {
			return err
		}
		work := fmt.Sprintf("snapshots of 50 rows, N = %d", viewers)
		if err := b.judgeRatios(work, costs, a, 1.5, 30, 20); err != nil {
			return err
		}
	}
	return nil
}

// documents: everybody follows the same rows by a document of their own.
func documents(b *bench) error {
	a := audience{viewers: b.few, story: story.Chat(50, snapshotBytes), document: story.Different}
	costs, err := b.compare(a, ours, stock)
	if err != nil {
		return err
	}
	return b.judgeRatios(fmt.Sprintf("%d different documents of 50 rows", b.few), costs, a, 0, 8, 0)
}

// patches: everybody follows the same rows by their changes.
func patches(b *bench) error {
	a := audience{viewers: b.viewers, story: story.Chat(50, snapshotBytes)}
	costs, err := b.compare(a, ours, bareArm, bareAgain, stock, yoga)
	if err != nil {
		return err
	}
	return b.judgeRatios(fmt.Sprintf("patches, N = %d", b.viewers), costs, a, 1.3, 0, 0)
}

// compare measures arms over one audience in turns.
func (b *bench) compare(a audience, arms ...string) (map[string][]cost, error) {
	arms = b.only(arms...)
	st := stage{story: a.story, growing: 1}
	if b.has(bareArm) {
		warm, ticks := b.ticksOf(bareArm, a)
		var err error
		if st.payloads, err = b.record(st, a, warm+ticks); err != nil {
			return nil, err
		}
	}
	costs, err := b.rounds(arms, func(arm string) (cost, error) { return b.measure(arm, st, a, false) })
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(b.out, "%d viewers:\n\n", a.viewers)
	b.costs(arms, costs)
	return costs, nil
}

// judgeRatios judges what the real server needs: at most so many times the bare broadcast, at least so many times less than
// stock gqlgen and yoga. 0 is no goal. Where it misses one, its profile is printed.
func (b *bench) judgeRatios(work string, costs map[string][]cost, a audience, bare, overStock, overYoga float64) error {
	own := costs[ours]
	if len(own) == 0 {
		return nil
	}
	met := true
	if base := mean(costs[bareArm], costs[bareAgain]); len(base) > 0 && bare > 0 {
		r := ratio(own, base)
		met = b.judge(work+", CPU a delivery", fmt.Sprintf("at most %.1f× bare", bare), r <= bare,
			"%s µs, %.2f× bare (noise: %.2f×)", micros(median(cpus(own))), r, ratio(costs[bareAgain], costs[bareArm]))
	}
	for _, other := range []struct {
		arm  string
		goal float64
	}{{stock, overStock}, {yoga, overYoga}} {
		if theirs := costs[other.arm]; len(theirs) > 0 && other.goal > 0 {
			r := ratio(theirs, own)
			met = b.judge(work+" against "+other.arm, fmt.Sprintf("at least %.0f× less", other.goal), r >= other.goal,
				"%s against %s µs, %.1f× less", micros(median(cpus(own))), micros(median(cpus(theirs))), r) && met
		}
	}
	if met {
		return nil
	}
	return b.explain(stage{story: a.story, growing: 1}, a)
}
