package wire

import "time"

// Summary is one conversation of a history list: what its head tells of it, as far as it could be read.
type Summary struct {
	ConversationID string // never empty
	AgentID        string // "" when absent
	AgentVersion   *int   // 0 is a draft; nil when absent
	Title          string // "" when absent
	Status         Status // zero when absent, or a word that we do not know
	CreatedAt      time.Time
	UpdatedAt      time.Time // in UTC, as CreatedAt; zero when absent
}

// OptionalAgentID is the agent's id, nil when absent.
func (s *Summary) OptionalAgentID() *string { return nonZero(&s.AgentID) }

// OptionalTitle is the title, nil when absent.
func (s *Summary) OptionalTitle() *string { return nonZero(&s.Title) }

// OptionalStatus is the status, nil when absent.
func (s *Summary) OptionalStatus() *Status { return nonZero(&s.Status) }

// OptionalCreatedAt is when the conversation began, nil when absent.
func (s *Summary) OptionalCreatedAt() *time.Time { return nonZero(&s.CreatedAt) }

// OptionalUpdatedAt is when something last happened in it, nil when absent.
func (s *Summary) OptionalUpdatedAt() *time.Time { return nonZero(&s.UpdatedAt) }

// SummaryPage is an answer of GET /v1/conversations, in the platform's order.
type SummaryPage struct {
	Items   []*Summary // empty rather than nil
	HasMore bool       // the platform's own word; false when it gives none
}

var summaryMembers = []string{
	"conversation_id", "agent_id", "agent_version", "title", "status", "created_at", "updated_at",
}

// DecodeSummaries reads an answer of GET /v1/conversations: the page, and how many of its heads were dropped.
// Dropped is a head that has no id, an empty one, or one that is no string: there is no way to open it. Whatever
// else is wrong with a head costs that member alone, which is then absent, and a has_more that is no boolean is
// false. The error is a *Rejection: the answer is no JSON object, or has no array of conversations. The caller
// bounds the size of the data.
func DecodeSummaries(b []byte) (page *SummaryPage, dropped int, err error) {
	s := states.Get().(*state)
	defer s.release()
	b, rejected := wholeObject(b)
	if rejected != nil {
		return nil, 0, rejected
	}
	f := s.fields(b, []string{"conversations", "has_more"})
	page = &SummaryPage{Items: []*Summary{}}
	if raw := f.get("conversations", required); raw != nil {
		_, why := each(raw, func(head []byte) (string, Reason) {
			if summary := s.summary(head); summary != nil {
				page.Items = append(page.Items, summary)
			} else {
				dropped++
			}
			return "", ""
		})
		f.fail("conversations", "", why)
	}
	if f.why != "" {
		return nil, 0, &Rejection{Reason: f.why, Member: f.place}
	}
	if raw := f.get("has_more", optional); raw != nil {
		page.HasMore, _ = boolean(raw)
	}
	return page, dropped, nil
}

// summary reads a head of a list, nil when it has no id. Every reader answers the zero value with its reason.
func (s *state) summary(head []byte) *Summary {
	f := s.fields(head, summaryMembers)
	said := func(name string) (text string) {
		if raw := f.get(name, optional); raw != nil {
			text, _ = s.text(raw)
		}
		return text
	}
	at := func(name string) (at time.Time) {
		if raw := f.get(name, optional); raw != nil {
			at, _ = s.instant(raw)
		}
		return at
	}
	summary := &Summary{
		ConversationID: said("conversation_id"), AgentID: said("agent_id"), Title: said("title"),
		CreatedAt: at("created_at"), UpdatedAt: at("updated_at"),
	}
	if summary.ConversationID == "" {
		return nil
	}
	if raw := f.get("agent_version", optional); raw != nil {
		if version, why := small(raw, 0); why == "" {
			summary.AgentVersion = &version
		}
	}
	if raw := f.get("status", optional); raw != nil {
		summary.Status, _ = s.status(raw, anyOf)
	}
	return summary
}
