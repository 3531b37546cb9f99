package billing

import (
	"context"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// fake is an upstream that notes what it is asked and says what it is told to.
type fake struct {
	mu     sync.Mutex
	asked  []request
	answer []byte
	err    error
}

type request struct {
	method, path, auth string
	query              url.Values
	body               string
}

func saying(text string) *fake { return &fake{answer: []byte(text)} }

func (f *fake) Get(_ context.Context, auth string, query url.Values, path ...string) ([]byte, error) {
	return f.note(request{"GET", strings.Join(path, "/"), auth, query, ""})
}

func (f *fake) Post(_ context.Context, auth string, body []byte, path ...string) ([]byte, error) {
	return f.note(request{"POST", strings.Join(path, "/"), auth, nil, string(body)})
}

func (f *fake) note(r request) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, r)
	return f.answer, f.err
}

// answer is one of what upstream answers, and how it is asked for.
type answer struct {
	name string // the last segment of its path, and of its files in testdata
	typ  string // its type in GraphQL; of the elements where it is a list
	list string // the member that holds the list, "" where the answer is no list
	ask  func(context.Context, *Facade, string) (any, error)
}

// answers are all of them. What is asked for is a pointer, to a slice where the answer is a list.
var answers = []answer{
	{"balance", "BillingBalance", "", func(ctx context.Context, f *Facade, auth string) (any, error) {
		return there(f.For(auth).Balance(ctx))
	}},
	{"usage", "BillingUsage", "", func(ctx context.Context, f *Facade, auth string) (any, error) {
		return there(f.For(auth).Usage(ctx, nil, nil))
	}},
	{"plans", "BillingPlans", "", func(ctx context.Context, f *Facade, auth string) (any, error) {
		return there(f.For(auth).Plans(ctx))
	}},
	{"invoices", "BillingInvoice", "invoices", func(ctx context.Context, f *Facade, auth string) (any, error) {
		return listed(f.For(auth).Invoices(ctx, nil, nil))
	}},
	{"grants", "CreditGrantView", "grants", func(ctx context.Context, f *Facade, auth string) (any, error) {
		return listed(f.For(auth).Grants(ctx))
	}},
	{"topup", "HostedCheckout", "", func(ctx context.Context, f *Facade, auth string) (any, error) {
		return there(f.Topup(ctx, auth, 1, nil))
	}},
	{"subscribe", "HostedCheckout", "", func(ctx context.Context, f *Facade, auth string) (any, error) {
		return there(f.SubscribeCheckout(ctx, auth, "pro", nil))
	}},
}

// there keeps a nil pointer from becoming an any that is not nil, where it should be one: beside an error.
func there[T any](value *T, err error) (any, error) {
	if value == nil {
		return nil, err
	}
	return value, err
}

func listed[T any](list []T, err error) (any, error) {
	if list == nil {
		return nil, err
	}
	return &list, err
}

// read is what an answer of that text reads as.
func (a answer) read(t *testing.T, text []byte) (any, error) {
	t.Helper()
	return a.ask(t.Context(), New(saying(string(text))), "tok")
}

// sample is an answer that says everything, at least in the first element of each list.
func (a answer) sample(t testing.TB) []byte {
	t.Helper()
	name := a.name
	if name == "subscribe" {
		name = "topup"
	}
	text, err := os.ReadFile("testdata/" + name + ".json")
	require.NoError(t, err)
	return text
}
