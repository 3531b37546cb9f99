package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// told is one event as the tables below write it.
type told struct {
	name   string
	id     string
	data   string
	tooBig bool
	cut    bool
}

func readAll(r io.Reader, limit int) ([]told, error) {
	s := NewReader(r, limit)
	var all []told
	for {
		ev, err := s.Next()
		if err != nil {
			return all, err
		}
		all = append(all, told{ev.Name, string(ev.ID), string(ev.Data), ev.TooBig, ev.Cut})
	}
}

// Promise 3.
func TestSSE(t *testing.T) {
	long := strings.Repeat("x", 65)
	for _, c := range []struct {
		name, in string
		want     []told
	}{
		{"empty", "", nil},
		{"one", "id: 7\nevent: a\ndata: {}\n\n", []told{{"a", "7", "{}", false, false}}},
		{"any order", "data: {}\nevent: a\nid: 7\n\n", []told{{"a", "7", "{}", false, false}}},
		{"no space", "id:7\nevent:a\ndata:{}\n\n", []told{{"a", "7", "{}", false, false}}},
		{"only the first space goes", "data:  x\n\n", []told{{"", "", " x", false, false}}},
		{"crlf", "id: 7\r\nevent: a\r\ndata: {}\r\n\r\n", []told{{"a", "7", "{}", false, false}}},
		{"cr", "id: 7\revent: a\rdata: {}\r\r", []told{{"a", "7", "{}", false, false}}},
		{"mixed ends", "id: 7\r\ndata: 1\n\rdata: 2\r\r\n", []told{{"", "7", "1", false, false}, {"", "", "2", false, false}}},
		{"bom", "\ufeffdata: 1\n\n", []told{{"", "", "1", false, false}}},
		{"a bom later is text", "data: 1\n\n\ufeffdata: 2\n\n", []told{{"", "", "1", false, false}}},
		{"comments", ": hello\n\n:\n\ndata: 1\n: between\n\n", []told{{"", "", "1", false, false}}},
		{"lines", "data: {\ndata: \"a\":1\ndata: }\n\n", []told{{"", "", "{\n\"a\":1\n}", false, false}}},
		{"two", "data: 1\n\ndata: 2\n\n", []told{{"", "", "1", false, false}, {"", "", "2", false, false}}},
		{"many blanks", "\n\n\ndata: 1\n\n\n\n", []told{{"", "", "1", false, false}}},
		{"an id is its event's own", "id: 7\n\ndata: 1\n\nid: 8\ndata: 2\n\ndata: 3\n\n",
			[]told{{"", "", "1", false, false}, {"", "8", "2", false, false}, {"", "", "3", false, false}}},
		{"ids as they stand", "id: x\ndata: 1\n\nid: -4\ndata: 2\n\nid: +4\ndata: 3\n\nid: 99999999999999999999\ndata: 4\n\nid:\ndata: 5\n\n",
			[]told{{"", "x", "1", false, false}, {"", "-4", "2", false, false}, {"", "+4", "3", false, false},
				{"", "99999999999999999999", "4", false, false}, {"", "", "5", false, false}}},
		{"the last id counts", "id: 1\nid: 2\ndata: x\n\n", []told{{"", "2", "x", false, false}}},
		{"empty data is a keep-alive", "event: ping\ndata:\n\ndata\n\ndata: 1\n\n", []told{{"", "", "1", false, false}}},
		{"other fields", "retry: 10\nfoo: bar\ndata: 1\n\n", []told{{"", "", "1", false, false}}},
		{"no blank line", "id: 7\ndata: 1\n", []told{{"", "7", "1", false, true}}},
		{"no line end", "id: 7\ndata: 1", []told{{"", "7", "1", false, true}}},
		{"a cut id is none", "data: 1\nid: 1", []told{{"", "", "1", false, true}}},
		{"cut before data", "id: 7\nevent: a\n", nil},
		{"cut in the name", "data: 1\n\ndat", []told{{"", "", "1", false, false}}},
		{"at the limit", "data: " + long[:64] + "\n\n", []told{{"", "", long[:64], false, false}}},
		{"over the limit", "id: 7\nevent: a\ndata: " + long + "\n\ndata: 1\n\n",
			[]told{{"a", "7", "", true, false}, {"", "", "1", false, false}}},
		{"far over, id last", "event: a\ndata: " + strings.Repeat(long, 99) + "\nid: 7\n\ndata: 1\n\n",
			[]told{{"a", "7", "", true, false}, {"", "", "1", false, false}}},
		{"over in sum", "data: " + long[:40] + "\ndata: " + long[:40] + "\ndata: y\n\ndata: 1\n\n",
			[]told{{"", "", "", true, false}, {"", "", "1", false, false}}},
		{"over and cut", "id: 7\ndata: " + long, []told{{"", "7", "", true, true}}},
		{"a long name is ignored", "event: " + strings.Repeat("e", 5000) + "\ndata: 1\n\n", []told{{"", "", "1", false, false}}},
		{"a long comment", ":" + strings.Repeat("c", 70_000) + "\ndata: 1\n\n", []told{{"", "", "1", false, false}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{
				"whole":     strings.NewReader(c.in),
				"bytes":     iotest.OneByteReader(strings.NewReader(c.in)),
				"with data": iotest.DataErrReader(strings.NewReader(c.in)),
			} {
				got, err := readAll(r, 64)
				assert.Equal(t, io.EOF, err, name)
				assert.Equal(t, c.want, got, name)
			}
		})
	}
}

