package bus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Log is the log of one conversation. Its methods are safe for concurrent use.
type Log struct {
	bus             *Bus
	stream, subject string
}

func (l *Log) partition() int {
	for p := range partitions {
		if streamName(p) == l.stream {
			return p
		}
	}
	return 0 // subjectOf names no other
}

// Log is the log of a tenant's conversation. It costs nothing until it is used.
func (b *Bus) Log(tenant, id string) *Log {
	stream, subject := subjectOf(b.opts.Scope, tenant, id)
	return &Log{b, stream, subject}
}

// ErrBehind says that somebody else has appended since the place that was given.
var ErrBehind = errors.New("somebody else was first")

// ErrRefused says that the bus does not take what is to be appended: it is full, mostly.
var ErrRefused = errors.New("the bus does not take it")

// The headers.
const (
	headerFormat = "Inlay-Format"
	headerPart   = "Inlay-Part" // which of how many: "2/3"; absent: the only one
)

// NewRecordID gives a record a name before it is appended, so that its writer knows it again.
func (b *Bus) NewRecordID() string { return b.id + "." + strconv.FormatInt(b.counts.next(), 36) }

func (c *counts) next() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.records++
	return c.records
}

// Append appends a record right behind a place, 0 for the log's beginning, and answers its own place. ErrBehind: somebody
// was first; it may have been this very record, if an answer to an earlier try was lost, which a follower knows by its id.
// ErrAway and ErrRefused: it may yet have been appended, again as a follower knows.
func (l *Log) Append(ctx context.Context, after uint64, r *Record) (seq uint64, err error) {
	b := l.bus
	if r.By = b.id; r.ID == "" {
		r.ID = b.NewRecordID()
	}
	text, err := r.encode()
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, b.opts.AppendLimit)
	defer cancel()
	size := max(min(int(b.conn.MaxPayload())-4096, 512<<10), 1024)
	parts := max((len(text)+size-1)/size, 1)
	for i := range parts {
		msg := &nats.Msg{Subject: l.subject, Data: text[i*size : min((i+1)*size, len(text))], Header: nats.Header{}}
		msg.Header.Set(headerFormat, strconv.Itoa(Format))
		id := r.ID
		if parts > 1 {
			msg.Header.Set(headerPart, fmt.Sprintf("%d/%d", i+1, parts))
			id = fmt.Sprintf("%s/%d", r.ID, i+1)
		}
		if after, err = l.publish(ctx, after, id, msg); err != nil {
			b.counts.add(func(s *Stats) {
				if errors.Is(err, ErrBehind) {
					s.Behind++
				} else {
					s.Failed++
				}
			})
			return 0, err
		}
	}
	b.counts.add(func(s *Stats) {
		s.Appended, s.Inputs, s.Bytes = s.Appended+1, s.Inputs+int64(len(r.Inputs)), s.Bytes+int64(len(text))
	})
	return after, nil
}

// publish appends one message. It is tried again as long as the bus is away: the place and the id see to it that it is
// there once.
func (l *Log) publish(ctx context.Context, after uint64, id string, msg *nats.Msg) (uint64, error) {
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		attempt, cancel := context.WithTimeout(ctx, 2*time.Second)
		ack, err := l.bus.js.PublishMsg(attempt, msg,
			jetstream.WithExpectLastSequencePerSubject(after), jetstream.WithMsgID(id), jetstream.WithRetryAttempts(0))
		cancel()
		switch {
		case err == nil:
			l.bus.saw(ack.Sequence)
			return ack.Sequence, nil
		case wrongPlace(err):
			return 0, ErrBehind
		case refused(err):
			return 0, fmt.Errorf("%w: %w", ErrRefused, err)
		case noStream(err): // or nobody leads it at the moment
			if again := l.bus.ensureStream(ctx, l.partition()); again != nil {
				l.bus.opts.Logger.Debug("a stream is missing", "error", again)
			}
		}
		select {
		case <-time.After(wait):
		case <-l.bus.ctx.Done():
			return 0, fmt.Errorf("%w: %w", ErrAway, err)
		case <-ctx.Done():
			return 0, fmt.Errorf("%w: %w", ErrAway, err)
		}
	}
}

// noStream tells whether the stream may be missing: somebody deleted it while the server went on.
func noStream(err error) bool {
	return errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, jetstream.ErrStreamNotFound)
}

// wrongPlace tells whether a message was not taken because of its expected place.
func wrongPlace(err error) bool {
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		return api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant
	}
	return false
}

// What the server answers when it has no room, or a message is too long for it.
const (
	codeInsufficientResources = 10023
	codeResourcesExceeded     = 10028
	codeStorageExceeded       = 10047
	codeStoreFailed           = 10077
)

func refused(err error) bool {
	if errors.Is(err, nats.ErrMaxPayload) {
		return true
	}
	api, ok := errors.AsType[*jetstream.APIError](err)
	if !ok {
		return false
	}
	switch api.ErrorCode {
	case codeInsufficientResources, codeResourcesExceeded, codeStorageExceeded, codeStoreFailed, jetstream.JSErrCodeStreamMessageExceedsMaximum:
		return true
	}
	return false
}

// Last is the place of the latest message, 0 where there is none.
func (l *Log) Last(ctx context.Context) (uint64, error) {
	var msg *jetstream.RawStreamMsg
	stream, err := l.bus.stream(ctx, l.stream)
	if err == nil {
		msg, err = stream.GetLastMsgForSubject(ctx, l.subject)
	}
	switch {
	case noStream(err):
		return 0, away(l.bus.ensureStream(ctx, l.partition()))
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return 0, nil
	case err != nil:
		return 0, away(fmt.Errorf("reading a log's end: %w", err))
	}
	return msg.Sequence, nil
}

// Stands tells whether the message at a place is there, and is the one of that id.
func (l *Log) Stands(ctx context.Context, seq uint64, id string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	stream, err := l.bus.stream(ctx, l.stream)
	if err != nil {
		return false, away(err)
	}
	msg, err := stream.GetMsg(ctx, seq)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return false, nil
	case err != nil:
		return false, away(fmt.Errorf("reading a log: %w", err))
	}
	return msg.Header.Get(nats.MsgIdHdr) == id, nil
}

// Cut drops what stands before a place. What is at it and behind stays.
func (l *Log) Cut(ctx context.Context, before uint64) error {
	stream, err := l.bus.stream(ctx, l.stream)
	if err != nil {
		return away(err)
	}
	return away(stream.Purge(ctx, jetstream.WithPurgeSubject(l.subject), jetstream.WithPurgeSequence(before)))
}

// stream finds a stream, once.
func (b *Bus) stream(ctx context.Context, name string) (jetstream.Stream, error) {
	if known, ok := b.streams.Load(name); ok {
		return known.(jetstream.Stream), nil
	}
	s, err := b.js.Stream(ctx, name)
	if err == nil {
		b.streams.Store(name, s)
	}
	return s, err
}

// splitPart reads "2/3".
func splitPart(text string) (part, of int, ok bool) {
	if text == "" {
		return 1, 1, true
	}
	a, b, _ := strings.Cut(text, "/")
	part, errA := strconv.Atoi(a)
	of, errB := strconv.Atoi(b)
	return part, of, errA == nil && errB == nil && part >= 1 && part <= of
}
