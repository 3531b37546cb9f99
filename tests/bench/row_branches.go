package main

import (
	"fmt"

	"inlaygraph/tests/bench/story"
)

// branches: nodes that work at the same time, each with viewers of its own rows. Sockets cost more apiece where there are more of
// them, so that they are compared with as many viewers of one branch, and the bare broadcast shows what few and many cost.
func branches(b *bench) error {
	const many, goal = 10, 1.3
	s := story.Branches(many, 10, 300)
	watching := func(viewers, branches int) audience {
		branch := func(viewer int) int { return viewer % branches }
		return audience{
			viewers: viewers, story: s, turn: branch, ticks: min(max(2*b.work/b.viewers, 3), maxTicks), // the same for all
			document: func(viewer int) story.Document { return story.RowsAt(story.Branch(branch(viewer))) },
			node:     func(viewer int) string { return story.Branch(branch(viewer)) },
		}
	}
	each := max(b.viewers/many, 1)
	all := many * each
	single := stage{story: s, growing: 1}
	if b.has(bareArm) {
		a := watching(1, 1)
		warm, ticks := b.ticksOf(bareArm, a)
		var err error
		if single.payloads, err = b.record(single, a, warm+ticks); err != nil {
			return err
		}
	}
	type arm struct {
		name, server string
		stage        stage
		audience     audience
	}
	arms := []arm{
		{fmt.Sprintf("ours, %d branches × %d", many, each), ours, stage{story: s, growing: many}, watching(all, many)},
		{fmt.Sprintf("ours, 1 branch × %d", all), ours, single, watching(all, 1)},
		{fmt.Sprintf("ours, 1 branch × %d", each), ours, single, watching(each, 1)},
		{fmt.Sprintf("bare, %d", all), bareArm, single, watching(all, 1)},
		{fmt.Sprintf("bare, %d", each), bareArm, single, watching(each, 1)},
	}
	if !b.has(bareArm) {
		arms = arms[:3]
	}
	byName := map[string]arm{}
	var order []string
	for _, a := range arms {
		byName[a.name] = a
		order = append(order, a.name)
	}
	costs, err := b.rounds(order, func(name string) (cost, error) {
		a := byName[name]
		return b.measure(a.server, a.stage, a.audience, false)
	})
	if err != nil {
		return err
	}
	b.costs(order, costs)
	ten, one, few := costs[order[0]], costs[order[1]], costs[order[2]]
	words := fmt.Sprintf("%.2f× one with only %d", ratio(ten, few), each)
	if b.has(bareArm) {
		words += fmt.Sprintf(" (the bare broadcast: %.2f×)", ratio(costs[order[3]], costs[order[4]]))
	}
	if r := ratio(ten, one); b.judge(
		fmt.Sprintf("%d branches streaming, %d viewers on each branch's rowsAt; each got its own branch's messages only", many, each),
		fmt.Sprintf("within %.1f× of one branch with as many viewers", goal), r <= goal,
		"%s µs a delivery, %.2f× one branch with %d viewers; %s", micros(median(cpus(ten))), r, all, words) {
		return nil
	}
	return b.explain(arms[0].stage, arms[0].audience)
}
