package conversation

import (
	"context"

	"inlaygraph/coded"
	"inlaygraph/projection"
	"inlaygraph/session"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// List reads a stretch of the conversations that who may see, in upstream's order. Errors are coded.
func (h *Hub) List(ctx context.Context, who *session.Session, q upstream.ListQuery) (*wire.SummaryPage, error) {
	if err := checkSession(who); err != nil {
		return nil, err
	}
	if h.opts.History == nil {
		return nil, coded.New(coded.UpstreamUnavailable, "conversations can't be listed: there is no upstream that has them")
	}
	page, err := h.opts.History.List(ctx, who.Token(), q)
	if err != nil {
		return nil, upstream.Coded(err)
	}
	return page, nil
}

// LoadEarlier widens the window, for every viewer, by at most limit rows of the log that lie before it. Errors are
// coded: CONFLICT at the cap of the window.
func (h *Hub) LoadEarlier(ctx context.Context, who *session.Session, id string, limit int) (*Conversation, error) {
	v, err := h.Open(ctx, who, id)
	if err != nil {
		return nil, err
	}
	if v.reader == nil {
		return nil, coded.New(coded.UpstreamUnavailable, "the log can't be read: there is no upstream")
	}
	done, err := v.page(ctx)
	if err != nil {
		return nil, upstream.Coded(err)
	}
	defer done()
	least, _ := v.seqs()
	known := least != 0 // else the log is read from its end, until something comes that is not here
	for {
		held, before := v.held(), least
		had := held.Rows
		switch {
		case !v.Conversation().Snapshot().HasEarlier():
			return v.Conversation(), nil
		case v.bounds.full(held):
			return nil, coded.Newf(coded.Conflict, "the window holds %d rows already; rowPage reads further", had)
		}
		n, err := v.readEarlier(ctx, who, upstream.RowsQuery{BeforeSeq: before, Limit: min(limit, v.bounds.rows-had)})
		if err != nil {
			return nil, upstream.Coded(err)
		}
		least, _ = v.seqs()
		if known || n == 0 || v.rows() > had || before != 0 && least >= before {
			return v.Conversation(), nil
		}
	}
}

// readEarlier reads a page and folds it, and says how many rows it had.
func (v *Viewer) readEarlier(ctx context.Context, who *session.Session, q upstream.RowsQuery) (n int, err error) {
	page, rejections, err := v.reader.hub.opts.Source.Rows(ctx, who.Token(), v.reader.id, q)
	if err != nil {
		return 0, err
	}
	for _, rejection := range rejections {
		v.reader.reject(rejection)
	}
	change := projection.Change{}
	if v.shared == nil {
		change = v.widen(page)
	} else if change, err = v.shared.widenShared(ctx, page); err != nil {
		return 0, err
	}
	v.reader.count(change)
	return len(page.Rows), nil
}

// page waits until nobody else reads what the window begins with: each page begins where the one before it did. done
// lets the next one.
func (l *Live) page(ctx context.Context) (done func(), err error) {
	select {
	case l.paging <- struct{}{}:
		return func() { <-l.paging }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// widen folds a page of earlier rows, into a state that is being loaded anew too: it is to reach as far back.
func (l *Live) widen(page *wire.Page) projection.Change {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.renewed != nil {
		l.renewLocked(page)
	}
	c, _ := l.applyLocked(page)
	return c
}
