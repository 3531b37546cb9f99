package demo

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"inlaygraph/wire"
)

// list answers the heads, without working sets, of the conversations that the user may see: those in which something
// happened last come first.
func (d *Demo) list(w http.ResponseWriter, r *http.Request, user string) {
	limit, err1 := cursor(r, "limit", defaultLimit)
	offset, err2 := cursor(r, "offset", 0)
	if errors.Join(err1, err2) != nil {
		invalid("limit or offset is no whole number").answer(w)
		return
	}
	agent, status := r.FormValue("agent_id"), r.FormValue("status")
	var heads []*wire.Head
	for _, c := range d.visible(user) {
		h := c.listed()
		if (agent == "" || h.AgentID == agent) && (status == "" || h.Status.String() == status) {
			heads = append(heads, h)
		}
	}
	slices.SortStableFunc(heads, func(a, b *wire.Head) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	from := min(offset, int64(len(heads)))
	to := min(from+min(limit, maxLimit), int64(len(heads)))
	body := []byte(`{"conversations":[`)
	for i, h := range heads[from:to] {
		if i > 0 {
			body = append(body, ',')
		}
		body = h.AppendJSON(body)
	}
	body = append(body, `],"has_more":`...)
	body = strconv.AppendBool(body, to < int64(len(heads)))
	reply(w, append(body, '}'))
}
