package demo

import (
	"slices"
	"strings"
	"unicode"
)

// words are those that choose a scenario where the first of them stands in a message, beside the scenario's id with and
// without "demo-" and its agent's. README.md lists them.
var words = map[string][]string{
	"demo-chat":      {"sky", "sunset", "sunsets"},
	"demo-fanout":    {"weekend", "trip", "travel", "lisbon", "fan-out"},
	"demo-subagents": {"news", "article", "festival", "festivals", "subagent"},
	"demo-repeats":   {"bakery", "shortlist", "vote", "ensemble"},
	"demo-artifacts": {"recipe", "pancakes", "cook", "artifact"},
	"demo-approval":  {"book", "concert", "seats", "approve", "tool"},
	"demo-failure":   {"ship", "fail", "failed", "deploy", "retry"},
}

// choose finds the tape that answers a message: the one that a word of it names, else the agent's first, else the
// first of all. A version pins the agent: only its tapes are chosen from. Nil: there is no such agent or version.
func choose(tapes []*tape, agentID string, version *int, text string) *tape {
	if version != nil {
		tapes = slices.DeleteFunc(slices.Clone(tapes), func(t *tape) bool {
			return t.agentID != agentID || t.agentVersion != *version
		})
	}
	if t := named(tapes, text); t != nil {
		return t
	}
	for _, t := range tapes {
		if t.agentID == agentID {
			return t
		}
	}
	if len(tapes) > 0 {
		return tapes[0]
	}
	return nil
}

// named is the tape of the first word in a text that names one.
func named(tapes []*tape, text string) *tape {
	apart := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' }
	for _, word := range strings.FieldsFunc(strings.ToLower(text), apart) {
		for _, t := range tapes {
			id := strings.ToLower(t.conversationID)
			if word == id || word == strings.TrimPrefix(id, "demo-") || word == strings.ToLower(t.agentID) ||
				slices.Contains(words[t.conversationID], word) {
				return t
			}
		}
	}
	return nil
}
