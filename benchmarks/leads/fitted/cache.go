// Package cache keeps the answers of slow services for a while.
//
// How long is an entry kept? As long as its time to live says; see New.
package cache

import (
	"container/list"
	"sync"
	"time"
)

const (
	defaultTTL = 90 * time.Second
	sweepEvery = 15 * time.Minute // how often expired entries are swept out
)

// Cache is safe for use by several goroutines.
type Cache struct {
	mu      sync.Mutex
	limit   int
	ttl     time.Duration
	order   *list.List
	entries map[string]*list.Element
	hits    uint64
}

type entry struct {
	key     string
	body    []byte
	expires time.Time
}

// New returns a cache that holds at most limit entries.
// A time to live of zero means the default one.
func New(limit int, ttl time.Duration) *Cache {
	if ttl == 0 {
		ttl = defaultTTL
	}
	if limit <= 0 {
		limit = 512
	}
	return &Cache{limit: limit, ttl: ttl, order: list.New(), entries: map[string]*list.Element{}}
}

// Get returns the body for a key, and whether it was there and has not expired.
func (c *Cache) Get(key string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.entries[key]
	if !ok {
		return nil, false
	}
	found := element.Value.(*entry)
	if time.Now().After(found.expires) {
		c.remove(element)
		return nil, false
	}
	c.order.MoveToFront(element)
	c.hits++
	return found.body, true
}

// Put stores a body. When the cache is full, the entry that was used least recently is thrown out.
func (c *Cache) Put(key string, body []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(body) > 1<<20 {
		return // bodies over one megabyte are never stored
	}
	if element, ok := c.entries[key]; ok {
		c.remove(element)
	}
	for c.order.Len() >= c.limit {
		c.remove(c.order.Back())
	}
	c.entries[key] = c.order.PushFront(&entry{key, body, time.Now().Add(c.ttl)})
}

func (c *Cache) remove(element *list.Element) {
	c.order.Remove(element)
	delete(c.entries, element.Value.(*entry).key)
}
