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
	log      *Log
	consumer jetstream.ConsumeContext
	tell     func(Event)
	ctx      context.Context // until it is stopped
	stop     context.CancelFunc

	// The delivering goroutine's own.
	last    uint64 // the place of the latest message
	lastID  string // its id, "" while it is not known, or it has none
	outages int64  // of the connection, up to which what was followed still stands
	id      string // of the record whose parts are coming, "" for none
	parts   int    // how many of them came
	partial []byte
}

// Follow tells every event behind a place, from a goroutine of its own, in order, one after the other, and what is
// appended from then on. It goes on by itself after an outage. ctx is for beginning alone; Stop ends it.
func (l *Log) Follow(ctx context.Context, after uint64, tell func(Event)) (*Following, error) {
	b := l.bus
	outages := b.Outages()
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
	f := &Following{bus: b, log: l, tell: tell, last: after, outages: outages}
	f.ctx, f.stop = context.WithCancel(b.ctx)
	f.consumer, err = consumer.Consume(f.take, jetstream.PullMaxMessages(500), jetstream.PullExpiry(10*time.Second), jetstream.PullHeartbeat(2*time.Second),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
			b.opts.Logger.Debug("following a log", "error", err) // it begins again where it was
		}))
	if err != nil {
		f.stop()
		return nil, away(fmt.Errorf("following a log: %w", err))
	}
	b.counts.add(func(s *Stats) { s.Following++ })
	return f, nil
}

// Stop ends it: nothing is told once it has returned, unless tell itself calls it.
func (f *Following) Stop() {
	f.stop()
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
	header := msg.Headers()
	e := Event{Seq: seq, ID: header.Get(nats.MsgIdHdr)}
	format, expected, ok := ours(header)
	if !ok {
		f.bus.counts.reject(reasonForeign)
		f.id = ""
	} else {
		if e.Gap = expected != f.last || !f.stands(); e.Gap {
			f.id = ""
		}
		if f.ctx.Err() != nil { // meanwhile
			return
		}
		f.read(&e, format, header, msg.Data())
	}
	f.last, f.lastID = seq, e.ID
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

// stands tells whether the latest message is still the one that was read. A server that comes back may have lost the latest
// ones, after a crash of its machine or from a backup, and deals their places again.
func (f *Following) stands() bool {
	outages := f.bus.Outages()
	if outages == f.outages {
		return true
	}
	for wait := 20 * time.Millisecond; f.lastID != ""; wait = min(2*wait, 500*time.Millisecond) {
		if there, err := f.log.Stands(f.ctx, f.last, f.lastID); err == nil {
			if !there {
				f.outages = outages
				return false
			}
			break
		}
		select {
		case <-time.After(wait):
		case <-f.ctx.Done():
			return false
		}
	}
	f.outages = outages
	return true
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
