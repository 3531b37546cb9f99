package bus

import (
	"encoding/json"
	"fmt"
	"strconv"

	"inlaygraph/projection"
	"inlaygraph/wire"
)

// The letter that begins a line says what it holds.
const (
	lineFrame    = 'f'
	lineRow      = 'r'
	lineHead     = 'h'
	linePage     = 'p'
	lineSkipped  = 's'
	linePlan     = 'a' // of the agent
	lineDelivery = 'd'
	lineLatch    = 'l'
)

// kindWords spell the kinds.
var kindWords = map[Kind]string{
	Begin: "begin", Show: "show", Told: "told", Earlier: "earlier", Happened: "happened", Own: "own", Yield: "yield",
}

type firstLine struct {
	Kind   string `json:"kind"`
	By     string `json:"by"`
	Window int    `json:"window,omitempty"`
	Row    int64  `json:"row_bytes,omitempty"`
	Rows   int64  `json:"window_bytes,omitempty"`
	State  int64  `json:"state_bytes,omitempty"`
}

type deliveryLine struct {
	Call   string  `json:"call"`
	Status int     `json:"status"`
	Error  *string `json:"error,omitempty"`
	By     string  `json:"by,omitempty"`
	Digest string  `json:"digest,omitempty"`
}

type latchLine struct {
	Kind   int    `json:"kind"`
	On     bool   `json:"on"`
	By     string `json:"by,omitempty"`
	Taken  bool   `json:"taken,omitempty"`
	Status int    `json:"status,omitempty"`
}

// encode spells a record. Its error is that of an input that can't be spelled.
func (r *Record) encode() ([]byte, error) {
	text, err := json.Marshal(firstLine{kindWords[r.Kind], r.By, r.Window, r.Limits.RowBytes, r.Limits.WindowBytes, r.Limits.StateBytes})
	if err != nil {
		return nil, err
	}
	text = append(text, '\n')
	for _, in := range r.Inputs {
		if text, err = appendInput(text, in); err != nil {
			return nil, err
		}
		text = append(text, '\n')
	}
	for _, e := range r.Effects {
		var line any
		letter := byte(lineLatch)
		switch {
		case e.Delivery != nil:
			d := e.Delivery
			letter, line = lineDelivery, deliveryLine{d.ToolCallID, int(d.Status), d.Error, d.By, d.Digest}
		case e.Latch != nil:
			line = latchLine{int(e.Latch.Kind), e.Latch.On, e.Latch.By, e.Latch.Taken, int(e.Latch.Status)}
		}
		spelled, err := json.Marshal(line)
		if err != nil {
			return nil, err
		}
		text = append(append(append(text, letter), spelled...), '\n')
	}
	return text, nil
}

func appendInput(text []byte, in projection.Input) ([]byte, error) {
	switch in := in.(type) {
	case *wire.Frame:
		return in.AppendJSON(append(text, lineFrame)), nil
	case *wire.Row:
		return in.AppendJSON(append(text, lineRow)), nil
	case *wire.Head:
		return in.AppendJSON(append(text, lineHead)), nil
	case *wire.Page:
		return in.AppendJSON(append(text, linePage)), nil
	case projection.Skipped:
		return strconv.AppendInt(append(text, lineSkipped), in.Offset, 10), nil
	case projection.Plan:
		return in.Index.Plan().AppendJSON(append(text, linePlan)), nil
	}
	return nil, fmt.Errorf("a %T is no input of upstream's", in)
}
