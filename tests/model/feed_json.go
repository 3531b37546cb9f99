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

// MarshalJSON writes the members of the card's kind, absent ones as null.
func (c *Card) MarshalJSON() ([]byte, error) {
	head := cardHead{c.Type, c.Key, c.NodeName, c.NodeID, c.SubgraphPath, c.HasEarlier}
	switch c.Type {
	case "fan-out":
		return json.Marshal(struct {
			cardHead
			Join         []string     `json:"join"`
			Tracks       [][]FeedItem `json:"tracks"`
			BranchStatus []string     `json:"branchStatus"`
		}{head, c.Join, c.Tracks, c.BranchStatus})
	case "repeat":
		return json.Marshal(struct {
			cardHead
			Mode   string       `json:"mode"`
			Tracks [][]FeedItem `json:"tracks"`
			Done   int          `json:"done"`
			Total  *int         `json:"total"`
		}{head, c.Mode, c.Tracks, len(c.Tracks), c.Total})
	}
	return json.Marshal(struct {
		cardHead
		Rows         []FeedItem `json:"rows"`
		RunningCount *int       `json:"runningCount"`
		DoneCount    *int       `json:"doneCount"`
		FailedCount  *int       `json:"failedCount"`
		NodeStatus   *string    `json:"nodeStatus"`
	}{head, c.Rows, c.RunningCount, c.DoneCount, c.FailedCount, c.NodeStatus})
}

// shallow is a card or a row as an entry has it.
func (i FeedItem) shallow() FeedItem {
	if i.Card == nil {
		return i
	}
	c := *i.Card
	c.Tracks, c.Rows = nil, nil
	return FeedItem{Card: &c}
}
