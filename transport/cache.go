package transport

import (
	"container/list"
	"sync"
)

// documentCache keeps validated documents by their text, the least recently used leaving first. Its size is the sum of
// the documents' estimated bytes, so that a client cannot fill memory with long documents.
type documentCache struct {
	mu       sync.Mutex
	maxBytes int
	bytes    int
	order    *list.List // of *document, newest first
	byText   map[string]*list.Element
}

func newDocumentCache(maxBytes int) *documentCache {
	return &documentCache{maxBytes: maxBytes, order: list.New(), byText: map[string]*list.Element{}}
}

func (c *documentCache) get(text string) *document {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byText[text]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*document)
}

func (c *documentCache) add(d *document) {
	if d.bytes > c.maxBytes {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byText[d.text]; ok {
		return
	}
	c.byText[d.text] = c.order.PushFront(d)
	c.bytes += d.bytes
	for c.bytes > c.maxBytes {
		last := c.order.Back()
		old := last.Value.(*document)
		c.order.Remove(last)
		delete(c.byText, old.text)
		c.bytes -= old.bytes
	}
}
