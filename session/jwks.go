package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/sync/singleflight"

	"inlaygraph/coded"
)

// The bounds of a JWKS URL (promise 5).
const (
	RefreshEvery = 5 * time.Minute  // between readings while all is well
	RefreshPause = 10 * time.Second // at least, between one reading and the next
	MaxKeyAge    = 24 * time.Hour   // how long keys count that cannot be read again

	maxFetchTime   = 5 * time.Second // for one reading
	maxKeySetBytes = 1 << 20
	maxKeys        = 100
)

// keySet are the keys that an issuer publishes. keyfunc chooses among them; which there are, and when they are read, is
// decided here. Embedding the memory storage makes it a jwkset.Storage.
type keySet struct {
	*jwkset.MemoryJWKSet

	url    string
	client *http.Client
	log    *slog.Logger
	choose keyfunc.Keyfunc

	every, pause, maxAge time.Duration

	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup

	flight singleflight.Group
	mu     sync.Mutex
	read   time.Time // when the set was last read, zero for never
	tried  time.Time // when that was last tried
	failed error     // what the last try ended with
}

func newKeySet(ctx context.Context, from string, log *slog.Logger) (*keySet, error) {
	if err := checkKeySetURL(from); err != nil {
		return nil, err
	}
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		transport = &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	k := &keySet{
		MemoryJWKSet: jwkset.NewMemoryStorage(), url: from, log: log, every: RefreshEvery, pause: RefreshPause, maxAge: MaxKeyAge,
		client: &http.Client{
			Transport: transport.Clone(), Timeout: maxFetchTime,
			// A redirect could lead to a place that the configuration would refuse.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	k.ctx, k.cancel = context.WithCancel(ctx)
	var err error
	k.choose, err = keyfunc.New(keyfunc.Options{Ctx: k.ctx, Storage: k, UseWhitelist: []jwkset.USE{"", jwkset.UseSig}})
	return k, err
}

// checkKeySetURL refuses a URL whose answer somebody between could forge.
func checkKeySetURL(from string) error {
	u, err := url.Parse(from)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("the JWKS URL is not like https://issuer.example/jwks.json")
	case u.Scheme == "https" || u.Hostname() == "localhost":
		return nil
	}
	if ip := net.ParseIP(u.Hostname()); ip == nil || !ip.IsLoopback() {
		return errors.New("the JWKS URL must be https: only on loopback http will do")
	}
	return nil
}

// start keeps the set fresh until close.
func (k *keySet) start() {
	k.running.Go(func() {
		for {
			wait := k.every
			if k.refresh(k.ctx) != nil {
				wait = min(wait, 3*k.pause)
			}
			select {
			case <-time.After(wait):
			case <-k.ctx.Done():
				return
			}
		}
	})
}

func (k *keySet) close() {
	k.cancel()
	k.running.Wait()
	k.client.CloseIdleConnections()
}

// key is the key, or the keys, that a token may be signed with.
func (k *keySet) key(ctx context.Context, token *jwt.Token) (any, error) {
	key, err := k.choose.KeyfuncCtx(ctx)(token)
	if err != nil {
		if e, ok := errors.AsType[*coded.Error](err); ok {
			return nil, e
		}
		return nil, reason("its key is not one of the issuer's")
	}
	candidates, several := key.(jwt.VerificationKeySet)
	if !several {
		candidates.Keys = []jwt.VerificationKey{key}
	}
	fit := slices.DeleteFunc(candidates.Keys, func(key jwt.VerificationKey) bool { return !suits(token.Method.Alg(), key) })
	if len(fit) == 0 {
		return nil, reason("its algorithm does not go with the issuer's key")
	}
	return jwt.VerificationKeySet{Keys: fit}, nil
}

// KeyRead is the key of a kid. One that is not known may have been published since.
func (k *keySet) KeyRead(ctx context.Context, kid string) (jwkset.JWK, error) {
	if k.outdated() {
		if err := k.refresh(ctx); err != nil {
			return jwkset.JWK{}, err
		}
	}
	jwk, err := k.MemoryJWKSet.KeyRead(ctx, kid)
	if !errors.Is(err, jwkset.ErrKeyNotFound) {
		return jwk, err
	}
	if err := k.refresh(ctx); err != nil {
		return jwkset.JWK{}, err
	}
	return k.MemoryJWKSet.KeyRead(ctx, kid)
}

// KeyReadAll is every key, for a token without kid.
func (k *keySet) KeyReadAll(ctx context.Context) ([]jwkset.JWK, error) {
	if k.outdated() {
		if err := k.refresh(ctx); err != nil {
			return nil, err
		}
	}
	return k.MemoryJWKSet.KeyReadAll(ctx)
}

// outdated reports whether there are no keys that may be used.
func (k *keySet) outdated() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.read.IsZero() || time.Since(k.read) > k.maxAge
}

