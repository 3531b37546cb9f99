package platform

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"inlaygraph/upstream"
	"inlaygraph/upstream/internal/exchange"
	"inlaygraph/wire"
)

// maxTypeName bounds the type that a rejection repeats (wire.Rejection).
const maxTypeName = 64

// stream is one SSE answer being read.
type stream struct {
	events *exchange.Events
	decode wire.Decoder
}

// opStream is the call whose refusals mean something of their own.
const opStream = "stream"

// Stream implements upstream.Source.
func (c *Client) Stream(ctx context.Context, auth, id string, after int64) (upstream.Stream, error) {
	k := at(opStream, auth, "conversations", id, "stream")
	if after > 0 {
		k.LastEventID = strconv.FormatInt(after, 10)
	}
	return c.open(ctx, k)
}

// open does a call whose answer is live frames.
func (c *Client) open(ctx context.Context, k exchange.Call) (upstream.Stream, error) {
	events, err := c.http.Open(ctx, k)
	if err != nil {
		return nil, err
	}
	return &stream{events: events, decode: c.decoder()}, nil
}

// Next implements upstream.Stream.
func (s *stream) Next(ctx context.Context) (upstream.Item, error) {
	for {
		ev, err := s.events.Next(ctx)
		if err != nil {
			return upstream.Item{}, err
		}
		if item, ok := s.take(ev); ok {
			return item, nil
		}
	}
}

// Close implements upstream.Stream.
func (s *stream) Close() error { return s.events.Close() }

// take decodes an event. False: it was cut off in transit, and whoever reattaches gets it again.
func (s *stream) take(ev exchange.Event) (upstream.Item, bool) {
	offset := offsetOf(ev.ID)
	if ev.TooBig {
		r := &wire.Rejection{Reason: wire.ReasonTooLarge, Type: clip(ev.Name), Offset: offset}
		return upstream.Item{Rejection: r, Offset: offset}, !ev.Cut
	}
	frame, err := s.decode.Frame(ev.Data)
	if err != nil {
		var rejection *wire.Rejection
		if !errors.As(err, &rejection) {
			rejection = &wire.Rejection{Reason: wire.ReasonMalformed}
		}
		if ev.Cut && rejection.Reason == wire.ReasonMalformed {
			return upstream.Item{}, false
		}
		if rejection.Offset == 0 {
			rejection.Offset = offset
		}
		if rejection.Type == "" {
			rejection.Type = clip(ev.Name)
		}
		return upstream.Item{Rejection: rejection, Offset: rejection.Offset}, true
	}
	if frame.Offset == 0 {
		frame.Offset = offset
	}
	return upstream.Item{Frame: frame, Offset: frame.Offset}, true
}

func clip(name string) string {
	return strings.ToValidUTF8(name[:min(len(name), maxTypeName)], "")
}

// offsetOf is an event's id when it is a decimal from 1, else 0.
func offsetOf(id []byte) int64 {
	if n, err := strconv.ParseInt(string(id), 10, 64); err == nil && n > 0 && id[0] != '+' {
		return n
	}
	return 0
}
