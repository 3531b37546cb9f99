package bus

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"inlaygraph/projection"
	"inlaygraph/wire"
)

// maxRecord is how long a record may be, in bytes.
const maxRecord = 256 << 20

// The reasons for which a message is passed over.
const (
	reasonForeign   = "foreign"   // it is not this package's
	reasonMalformed = "malformed" // it says it is, and can't be read
	reasonNewer     = "newer"     // a newer format
	reasonTorn      = "torn"      // a part without the ones before it
)

// RejectedReasons are all the reasons for which a message may be passed over (Stats.Rejected).
func RejectedReasons() []string {
	return []string{reasonForeign, reasonMalformed, reasonNewer, reasonTorn}
}

var wordKinds = func() map[string]Kind {
	kinds := map[string]Kind{}
	for kind, word := range kindWords {
		kinds[word] = kind
	}
	return kinds
}()

// decoder reads records. Plans that are spelled alike are one: there are few, and they are large.
type decoder struct {
	mu    sync.Mutex
	plans map[string]*wire.PlanIndex
}

// keptPlans is how many are known again.
const keptPlans = 256

func (d *decoder) decode(text []byte) (*Record, error) {
	line, rest, _ := bytes.Cut(text, []byte{'\n'})
	var first firstLine
	if err := json.Unmarshal(line, &first); err != nil {
		return nil, err
	}
	r := &Record{
		Kind: wordKinds[first.Kind], By: first.By, Window: first.Window,
		Limits: projection.Limits{RowBytes: first.Row, WindowBytes: first.Rows, StateBytes: first.State},
	}
	if r.Kind == 0 || r.By == "" || r.Window < 0 || min(first.Row, first.Rows, first.State) < 0 {
		return nil, errors.New("the first line says nothing")
	}
	for len(rest) > 0 {
		var more bool
		if line, rest, more = bytes.Cut(rest, []byte{'\n'}); !more || len(line) < 2 {
			return nil, errors.New("a line is cut off")
		}
		if err := d.take(r, line[0], line[1:]); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (d *decoder) take(r *Record, letter byte, text []byte) error {
	if letter == lineDelivery || letter == lineLatch {
		e, err := effect(letter, text)
		r.Effects = append(r.Effects, e)
		return err
	}
	in, err := d.input(letter, text)
	r.Inputs = append(r.Inputs, in)
	return err
}

func (d *decoder) input(letter byte, text []byte) (projection.Input, error) {
	w := wire.Decoder{MaxRecord: maxRecord} // limits are for who reads upstream
	switch letter {
	case lineFrame:
		return w.Frame(text)
	case lineRow:
		return w.Row(text)
	case lineHead:
		return w.Head(text)
	case linePage:
		page, refused, err := w.Page(text)
		if err == nil && len(refused) > 0 {
			err = refused[0]
		}
		return page, err
	case lineSkipped:
		offset, err := strconv.ParseInt(string(text), 10, 64)
		return projection.Skipped{Offset: offset}, err
	case linePlan:
		index, err := d.plan(text)
		return projection.Plan{Index: index}, err
	}
	return nil, fmt.Errorf("a line begins with %q", letter)
}

func (d *decoder) plan(text []byte) (*wire.PlanIndex, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known := d.plans[string(text)]; known != nil {
		return known, nil
	}
	plan, err := wire.DecodePlan(text)
	if err != nil {
		return nil, err
	}
	index, err := wire.NewPlanIndex(plan)
	if err != nil {
		return nil, err
	}
	if d.plans == nil {
		d.plans = map[string]*wire.PlanIndex{}
	}
	for old := range d.plans {
		if len(d.plans) < keptPlans {
			break
		}
		delete(d.plans, old)
	}
	d.plans[string(text)] = index
	return index, nil
}

func effect(letter byte, text []byte) (Effect, error) {
	if letter == lineDelivery {
		var d deliveryLine
		if err := json.Unmarshal(text, &d); err != nil {
			return Effect{}, err
		}
		status := projection.ToolCallStatus(d.Status)
		if d.Call == "" || d.Status < 1 || status > projection.ToolCancelled {
			return Effect{}, errors.New("a delivery says nothing")
		}
		return Effect{Delivery: &Delivery{projection.ToolDelivery{ToolCallID: d.Call, Status: status, Error: d.Error}, d.By, d.Digest}}, nil
	}
	var l latchLine
	if err := json.Unmarshal(text, &l); err != nil {
		return Effect{}, err
	}
	if l.Kind < 0 || projection.LatchKind(l.Kind) > projection.LatchCancel || l.Status < 0 || l.Status > 255 {
		return Effect{}, errors.New("a latch says nothing")
	}
	return Effect{Latch: &Latch{
		projection.Latch{Kind: projection.LatchKind(l.Kind), On: l.On}, l.By, l.Taken, projection.ChatStatus(l.Status),
	}}, nil
}
