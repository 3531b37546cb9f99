package bus

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Following is one follower of a log.
type Following struct {
	bus      *Bus
	consumer jetstream.ConsumeContext
	tell     func(Event)

	// The delivering goroutine's own.
	last    uint64 // the place of the latest message
	id      string // of the record whose parts are coming, "" for none
	parts   int    // how many of them came
	partial []byte
}

// Follow tells every event behind a place, from a goroutine of its own, in order, one after the other, and what is
// appended from then on. It goes on by itself after an outage. ctx is for beginning alone; Stop ends it.
func (l *Log) Follow(ctx context.Context, after uint64, tell func(Event)) (*Following, error) {
	b := l.bus
	config := jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{l.subject}, DeliverPolicy: jetstream.DeliverAllPolicy, InactiveThreshold: time.Minute,
	}
	if after > 0 {
		config.DeliverPolicy, config.OptStartSeq = jetstream.DeliverByStartSequencePolicy, after+1
	}
	consumer, err := b.js.OrderedConsumer(ctx, l.stream, config)
	if err != nil {
		return nil, away(fmt.Errorf("following a log: %w", err))
	}
	f := &Following{bus: b, tell: tell, last: after}
	f.consumer, err = consumer.Consume(f.take, jetstream.PullMaxMessages(500), jetstream.PullExpiry(10*time.Second), jetstream.PullHeartbeat(2*time.Second),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
			b.opts.Logger.Debug("following a log", "error", err) // it begins again where it was
		}))
	if err != nil {
		return nil, away(fmt.Errorf("following a log: %w", err))
	}
	b.counts.add(func(s *Stats) { s.Following++ })
	return f, nil
}

// Stop ends it: nothing is told once it has returned, unless tell itself calls it.
func (f *Following) Stop() {
	f.consumer.Stop()
	f.bus.counts.add(func(s *Stats) { s.Following-- })
}

func (f *Following) take(msg jetstream.Msg) {
	meta, err := msg.Metadata()
	if err != nil { // not of a stream
		f.bus.counts.reject(reasonForeign)
		return
	}
	seq := meta.Sequence.Stream
	if seq <= f.last {
		return
	}
	f.bus.saw(seq)
	e := Event{Seq: seq}
	header := msg.Headers()
	format, expected, ok := ours(header)
	if !ok {
		f.bus.counts.reject(reasonForeign)
		f.id = ""
	} else {
		if e.Gap = expected != f.last; e.Gap {
			f.id = ""
		}
		f.read(&e, format, header, msg.Data())
	}
	f.last = seq
	f.bus.counts.add(func(s *Stats) {
		if e.Gap {
			s.Gaps++
		}
		if e.Record != nil {
			s.Delivered++
			s.Lag = max(time.Since(meta.Timestamp), 0)
		}
	})
	f.tell(e)
}

// ours reads the headers that every message of this package has.
func ours(header nats.Header) (format int, expected uint64, ok bool) {
	format, errA := strconv.Atoi(header.Get(headerFormat))
	expected, errB := strconv.ParseUint(header.Get(jetstream.ExpectedLastSubjSeqHeader), 10, 64)
	return format, expected, errA == nil && errB == nil && format >= 1
}

// read takes a message's text, and with the last of its parts the record.
func (f *Following) read(e *Event, format int, header nats.Header, text []byte) {
	part, of, ok := splitPart(header.Get(headerPart))
	id, _, _ := strings.Cut(header.Get(nats.MsgIdHdr), "/")
	switch {
	case format > Format:
		e.Newer = true
		f.reject(reasonNewer)
		return
	case !ok || id == "" || len(f.partial)+len(text) > maxRecord:
		f.reject(reasonMalformed)
		return
	case part == 1:
		f.id, f.parts, f.partial = id, 1, text[:len(text):len(text)]
	case f.id != id || part != f.parts+1:
		f.reject(reasonTorn)
		return
	default:
		f.parts, f.partial = part, append(f.partial, text...)
	}
	if part < of {
		return
	}
	r, err := f.bus.decoder.decode(f.partial)
	if err != nil {
		f.reject(reasonMalformed)
		return
	}
	r.ID = id
	e.Record = r
	f.id, f.partial = "", nil
}

func (f *Following) reject(reason string) {
	f.id, f.partial = "", nil
	f.bus.counts.reject(reason)
}
