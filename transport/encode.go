package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"inlaygraph/coded"
)

// encodeResponse writes an execution result as JSON (promise 11). data is copied as the executor wrote it, because
// generated code reuses its buffer for the next message of a subscription, and it is left out when there is none: a
// result without a data entry was never executed. The payload is one line of UTF-8. One that is too long, of more than max
// bytes, is replaced by an error.
func encodeResponse(resp *graphql.Response, max int) (payload []byte, tooLong bool, err error) {
	data := bytes.TrimSpace(resp.Data)
	// The executor has only just left this text, so the one copy is also the one chance to mend what is not UTF-8: a
	// WebSocket peer must fail the connection on it.
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	// A line break can only stand between tokens, where scalars that write JSON of their own may leave it.
	if bytes.IndexByte(data, '\n') >= 0 || bytes.IndexByte(data, '\r') >= 0 {
		var line bytes.Buffer
		if err := json.Compact(&line, data); err != nil {
			return nil, false, err
		}
		data = line.Bytes()
	}
	buf := make([]byte, 0, len(data)+len(`{"data":}`)+256*len(resp.Errors))
	buf = append(buf, '{')
	if len(resp.Errors) > 0 {
		buf = append(buf, `"errors":`...)
		if buf, err = appendJSON(buf, resp.Errors); err != nil {
			return nil, false, err
		}
		if len(data) > 0 || len(resp.Extensions) > 0 {
			buf = append(buf, ',')
		}
	}
	if len(data) > 0 {
		buf = append(buf, `"data":`...)
		buf = append(buf, data...)
		if len(resp.Extensions) > 0 {
			buf = append(buf, ',')
		}
	}
	if len(resp.Extensions) > 0 {
		buf = append(buf, `"extensions":`...)
		if buf, err = appendJSON(buf, resp.Extensions); err != nil {
			return nil, false, err
		}
	}
	buf = append(buf, '}')
	if len(buf) > max {
		return tooLarge(max), true, nil
	}
	return buf, false, nil
}

// tooLarge is the result in place of one that is over the limit. It has a data entry, since the operation was executed.
func tooLarge(max int) []byte {
	return fmt.Appendf(nil, `{"errors":[{"message":"the response is larger than %d bytes","extensions":{"code":%q}}],"data":null}`, max, coded.PayloadTooLarge)
}

// encodeErrors writes the result of an operation that was not executed.
func encodeErrors(errs gqlerror.List) []byte {
	list := encodeList(errs)
	buf := make([]byte, 0, len(list)+len(`{"errors":}`))
	buf = append(buf, `{"errors":`...)
	buf = append(buf, list...)
	return append(buf, '}')
}

// encodeList writes errors as a JSON list. What cannot be written is an extension that is not JSON: the errors are then
// sent without what extensions they have beside the code.
func encodeList(errs gqlerror.List) []byte {
	buf, err := appendJSON(nil, errs)
	if err != nil {
		plain := make(gqlerror.List, 0, len(errs))
		for _, e := range errs {
			plain = append(plain, withCode(&gqlerror.Error{Path: e.Path, Locations: e.Locations}, codeOf(e), e.Message))
		}
		buf, err = appendJSON(nil, plain)
	}
	if err != nil {
		return fmt.Appendf(nil, `[{"message":%q,"extensions":{"code":%q}}]`, internalMessage, coded.Internal)
	}
	return buf
}

// appendJSON is json.Marshal without the escapes for HTML and the newline.
func appendJSON(buf []byte, value any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return buf, err
	}
	return append(buf, bytes.TrimRight(out.Bytes(), "\n")...), nil
}