func TestSSEEndsWithTheReadersError(t *testing.T) {
	broken := errors.New("reset by peer")
	s := NewReader(io.MultiReader(strings.NewReader("data: 1\n\ndata: 2\n"), iotest.ErrReader(broken)), 64)
	for _, want := range []struct {
		data string
		cut  bool
	}{{"1", false}, {"2", true}} {
		ev, err := s.Next()
		require.NoError(t, err)
		assert.Equal(t, want.data, string(ev.Data))
		assert.Equal(t, want.cut, ev.Cut)
	}
	for range 3 {
		_, err := s.Next()
		assert.Equal(t, broken, err)
	}
}

func TestSSEDoesNotSpinOnAnEmptyReader(t *testing.T) {
	_, err := NewReader(emptyReader{}, 64).Next()
	assert.Equal(t, io.ErrNoProgress, err)
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }

// Promise 2: an oversized event is not held.
func TestSSEHoldsNoOversizedLine(t *testing.T) {
	const limit = 1 << 10
	endless := io.LimitReader(repeating("x"), 64<<20)
	s := NewReader(io.MultiReader(strings.NewReader("id: 9\ndata: "), endless, strings.NewReader("\n\ndata: ok\n\n")), limit)
	ev, err := s.Next()
	require.NoError(t, err)
	assert.True(t, ev.TooBig)
	assert.Equal(t, "9", string(ev.ID))
	assert.LessOrEqual(t, cap(s.line), 2*(limit+maxField))
	assert.LessOrEqual(t, cap(s.data), 2*limit)
	ev, err = s.Next()
	require.NoError(t, err)
	assert.Equal(t, "ok", string(ev.Data))
}

type repeating string

func (r repeating) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r[0]
	}
	return len(p), nil
}

// FuzzSSE: no input makes the reader panic, hold more than its limit, or read differently in other portions.
func FuzzSSE(f *testing.F) {
	for _, seed := range []string{
		"id: 1\nevent: message.delta\ndata: {\"type\":\"message.delta\"}\n\n", "\ufeffdata: 1\r\n\r\n", "data\rdata:x\r\r",
		": c\n\ndata: é😀\n\nid: 3\ndata: {", "id: 1\n\n\nid: 2\ndata: x\n", strings.Repeat("data: 0123456789\n", 20) + "\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		const limit = 48
		whole, err := readAll(bytes.NewReader(in), limit)
		require.Equal(t, io.EOF, err)
		halves, err := readAll(iotest.HalfReader(bytes.NewReader(in)), limit)
		require.Equal(t, io.EOF, err)
		bits, err := readAll(iotest.OneByteReader(bytes.NewReader(in)), limit)
		require.Equal(t, io.EOF, err)
		require.Equal(t, whole, halves)
		require.Equal(t, whole, bits)
		for i, ev := range whole {
			require.LessOrEqual(t, len(ev.data), limit)
			require.Equal(t, ev.tooBig, ev.data == "", "data or too big, one of them")
			require.True(t, !ev.cut || i == len(whole)-1, "only the last event can be cut")
		}
	})
}

func BenchmarkSSE(b *testing.B) {
	var text bytes.Buffer
	const events = 1000
	for i := range events {
		fmt.Fprintf(&text, "id: %d\nevent: message.delta\ndata: {\"type\":\"message.delta\",\"offset\":%d,\"id\":\"m1\",\"node_id\":\"answer\",\"activation\":\"a1\",\"content\":\" word\"}\n\n", i+1, i+1)
	}
	b.ReportAllocs()
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		s := NewReader(bytes.NewReader(text.Bytes()), 1<<20)
		n := 0
		for {
			if _, err := s.Next(); err != nil {
				break
			}
			n++
		}
		if n != events {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
}
