package wire

// Page decodes an answer of GET /v1/conversations/{id}/rows. A row in it that does not decode is
// rejected by itself and told in the second answer, its place under `rows[n]`; the others stay. The error
// is a *Rejection of the answer as a whole. The limit holds for each row, not for the answer, whose size
// the caller bounds.
func (d Decoder) Page(data []byte) (*Page, []*Rejection, error) {
	s := states.Get().(*state)
	defer s.release()
	var found [2][]byte
	if rejected := s.answer(data, []string{"rows", "has_earlier"}, found[:]); rejected != nil {
		return nil, nil, rejected
	}
	page := new(Page)
	var why Reason
	if page.HasEarlier, why = boolean(found[1]); why != "" {
		return nil, nil, &Rejection{Reason: why, Member: "has_earlier"}
	}
	if found[0][0] != '[' {
		return nil, nil, &Rejection{Reason: ReasonWrongType, Member: "rows"}
	}
	var refused []*Rejection
	c := inside(found[0])
	for i := 0; ; i++ {
		value := c.next()
		if value == nil {
			return page, refused, nil
		}
		record, rejected := d.decode(value, takeRow)
		if rejected != nil {
			rejected.Member = under(indexed("rows", i), rejected.Member)
			refused = append(refused, rejected)
			continue
		}
		page.Rows = append(page.Rows, record.(*Row))
	}
}

// DecodePage is Decoder.Page with the default limit.
func DecodePage(data []byte) (*Page, []*Rejection, error) { return Decoder{}.Page(data) }

// answer finds the members of an endpoint's answer, all of which are required.
func (s *state) answer(data []byte, names []string, found [][]byte) *Rejection {
	data, rejected := wholeObject(data)
	if rejected != nil {
		return rejected
	}
	s.pick(data, names, found)
	for i, value := range found {
		if value == nil || isNull(value) {
			return &Rejection{Reason: ReasonMissing, Member: names[i]}
		}
	}
	return nil
}
