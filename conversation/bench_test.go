package conversation

import (
	"fmt"
	"sync"
	"testing"

	"inlaygraph/projection"
)

// BenchmarkApplyWakes: what a delta costs that wakes everybody who follows its slice, until each of them has read
// the newest value. "alone" is the cost of folding and marking, with nobody to run.
func BenchmarkApplyWakes(b *testing.B) {
	for _, shape := range []struct{ slices, each int }{{1, 1}, {1, 1000}, {100, 10}} {
		name := fmt.Sprintf("%d slices of %d", shape.slices, shape.each)
		b.Run(name, func(b *testing.B) { benchmarkWakes(b, shape.slices, shape.each) })
		b.Run(name+" alone", func(b *testing.B) { benchmarkMarks(b, shape.slices, shape.each) })
	}
}

// fanOut makes a conversation whose nodes are followed by so many each.
func fanOut(b *testing.B, slices, each int) (l *Live, nodes []string, subs [][]*Subscription) {
	l = NewLive(conv)
	for i := range slices {
		node := fmt.Sprint("n", i)
		nodes, subs = append(nodes, node), append(subs, nil)
		l.Apply(token(node, "x"))
		for range each {
			s := l.Subscribe(rowsAt(node), 0)
			b.Cleanup(s.Close)
			subs[i] = append(subs[i], s)
		}
	}
	return l, nodes, subs
}

func benchmarkWakes(b *testing.B, slices, each int) {
	l, nodes, subs := fanOut(b, slices, each)
	var woken, readers sync.WaitGroup
	woken.Add(slices * each)
	for _, following := range subs {
		for _, s := range following {
			readers.Go(func() {
				for {
					if _, err := s.Next(b.Context()); err != nil {
						return
					}
					woken.Done()
				}
			})
		}
	}
	woken.Wait()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		woken.Add(each)
		if _, n := l.Apply(token(nodes[i%slices], " word")); n != each {
			b.Fatal(n)
		}
		woken.Wait()
		i++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(i*each), "ns/woken")
	l.end(errClosed)
	readers.Wait()
}

func benchmarkMarks(b *testing.B, slices, each int) {
	l, nodes, subs := fanOut(b, slices, each)
	calm := func(following []*Subscription) {
		for _, s := range following {
			<-s.signal
			s.dirty = false
		}
	}
	for _, following := range subs {
		calm(following)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, n := l.Apply(token(nodes[i%slices], " word")); n != each {
			b.Fatal(n)
		}
		calm(subs[i%slices])
		i++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(i*each), "ns/woken")
}

// BenchmarkFold: what a frame costs on its way from a stream into a conversation that somebody follows.
func BenchmarkFold(b *testing.B) {
	s := chat(1, 1000)
	b.ReportAllocs()
	frames := 0
	for b.Loop() {
		l := NewLive(conv)
		sub := l.Subscribe(timelineSlice, 0)
		for _, f := range s.frames {
			if _, gap := l.take(item(f), 0); gap {
				b.Fatal("a gap")
			}
			frames++
		}
		sub.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(frames), "ns/frame")
}

// BenchmarkFollow: the same on its whole way from upstream through the reader.
func BenchmarkFollow(b *testing.B) {
	const words = 100_000
	s := chat(1, words)
	frames := 0
	for b.Loop() {
		p := newFake(s, 3)
		h := NewHub(Options{Source: p})
		l, err := h.Open(b.Context(), nobody, conv)
		if err != nil {
			b.Fatal(err)
		}
		status := l.Subscribe([]projection.Slice{{Kind: projection.SliceStatus}}, 0)
		p.play(words + 3)
		for now := projection.ChatStreaming; now == projection.ChatStreaming; {
			c, err := status.Next(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			now = c.Snapshot().Status()
		}
		status.Close()
		h.Close()
		frames += words
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(frames), "ns/frame")
}
