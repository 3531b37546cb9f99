package demo

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"inlaygraph/wire"
)

// What a token costs, in micro-USD.
const (
	promptPrice     = 3
	completionPrice = 15
)

// maxUses bounds what an account remembers one by one.
const maxUses = 10_000

// use is something that was used.
type use struct {
	at           time.Time
	agent, label string
	runs         int64
	tokens       wire.Usage
}

func (u use) cost() int64 {
	return u.tokens.PromptTokens*promptPrice + (u.tokens.CompletionTokens+u.tokens.ReasoningTokens)*completionPrice
}

func (u *use) add(o use) {
	u.runs += o.runs
	u.tokens.PromptTokens += o.tokens.PromptTokens
	u.tokens.CompletionTokens += o.tokens.CompletionTokens
	u.tokens.ReasoningTokens += o.tokens.ReasoningTokens
}

// squeeze adds the oldest uses to later ones of the same agent when there are too many.
func (a *account) squeeze() {
	if len(a.uses) <= maxUses {
		return
	}
	later := map[string]int{}
	kept := a.uses[:0:0]
	for i, u := range slices.Backward(a.uses) {
		at, ok := later[u.agent]
		if i < maxUses/2 && ok {
			kept[at].add(u)
			continue
		}
		later[u.agent] = len(kept)
		kept = append(kept, u)
	}
	slices.Reverse(kept)
	a.uses = kept
}

// usage is what was used in some time.
type usage struct {
	cost   int64
	runs   int64
	tokens wire.Usage
	lines  []usageLine // by agent, the most expensive first; their costs add up
}

type usageLine struct {
	Key      string `json:"key"`
	Label    string `json:"label"`
	Used     int64  `json:"used_micro_usd"`
	Quantity int64  `json:"quantity"`
	Unit     string `json:"unit"`
}

func sum(uses []use, in period) usage {
	var all use
	byAgent := map[string]usageLine{}
	for _, u := range uses {
		if !in.has(u.at) {
			continue
		}
		all.add(u)
		line := byAgent[u.agent]
		line.Key, line.Label, line.Unit = u.agent, u.label, "tokens"
		line.Used += u.cost()
		line.Quantity += u.tokens.PromptTokens + u.tokens.CompletionTokens + u.tokens.ReasoningTokens
		byAgent[u.agent] = line
	}
	lines := slices.SortedFunc(maps.Values(byAgent), func(a, b usageLine) int {
		return cmp.Or(cmp.Compare(b.Used, a.Used), cmp.Compare(a.Key, b.Key))
	})
	return usage{cost: all.cost(), runs: all.runs, tokens: all.tokens, lines: append([]usageLine{}, lines...)}
}
