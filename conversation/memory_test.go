package conversation

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// inMemory is HTTP without sockets, which a bubble can't wait for.
type inMemory struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (m inMemory) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	body, in := io.Pipe()
	w := &memoryWriter{in: in, header: http.Header{}, answered: make(chan int, 1)}
	context.AfterFunc(ctx, func() { body.CloseWithError(ctx.Err()) })
	go func() {
		defer func() {
			if recover() != nil { // http.ErrAbortHandler
				in.CloseWithError(io.ErrUnexpectedEOF)
			}
		}()
		m.handler.ServeHTTP(w, req.WithContext(ctx))
		w.WriteHeader(http.StatusOK)
		in.Close()
	}()
	select {
	case status := <-w.answered:
		return &http.Response{
			StatusCode: status, Header: w.header.Clone(), Request: req, ProtoMajor: 1, ProtoMinor: 1,
			Body: memoryBody{body, cancel},
		}, nil
	case <-ctx.Done():
		cancel()
		return nil, req.Context().Err()
	}
}

type memoryBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (b memoryBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}

type memoryWriter struct {
	in       *io.PipeWriter
	header   http.Header
	once     sync.Once
	answered chan int
}

func (w *memoryWriter) Header() http.Header { return w.header }

func (w *memoryWriter) WriteHeader(status int) { w.once.Do(func() { w.answered <- status }) }

func (w *memoryWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.in.Write(b)
}

// Flush implements http.Flusher: nothing is held back but the header.
func (w *memoryWriter) Flush() { w.WriteHeader(http.StatusOK) }
