package wire

// DecodeBacklinks reads an answer of GET /v1/conversations/{id}/tables/{table}/{row_id}/backlinks: its array as
// it stands, whatever is in it. The error is a *Rejection; the caller bounds the size of the data.
func DecodeBacklinks(b []byte) (JSON, error) {
	s := states.Get().(*state)
	defer s.release()
	var found [1][]byte
	if rejected := s.answer(b, []string{"backlinks"}, found[:]); rejected != nil {
		return "", rejected
	}
	if found[0][0] != '[' {
		return "", &Rejection{Reason: ReasonWrongType, Member: "backlinks"}
	}
	return s.json(found[0]), nil
}