// refresh reads the set, unless that was tried within the pause. Whoever calls it meanwhile waits for the same reading.
// Its error is what the last try ended with, as clients read it.
func (k *keySet) refresh(ctx context.Context) error {
	done := k.flight.DoChan("", func() (any, error) { return nil, k.readAgain() })
	select {
	case result := <-done:
		return result.Err
	case <-ctx.Done():
		return coded.Wrap(coded.UpstreamUnavailable, messageNoKeys, ctx.Err())
	}
}

func (k *keySet) readAgain() error {
	k.mu.Lock()
	tried, failed := k.tried, k.failed
	k.mu.Unlock()
	if !tried.IsZero() && time.Since(tried) < k.pause {
		return failed
	}
	keys, err := k.fetch()
	if err == nil {
		err = k.KeyReplaceAll(k.ctx, keys)
	}
	switch {
	case err != nil && k.ctx.Err() == nil:
		k.log.WarnContext(k.ctx, "the JWKS URL cannot be read", "error", err)
	case err == nil && len(keys) == 0:
		k.log.WarnContext(k.ctx, "the JWKS URL has no key that can be used")
	case err == nil && failed != nil:
		k.log.WarnContext(k.ctx, "the JWKS URL can be read again", "keys", len(keys))
	}
	if err != nil {
		err = coded.Wrap(coded.UpstreamUnavailable, messageNoKeys, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.tried, k.failed = time.Now(), err; err == nil {
		k.read = k.tried
	}
	return err
}

// fetch reads the set from its URL. Keys that cannot be used are left out, as RFC 7517 section 5 asks.
func (k *keySet) fetch() ([]jwkset.JWK, error) {
	request, err := http.NewRequestWithContext(k.ctx, http.MethodGet, k.url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/jwk-set+json, application/json")
	response, err := k.client.Do(request)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			return nil, e.Err // without the URL, which may hold what is nobody's business
		}
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answers with status %d", response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxKeySetBytes+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxKeySetBytes {
		return nil, fmt.Errorf("its answer is longer than %d bytes", maxKeySetBytes)
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(body, &set); err != nil || set.Keys == nil {
		return nil, errors.New("its answer is no JSON Web Key Set")
	}
	if len(set.Keys) > maxKeys {
		return nil, fmt.Errorf("its answer has more than %d keys", maxKeys)
	}
	var keys []jwkset.JWK
	for _, raw := range set.Keys {
		if key, ok := usable(raw); ok {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// usable reads a key that verifies signatures: public, of a kind that is known, and not for something else.
func usable(raw json.RawMessage) (jwkset.JWK, bool) {
	key, err := jwkset.NewJWKFromRawJSON(raw, jwkset.JWKMarshalOptions{}, jwkset.JWKValidateOptions{})
	if err != nil {
		return key, false
	}
	if _, err := kindOfKey(key.Key()); err != nil {
		return key, false
	}
	operations := key.Marshal().KEYOPS
	return key, len(operations) == 0 || slices.ContainsFunc(operations, func(op jwkset.KEYOPS) bool { return strings.EqualFold(string(op), string(jwkset.KeyOpsVerify)) })
}
