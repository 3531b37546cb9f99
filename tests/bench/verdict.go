package main

import (
	"fmt"
	"strings"
	"time"
)

// verdict is what came of a goal.
type verdict struct {
	work, measured, goal string
	met                  bool
}

// judge adds a verdict to the summary, and reports whether the goal was met.
func (b *bench) judge(work, goal string, met bool, format string, args ...any) bool {
	b.verdicts = append(b.verdicts, verdict{work, fmt.Sprintf(format, args...), goal, met})
	return met
}

// summary prints all verdicts.
func (b *bench) summary() {
	if b.name == smoke {
		fmt.Fprintln(b.out, "Everything works. This was too little to judge by.")
		return
	}
	fmt.Fprintf(b.out, "\n## Goals\n\n| work | measured | goal | |\n| --- | --- | --- | --- |\n")
	for _, v := range b.verdicts {
		word := "met"
		if !v.met {
			word = "**missed**"
		}
		fmt.Fprintf(b.out, "| %s | %s | %s | %s |\n", v.work, v.measured, v.goal, word)
	}
}

// table prints a table; the first of lines is its head.
func (b *bench) table(lines ...[]string) {
	for i, cells := range lines {
		fmt.Fprintf(b.out, "| %s |\n", strings.Join(cells, " | "))
		if i == 0 {
			fmt.Fprintln(b.out, strings.Repeat("| --- ", len(cells))+"|")
		}
	}
	fmt.Fprintln(b.out)
}

// costs prints what arms needed for a delivery, and how much more than the bare broadcast.
func (b *bench) costs(arms []string, costs map[string][]cost) {
	lines := [][]string{{"arm", "CPU a delivery", "in rounds", "times bare", "bytes"}}
	base := mean(costs[bareArm], costs[bareAgain])
	for _, arm := range arms {
		own := costs[arm]
		if len(own) == 0 {
			continue
		}
		times := ""
		if len(base) > 0 {
			times = fmt.Sprintf("%.2f", ratio(own, base))
		}
		var each []string
		for _, c := range own {
			each = append(each, micros(c.cpu))
		}
		lines = append(lines, []string{arm, micros(median(cpus(own))) + " µs", strings.Join(each, ", "), times, fmt.Sprint(own[0].bytes)})
	}
	b.table(lines...)
}

func micros(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/float64(time.Microsecond)) }

func millis(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond)) }
