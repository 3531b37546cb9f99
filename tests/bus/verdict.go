package main

import (
	"errors"
	"fmt"

	"inlaygraph/tests"
)

// compare reads every conversation at every server and says where they do not agree; and what every viewer has
// in the end that is something else.
func (f *fleet) compare(ids []string, all []*viewer) (problems []string) {
	want := map[string]string{}
	for _, id := range ids {
		for i := range 3 {
			text, err := f.timeline(i, id)
			switch {
			case err != nil:
				problems = append(problems, fmt.Sprintf("%s: %v", id, err))
			case i > 0 && want[id] != text:
				problems = append(problems, fmt.Sprintf("%s: server %d reads something else than server 1", id, i+1))
			default:
				want[id] = text
			}
		}
	}
	for n, v := range all {
		if problem := v.check(want[v.conversation], n%3 == 0); problem != "" {
			problems = append(problems, fmt.Sprintf("viewer %d of %s: %s", n, v.conversation, problem))
		}
	}
	return problems
}

// check runs the validators over what a viewer received, each stretch from a reset, or from a connection's begin, to the
// next. Of every third viewer the values too: nothing older may follow, over resets and reconnections.
func (v *viewer) check(final string, values bool) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	kept := ""
	for i := 0; i < len(v.messages); {
		end := i + 1
		for end < len(v.messages) && !v.messages[end].resumes && !tests.IsReset(v.messages[end].text) {
			end++
		}
		o := tests.Observation{Before: kept}
		for _, m := range v.messages[i:end] {
			o.Changes = append(o.Changes, m.text)
		}
		if !tests.IsReset(o.Changes[0]) {
			o.Kept = kept
		}
		var err error
		if o.Values, err = tests.Replay(o.Kept, o.Changes); err != nil {
			return fmt.Sprintf("from message %d: %v", i+1, err)
		}
		kept = o.Values[len(o.Values)-1]
		if !values {
			o.Values = nil
		}
		if err := tests.Validate(o); err != nil {
			return fmt.Sprintf("from message %d: %v", i+1, err)
		}
		i = end
	}
	if err := tests.Complete(tests.Observation{Values: []string{kept}, Final: final}); err != nil {
		return "in the end: " + err.Error()
	}
	return ""
}

// report prints what came, and fails when there were problems, or nothing was put to the test.
func report(all []*viewer, problems []string) error {
	messages, resumed, reset, resets := 0, 0, 0, 0
	for _, v := range all {
		messages += len(v.messages)
		for i, m := range v.messages {
			switch is := tests.IsReset(m.text); {
			case m.resumes && is:
				reset++
			case m.resumes:
				resumed++
			case is && i > 0:
				resets++
			}
		}
	}
	fmt.Printf("figures: instances: servers 3, viewers %d, messages %d, reconnected and went on exactly %d, began with a reset %d, resets on a connection %d, lost, doubled or out of order %d\n",
		len(all), messages, resumed, reset, resets, len(problems))
	for i, problem := range problems {
		if i < 20 {
			fmt.Println("  ", short(problem))
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("%d problems", len(problems))
	}
	if resumed+reset == 0 {
		return errors.New("nobody had to reconnect: nothing was put to the test")
	}
	fmt.Println("nothing lost, nothing doubled, nothing out of order; every server reads the same")
	return nil
}

func short(text string) string {
	if len(text) > 600 {
		return text[:600] + "…"
	}
	return text
}
