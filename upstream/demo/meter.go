package demo

import (
	"time"

	"inlaygraph/wire"
)

// meter charges a run to a user's account. A nil one charges nobody.
type meter struct {
	account      *account
	agent, label string
	unsettled    int64 // µUSD
}

// take counts what a frame says was used. The wallet pays when the run ends.
func (m *meter) take(f *wire.Frame, now time.Time) {
	switch {
	case m == nil:
	case f.Type == wire.RunStart:
		m.account.use(use{at: now, agent: m.agent, label: m.label, runs: 1})
	case f.Type == wire.NodeEnd && f.Usage != nil:
		m.unsettled += m.account.use(use{at: now, agent: m.agent, label: m.label, tokens: *f.Usage})
	case ends(f.Type):
		m.account.settle(m.unsettled, now)
	}
}
