//go:build langgraph

package langgraph

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const secret = "a secret of the tests, long enough for its algorithm"

func enrol(t *testing.T, s *server, tenant, subject string) user {
	t.Helper()
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"sub": subject, "tenant": tenant, "exp": time.Now().Add(time.Hour).Unix(),
	}).SignedString([]byte(secret))
	require.NoError(t, err)
	return user{s, token}
}

// A LangGraph server knows no users: ours keeps them apart.
func TestUsersAreKeptApart(t *testing.T) {
	t.Parallel()
	s := frontOf(t, langGraph, "--jwt-secret", secret)
	acme := fmt.Sprint("acme", time.Now().UnixNano()) // the server may remember tests before this one
	ann := enrol(t, s, acme, "ann")
	others := map[string]user{
		"her colleague": enrol(t, s, acme, "bob"), "her namesake": enrol(t, s, "other"+acme, "ann"), "who is spelled alike": enrol(t, s, acme+"a", "nn"),
	}
	id := ann.send(t, "chat", "hello", "")
	ann.settle(t, id)
	list := func(u user) (all []string) {
		var data struct {
			Conversations struct {
				Items []struct{ ConversationID, AgentID, Title, Status string }
			}
		}
		u.do(t, &data, "{ conversations { items { conversationId agentId title status } } }")
		for _, c := range data.Conversations.Items {
			all = append(all, fmt.Sprint(c.ConversationID, " ", c.AgentID, " ", c.Title, " ", c.Status))
		}
		return all
	}
	assert.Equal(t, []string{id + " chat hello PAUSED"}, list(ann))
	for who, u := range others {
		assert.Empty(t, list(u), who)
		assert.Nil(t, u.find(t, id), who)
		for _, text := range []string{
			sending("chat", "mine", id), answering(id, "x", "y"),
			fmt.Sprintf("mutation { cancel(conversationId: %q) { conversation { id } } }", id),
			fmt.Sprintf("mutation { retry(conversationId: %q) { conversation { id } } }", id),
		} {
			assert.Equal(t, "NOT_FOUND", u.refused(t, text), "%s: %s", who, text)
		}
	}
	// Hers again after a restart.
	again := enrol(t, frontOf(t, langGraph, "--jwt-secret", secret), acme, "ann")
	assert.Len(t, again.read(t, id).Timeline, 2)
	assert.Equal(t, "UNAUTHENTICATED", user{server: s}.refused(t, reading(id)))
}

// What a LangGraph server has not, is not there, and says so.
func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	u := user{server: front(t)}
	id := u.send(t, "chat", "hello", "")
	u.settle(t, id)
	for text, code := range map[string]string{
		"{ billing { balance { availableMicroUsd } } }": "NOT_FOUND",
		sending("no-such-agent", "hello", ""):           "NOT_FOUND",
		sending("../threads", "hello", ""):              "NOT_FOUND",
		reading("not-a-thread"):                         "NOT_FOUND",
		reading("00000000-0000-4000-8000-000000000000"): "NOT_FOUND",
	} {
		if r := u.ask(t, text); len(r.Errors) > 0 {
			assert.Equal(t, code, r.Errors[0].Extensions.Code, text)
		} else {
			assert.NotContains(t, string(r.Data), "{\"", text)
		}
	}
}

// What stands at the address is told when we start.
func TestWhatStandsThere(t *testing.T) {
	t.Parallel()
	answers := map[string]http.HandlerFunc{
		"no LangGraph server answers there": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"GET /info is answered with 404":    http.NotFound,
		"it takes 1.0 at least": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"version":"0.0.40","context":"js"}`)
		},
		"does it want an API key": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
	}
	for want, answer := range answers {
		there := httptest.NewServer(answer)
		assert.Contains(t, startsInVain(t, there.URL), want)
		there.Close()
	}
	nobody := httptest.NewServer(http.NotFoundHandler())
	nobody.Close()
	assert.Contains(t, startsInVain(t, nobody.URL), "the LangGraph server does not answer")
}

// startsInVain starts our program, which must not serve, and answers why.
func startsInVain(t *testing.T, url string) string {
	t.Helper()
	s := command(t, "serve", "--listen", "127.0.0.1:0", "--insecure", "--upstream", "langgraph+"+url)
	select {
	case err := <-s.exited:
		require.Error(t, err)
	case <-time.After(patience):
		s.kill(t)
		require.Fail(t, "it serves")
	}
	return s.stderr.String()
}
