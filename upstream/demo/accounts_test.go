package demo

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Promise 17: there are accounts of so many users, and those who ask keep theirs.
func TestAccountsAreBounded(t *testing.T) {
	var a accounts
	now := time.Now()
	mine := a.of("me", now)
	for n := range 3 * maxAccounts {
		a.of(fmt.Sprint("user ", n), now)
		if n%100 == 0 {
			assert.Same(t, mine, a.of("me", now))
		}
	}
	assert.Len(t, a.byUser, maxAccounts)
	assert.Equal(t, maxAccounts, a.order.Len())
	first := a.of("user 0", now)
	assert.NotNil(t, first)
	assert.Len(t, a.byUser, maxAccounts)
}
