package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
)

// Options are the settings of a Handler. The zero value of a field means the default named beside it, which is the
// figure of docs/service.md ("Limits, all configurable") where that page has one.
type Options struct {
	// Limits on a document, checked before it is validated.
	MaxTokens                int // 5,000, comments included
	MaxAliasesPerField       int // 30 aliases of one field name in the document
	MaxDirectives            int // 50 in the document
	MaxIntrospectionDepth    int // 15 levels, __schema or __type being the first
	MaxFieldsPerResponseName int // 50 in one selection set, its fragments included
	MaxDepth                 int // 200 selection sets within one another, fragments expanded
	MaxExpandedFields        int // 50,000 fields, every spread counted with its fragment's fields

	// Limits on sizes, in bytes.
	MaxRequestBytes     int64 // 2 MiB: a request body, or a WebSocket message
	MaxResponseBytes    int   // 16 MiB: one encoded result
	MaxOperationIDBytes int   // 256 bytes of an operation id on a WebSocket
	DocumentCacheBytes  int   // 32 MiB of validated documents, estimated

	// Limits on connections. A WebSocket and an SSE stream are one connection each.
	MaxConnections             int // 20,000
	MaxOperationsPerConnection int // 100 on one WebSocket
	QueueMessages              int // 16 encoded messages waiting on one WebSocket
	QueueBytes                 int // 1 MiB of them; a larger single message is let in when it is alone

	ReadTimeout       time.Duration // 10 s for a request's body
	InitTimeout       time.Duration // 3 s from the upgrade to connection_init
	WriteTimeout      time.Duration // 10 s without progress of a write
	CloseTimeout      time.Duration // 2 s for the closing handshake of a WebSocket
	PingInterval      time.Duration // 15 s between a WebSocket's ping frames
	PeerTimeout       time.Duration // 40 s without any frame of a WebSocket's peer
	KeepAliveInterval time.Duration // 15 s between the comments of an SSE stream
	ExpiryGrace       time.Duration // 2 s after a session's expiry, when the last byte must be written

	// DisableIntrospection refuses __schema and __type and takes the suggestions ("did you mean") out of messages.
	DisableIntrospection bool

	// ChangeFields are the subscription fields whose messages are changes, so that equal ones in a row are all sent.
	// Default: rowChanges.
	ChangeFields []string

	// AllowOrigins are the origins, besides the server's own, whose pages may use the API: "https://app.example.com",
	// or "*" for any but null. Requests without an Origin header are always let in.
	AllowOrigins []string

	// CheckHost refuses requests that come over loopback for a host of another name than localhost, an address, or one of
	// AllowOrigins: a page whose name was made to mean the own machine would be let in as the server's own (DNS rebinding).
	// It is for servers that ask nobody for a token.
	CheckHost bool

	// Upgrade, when set, is asked before a WebSocket upgrade is answered. ctx ends with the connection, or with the request
	// when it is refused; the returned context, derived from it, is the connection's. A coded error refuses the upgrade
	// with the status of the errors table (RATE_LIMITED: 429).
	Upgrade func(ctx context.Context, r *http.Request) (context.Context, error)

	// Init, when set, decides who is asking. On a WebSocket it runs once per connection with the payload of
	// connection_init (nil when absent); for POST, GET and SSE once per request, with a nil payload. It returns the
	// context that operations run under, derived from ctx, and the time the session expires (zero: never). ctx ends
	// with the connection or the request. An error refuses: by HTTP status of its code, or by close 4403 on a WebSocket
	// (RATE_LIMITED and UPSTREAM_UNAVAILABLE: 1013, anything uncoded: 1011). It must return in bounded time, since nothing
	// else of its connection is read meanwhile. A session that is past its time already, which Init let in all the same,
	// is good for a single result and no connection.
	Init func(ctx context.Context, r *http.Request, payload json.RawMessage) (context.Context, time.Time, error)

	// Stream, when set, is asked before an event stream is opened, with a context that Init returned and that ends with the
	// stream. A coded error refuses the request with the status of the errors table (RATE_LIMITED: 429).
	Stream func(ctx context.Context) error

	// Operation, when set, is asked before a document is looked at, with the context that Init returned: once for each POST
	// and GET, with an event stream or without, and each subscribe message. A coded error refuses the request with the status
	// of the errors table (RATE_LIMITED: 429), on a WebSocket by `error`. One in whose chain is an error with the method
	// RetryAfter() time.Duration has its Retry-After from there.
	Operation func(ctx context.Context) error

	// Mutation, when set, is asked before a mutation is executed, with that context and the names of its root fields, one for
	// each response name. Its errors are like those of Operation.
	Mutation func(ctx context.Context, fields []string) error

	// Share, when set, is asked before a subscription begins, with the context that Init returned, in which is gqlgen's context
	// of the operation, the name of the root field and its arguments. It lets the subscriber in, or refuses with an error as the field's resolver would, and gives it a
	// place among those who share one execution; nil for one of its own. It may take its time, until ctx ends.
	Share func(ctx context.Context, field string, arguments map[string]any) (*Seat, error)

	// Scalars tell, by the names of custom scalars, whether they take a value that a client sent in a variable: a string, a
	// json.Number, a bool, a []any or a map[string]any. What one refuses is a variable that cannot be coerced, and nothing
	// of the operation runs; one that is not here refuses at the field that the variable goes to. They run concurrently.
	Scalars map[string]func(value any) error

	// Extensions are gqlgen's, used in this order.
	Extensions []graphql.HandlerExtension

	// Observer, when set, is told of every operation.
	Observer Observer

	// Logger takes what clients do not see. Default: slog.Default().
	Logger *slog.Logger
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Check tells what of o makes no sense, naming the field.
func (o Options) Check() error {
	_, err := o.withDefaults()
	return err
}

// withDefaults returns o with its zero fields filled, or an error that names the field that makes no sense.
func (o Options) withDefaults() (Options, error) {
	setDefault(&o.MaxTokens, 5_000)
	setDefault(&o.MaxAliasesPerField, 30)
	setDefault(&o.MaxDirectives, 50)
	setDefault(&o.MaxIntrospectionDepth, 15)
	setDefault(&o.MaxFieldsPerResponseName, 50)
	setDefault(&o.MaxDepth, 200)
	setDefault(&o.MaxExpandedFields, 50_000)
	setDefault(&o.MaxRequestBytes, 2<<20)
	setDefault(&o.MaxResponseBytes, 16<<20)
	setDefault(&o.MaxOperationIDBytes, 256)
	setDefault(&o.DocumentCacheBytes, 32<<20)
	setDefault(&o.MaxConnections, 20_000)
	setDefault(&o.MaxOperationsPerConnection, 100)
	setDefault(&o.QueueMessages, 16)
	setDefault(&o.QueueBytes, 1<<20)
	setDefault(&o.ReadTimeout, 10*time.Second)
	setDefault(&o.InitTimeout, 3*time.Second)
	setDefault(&o.WriteTimeout, 10*time.Second)
	setDefault(&o.CloseTimeout, 2*time.Second)
	setDefault(&o.PingInterval, 15*time.Second)
	setDefault(&o.PeerTimeout, 40*time.Second)
	setDefault(&o.KeepAliveInterval, 15*time.Second)
	setDefault(&o.ExpiryGrace, 2*time.Second)
	if o.ChangeFields == nil {
		o.ChangeFields = []string{"rowChanges"}
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	for name, value := range map[string]int64{
		"MaxTokens": int64(o.MaxTokens), "MaxAliasesPerField": int64(o.MaxAliasesPerField), "MaxDirectives": int64(o.MaxDirectives),
		"MaxIntrospectionDepth": int64(o.MaxIntrospectionDepth), "MaxFieldsPerResponseName": int64(o.MaxFieldsPerResponseName),
		"MaxDepth": int64(o.MaxDepth), "MaxExpandedFields": int64(o.MaxExpandedFields), "MaxRequestBytes": o.MaxRequestBytes,
		"MaxResponseBytes": int64(o.MaxResponseBytes), "MaxOperationIDBytes": int64(o.MaxOperationIDBytes),
		"DocumentCacheBytes": int64(o.DocumentCacheBytes), "MaxConnections": int64(o.MaxConnections),
		"MaxOperationsPerConnection": int64(o.MaxOperationsPerConnection), "QueueMessages": int64(o.QueueMessages),
		"QueueBytes": int64(o.QueueBytes), "ReadTimeout": int64(o.ReadTimeout), "InitTimeout": int64(o.InitTimeout),
		"WriteTimeout": int64(o.WriteTimeout), "CloseTimeout": int64(o.CloseTimeout), "PingInterval": int64(o.PingInterval),
		"PeerTimeout": int64(o.PeerTimeout), "KeepAliveInterval": int64(o.KeepAliveInterval), "ExpiryGrace": int64(o.ExpiryGrace),
	} {
		if value < 0 {
			return o, fmt.Errorf("%s is negative", name)
		}
	}
	if o.PeerTimeout <= o.PingInterval {
		return o, fmt.Errorf("PeerTimeout (%s) must be longer than PingInterval (%s)", o.PeerTimeout, o.PingInterval)
	}
	for _, origin := range o.AllowOrigins {
		if origin == "*" {
			continue
		}
		u, err := url.Parse(origin)
		if err != nil || u.Scheme == "" || u.Host == "" || strings.TrimSuffix(origin, "/") != u.Scheme+"://"+u.Host {
			return o, fmt.Errorf("AllowOrigins: %q is not an origin like https://app.example.com", origin)
		}
	}
	return o, nil
}
