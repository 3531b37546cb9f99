package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// Observation is what a test saw of one subscription, and what it knows beside it. Every value is the JSON of the
// subscription's field under one selection, and nil or zero where nothing is known.
type Observation struct {
	Values  []string // received, in order
	Changes []string // of rowChanges: the messages; Values are then the rows after each, as Replay says
	Kept    string   // of rowChanges with `after`: the rows that the client has at that cursor
	Lossy   bool     // of rowChanges: upstream loses frames for good, so that there may be a reset in between

	History []string // every value that the slice had, in order
	Before  string   // the value that a query read just before the subscription began
	Final   string   // the value that a query read after quiet
	Foreign []string // words that other conversations alone say
	Slowest time.Duration
}

// Validators are the promises of doc.go, each by its name.
var Validators = []struct {
	Name  string
	Check func(Observation) error
}{
	{"Ordered", Ordered}, {"Complete", Complete}, {"NoGaps", NoGaps}, {"Isolated", Isolated},
	{"Resumable", Resumable}, {"Atomic", Atomic}, {"Scoped", Scoped}, {"Bounded", Bounded},
}

// Validate runs every validator and answers all that is wrong.
func Validate(o Observation) error {
	var errs []error
	for _, v := range Validators {
		if err := v.Check(o); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", v.Name, err))
		}
	}
	return errors.Join(errs...)
}

// Ordered (promise 1) finds the values in the history one after the other. Where that is not known, it looks at what
// can't be undone in any history: texts grow until they are complete, visits and edges are counted up.
func Ordered(o Observation) error {
	if o.History == nil {
		for i := 1; i < len(o.Values); i++ {
			if err := older(o.Values[i-1], o.Values[i]); err != nil {
				return fmt.Errorf("message %d: %w", i+1, err)
			}
		}
		return nil
	}
	from := 0
	for i, value := range o.Values {
		found := slices.Index(o.History[from:], value)
		if found < 0 { // perhaps it is spelt otherwise
			found = slices.IndexFunc(o.History[from:], func(h string) bool { return same(h, value) })
		}
		if found < 0 {
			return fmt.Errorf("message %d is no value that the slice had from its value %d on: %s", i+1, from+1, value)
		}
		from += found
	}
	return nil
}

// Complete (promise 2) compares the last value with what a query read after quiet.
func Complete(o Observation) error {
	if o.Final == "" {
		return nil
	}
	if len(o.Values) == 0 {
		return errors.New("nothing came")
	}
	if last := o.Values[len(o.Values)-1]; !same(o.Final, last) {
		return fmt.Errorf("the last message is\n%s\na query reads\n%s", last, o.Final)
	}
	return nil
}

// NoGaps (promise 3) replays the operations of rowChanges: every one fits the rows it is applied to, and only the first
// message may be a reset, unless upstream loses frames. That the rows after each are a value that the slice had, Ordered shows.
func NoGaps(o Observation) error {
	rows, err := parseRows(o.Kept)
	if err != nil {
		return err
	}
	for i, change := range o.Changes {
		reset, err := rows.apply(change)
		switch {
		case err != nil:
			return fmt.Errorf("message %d: %w", i+1, err)
		case reset && i > 0 && !o.Lossy:
			return fmt.Errorf("message %d is a reset", i+1)
		}
	}
	return nil
}

// Isolated (promise 4) wants every message to differ from the one before it, and every operation of rowChanges to change
// the rows. (Operations that came together may undo one another: a turn that opened, and said nothing. A reset says that the
// rows may have changed in between.)
func Isolated(o Observation) error {
	if o.Changes != nil {
		return eachChanges(o)
	}
	for i := 1; i < len(o.Values); i++ {
		if same(o.Values[i-1], o.Values[i]) {
			return fmt.Errorf("message %d says what the one before it said: %s", i+1, o.Values[i])
		}
	}
	return nil
}

func eachChanges(o Observation) error {
	rows, err := parseRows(o.Kept)
	if err != nil {
		return err
	}
	for i, change := range o.Changes {
		ops, err := operations(change)
		if err != nil {
			return err
		}
		if len(ops) == 0 && i > 0 {
			return fmt.Errorf("message %d says nothing", i+1)
		}
		for _, op := range ops {
			before := rows
			if rows.applyOne(op) != nil {
				return nil // which NoGaps tells
			}
			if i > 0 && op.Kind != "RowsReset" && reflect.DeepEqual(before, rows) && !wentAndCameBack(op) {
				return fmt.Errorf("message %d has an operation that changes nothing: %s", i+1, change)
			}
		}
	}
	return nil
}

// wentAndCameBack tells whether an operation may be all that is left of an output's going to another refinement and back: a
// stream that was joined in mid-run repeats some (docs/guarantees.md, promise 4).
func wentAndCameBack(op operation) bool {
	return op.Kind == "RowReplaced" && op.Row["type"] == "output"
}

// Resumable (promise 5) wants rowChanges after a cursor that is still good to go on with operations, not with a reset.
func Resumable(o Observation) error {
	if o.Kept == "" || len(o.Changes) == 0 {
		return nil
	}
	rows, err := parseRows(o.Kept)
	if err != nil {
		return err
	}
	reset, err := rows.apply(o.Changes[0])
	if err == nil && reset {
		err = errors.New("the first message is a reset")
	}
	return err
}

// Atomic (promise 6) wants the first value to be no older than what could be read before the subscription began. That
// nothing is lost after it, Complete and NoGaps show.
func Atomic(o Observation) error {
	if o.Before == "" || len(o.Values) == 0 {
		return nil
	}
	if o.History == nil {
		return older(o.Before, o.Values[0])
	}
	return Ordered(Observation{Values: []string{o.Before, o.Values[0]}, History: o.History})
}

// Scoped (promise 7) looks for what another conversation says.
func Scoped(o Observation) error {
	for _, word := range o.Foreign {
		for i, message := range slices.Concat(o.Values, o.Changes) {
			if bytes.Contains([]byte(message), []byte(word)) {
				return fmt.Errorf("message %d says %q of another conversation: %s", i+1, word, message)
			}
		}
	}
	return nil
}

// slow is how long a change may take to its subscriber on a busy machine.
const slow = 5 * time.Second

// Bounded (promise 8) wants no more messages than there were values, and each of them soon.
func Bounded(o Observation) error {
	if o.History != nil && len(o.Values) > len(o.History) {
		return fmt.Errorf("%d messages for %d values", len(o.Values), len(o.History))
	}
	if o.Slowest > slow {
		return fmt.Errorf("a message took %s", o.Slowest)
	}
	return nil
}

// same compares two JSON texts: numbers by their spelling, objects whatever their order.
func same(a, b string) bool { return a == b || canonical(a) == canonical(b) }

func canonical(text string) string {
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return "no JSON: " + text
	}
	out, err := json.Marshal(value)
	if err != nil {
		return "no JSON: " + text
	}
	return string(out)
}
