package model

import "encoding/json"

// MarshalJSON writes the row or the whole card.
func (i FeedItem) MarshalJSON() ([]byte, error) {
	if i.Card != nil {
		return json.Marshal(i.Card)
	}
	return json.Marshal(i.Row)
}

type cardHead struct {
	Type         string   `json:"type"`
	Key          string   `json:"key"`
	NodeName     *string  `json:"nodeName"`
	NodeID       string   `json:"nodeId"`
	SubgraphPath []string `json:"subgraphPath"`
	HasEarlier   bool     `json:"hasEarlier"`
}

// MarshalJSON writes the members of the card's kind, absent ones as null. The card of an entry has none of what is
// in it.
func (c *Card) MarshalJSON() ([]byte, error) {
	head := cardHead{c.Type, c.Key, c.NodeName, c.NodeID, c.SubgraphPath, c.HasEarlier}
	tracks, rows := &c.Tracks, &c.Rows
	if c.bare {
		tracks, rows = nil, nil
	}
	switch c.Type {
	case "fan-out":
		return json.Marshal(struct {
			cardHead
			Join         []string      `json:"join"`
			Tracks       *[][]FeedItem `json:"tracks,omitempty"`
			BranchStatus []string      `json:"branchStatus"`
		}{head, c.Join, tracks, c.BranchStatus})
	case "repeat":
		return json.Marshal(struct {
			cardHead
			Mode   string        `json:"mode"`
			Tracks *[][]FeedItem `json:"tracks,omitempty"`
			Done   int           `json:"done"`
			Total  *int          `json:"total"`
		}{head, c.Mode, tracks, c.Done, c.Total})
	}
	return json.Marshal(struct {
		cardHead
		Rows         *[]FeedItem `json:"rows,omitempty"`
		RunningCount *int        `json:"runningCount"`
		DoneCount    *int        `json:"doneCount"`
		FailedCount  *int        `json:"failedCount"`
		NodeStatus   *string     `json:"nodeStatus"`
	}{head, rows, c.RunningCount, c.DoneCount, c.FailedCount, c.NodeStatus})
}
