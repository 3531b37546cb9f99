package conversation

import (
	"cmp"
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"time"

	"inlaygraph/coded"
)

// Memory is how the process stands to the limit that the Go runtime was given (GOMEMLIMIT), in bytes.
type Memory struct {
	// Used is what the last garbage collection left, and what the runtime itself takes.
	Used int64
	// Limit is 0 when there is none.
	Limit int64
}

// Conversations leave memory early once more of the limit is used than evictAbove, until it is expected to be evictTo.
// While more than evictAbove is used after that, no conversation is let in.
const (
	evictAbove = 0.8
	evictTo    = 0.7
)

// leastBytes is what a conversation takes at least, as good as it can be guessed.
const leastBytes = 32 << 10

// errShort is what whoever opens a conversation hears that there is no memory for.
var errShort error = coded.New(coded.RateLimited, "the server is short of memory: try again later")

// memorySamples are what ReadMemory asks the runtime for.
var memorySamples = []string{
	"/gc/gomemlimit:bytes", "/gc/heap/live:bytes", "/memory/classes/total:bytes", "/memory/classes/heap/objects:bytes",
	"/memory/classes/heap/unused:bytes", "/memory/classes/heap/free:bytes", "/memory/classes/heap/released:bytes",
}

// ReadMemory asks the runtime. Garbage does not count: near the limit it is collected as often as it takes.
func ReadMemory() Memory {
	samples := make([]metrics.Sample, len(memorySamples))
	for i, name := range memorySamples {
		samples[i].Name = name
	}
	metrics.Read(samples)
	value := func(i int) int64 { return int64(min(samples[i].Value.Uint64(), math.MaxInt64)) }
	m := Memory{Limit: value(0), Used: value(1) + value(2)}
	for i := 3; i < len(samples); i++ { // of the whole the heap's part, which is said by what is live
		m.Used -= value(i)
	}
	if m.Limit == math.MaxInt64 {
		m.Limit = 0
	}
	return m
}

// watchMemory looks every MemoryPoll how much memory there is.
func (h *Hub) watchMemory() {
	tick := time.NewTicker(h.opts.MemoryPoll)
	defer tick.Stop()
	for {
		select {
		case <-h.ctx.Done():
			return
		case <-tick.C:
			h.relieve()
		}
	}
}

// relieve lets conversations that nobody follows leave memory when it is short, and says whether others may come.
func (h *Hub) relieve() {
	m := h.opts.Memory()
	for m.tight() && h.evictBytes(m.Used-int64(float64(m.Limit)*evictTo)) { // each time by a guess
		h.opts.Collect() // else what they took counts on
		m = h.opts.Memory()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if m.tight() && !h.tight {
		h.opts.Logger.Warn("short of memory", "used", m.Used, "limit", m.Limit, "conversations", len(h.live))
	}
	h.tight = m.tight()
}

func (m Memory) tight() bool {
	return m.Limit > 0 && float64(m.Used) > float64(m.Limit)*evictAbove
}

// evictBytes drops conversations that nobody follows, the longest unasked first, until they are expected to have taken so
// many bytes. It reports whether it dropped any.
func (h *Hub) evictBytes(bytes int64) (dropped bool) {
	type idle struct {
		*reader
		use time.Time
	}
	var idles []idle
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.live {
		if use, ok := r.idleLocked(); ok {
			idles = append(idles, idle{r, use})
		}
	}
	slices.SortFunc(idles, func(a, b idle) int { return cmp.Or(a.use.Compare(b.use), cmp.Compare(a.id, b.id)) })
	for _, i := range idles {
		if bytes <= 0 {
			break
		}
		held := i.live.held()
		bytes -= held.WindowBytes + held.StateBytes + leastBytes
		h.dropLocked(i.reader)
		h.evictedForMemory++
		dropped = true
	}
	return dropped
}

// idleLocked tells whether nobody follows a conversation or waits for it, and when it was last asked for. Hub.mu is held.
func (r *reader) idleLocked() (use time.Time, ok bool) {
	n, use := r.live.following()
	return use, n == 0 && r.asked == nil && r.driven == nil && !r.live.isDriving()
}

// collect has the garbage collected.
func collect() { runtime.GC() }
