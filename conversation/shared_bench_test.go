package conversation

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"inlaygraph/bus"
	"inlaygraph/wire"
)

// benchHub is a hub on a bus, or without one when url is "".
func benchHub(b *testing.B, url string, w *world) *Hub {
	b.Helper()
	opts := Options{Source: w, Driver: w, History: w}
	if url != "" {
		shared, err := bus.Open(b.Context(), bus.Options{URL: url, MaxBytes: 1 << 30})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(shared.Close)
		opts.Bus = shared
	}
	h := NewHub(opts)
	b.Cleanup(h.Close)
	return h
}

func benchNATS(b *testing.B) string {
	b.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: b.TempDir(), NoSigs: true, NoLog: true})
	if err != nil {
		b.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(soon) {
		b.Fatal("no NATS server")
	}
	b.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s.ClientURL()
}

func benchFollow(b *testing.B, h *Hub, id string) (*Subscription, *Viewer) {
	b.Helper()
	v, err := h.Open(b.Context(), user("u", 0), id)
	if err != nil {
		b.Fatal(err)
	}
	sub := v.Subscribe(timelineSlice, 0)
	b.Cleanup(sub.Close)
	if _, err := sub.Next(b.Context()); err != nil {
		b.Fatal(err)
	}
	return sub, v
}

// BenchmarkSharedLatency is the time from a frame's arrival from upstream to a subscriber's reading it: alone, at the
// server that reads, and at another.
func BenchmarkSharedLatency(b *testing.B) {
	for _, at := range []string{"alone", "reader", "other"} {
		b.Run(at, func(b *testing.B) {
			s := chat(1, b.N+200)
			p := newFake(s, 4)
			w := newWorld(p)
			url := ""
			if at != "alone" {
				url = benchNATS(b)
			}
			sub, _ := benchFollow(b, benchHub(b, url, w), conv)
			if at == "other" {
				sub, _ = benchFollow(b, benchHub(b, url, w), conv)
			}
			for p.open() == 0 {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(500 * time.Millisecond)
			took := make([]time.Duration, 0, b.N)
			b.ResetTimer()
			for range b.N {
				began := time.Now()
				p.play(1)
				if _, err := sub.Next(b.Context()); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			b.StopTimer()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-p50")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99")
		})
	}
}

// BenchmarkSharedJoin is the time that a server takes to have a conversation of so many rows that another one reads.
func BenchmarkSharedJoin(b *testing.B) {
	for _, rows := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			t := tale(conv)
			t.starts("r")
			for i := range rows {
				t.says(fmt.Sprintf("%d %0200d", i, i))
			}
			p := newFake(t.told(), 3)
			w := newWorld(p)
			url := benchNATS(b)
			_, first := benchFollow(b, benchHub(b, url, w), conv)
			p.playTo(len(t.frames))
			for first.rows() < rows {
				time.Sleep(time.Millisecond)
			}
			for b.Loop() {
				b.StopTimer()
				h := benchHub(b, url, w)
				b.StartTimer()
				v, err := h.Open(b.Context(), user("u", 0), conv)
				if err != nil {
					b.Fatal(err)
				}
				if n := v.rows(); n != rows {
					b.Fatal(n, "rows")
				}
			}
		})
	}
}

// BenchmarkSharedMemory is what a conversation costs that another server reads, its rows aside.
func BenchmarkSharedMemory(b *testing.B) {
	const many = 300
	var fakes []*fake
	for i := range many {
		t := tale(fmt.Sprint("c", i))
		t.starts("r")
		t.says("hello")
		t.pauses(wire.Paused)
		fakes = append(fakes, newFake(t.told(), 3))
	}
	w := newWorld(fakes...)
	url := benchNATS(b)
	h := benchHub(b, url, w)
	for b.Loop() {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		goroutines := runtime.NumGoroutine()
		for _, p := range fakes {
			benchFollow(b, h, p.id())
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/many/1024, "KiB/conversation")
		b.ReportMetric(float64(runtime.NumGoroutine()-goroutines)/many, "goroutines/conversation")
	}
}
