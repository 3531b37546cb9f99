package session

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"inlaygraph/coded"
)

// What a client reads when it is not let in.
const (
	messageNoToken   = "a token is needed"
	messageBadToken  = "the token is not valid"
	messageNoKeys    = "the keys that tokens are verified with cannot be read"
	messageOtherUser = "the tokens of the upgrade and of connection_init are not of one user"
	messageTooMany   = "too many connections of this user"
)

// Verifier tells which tokens are good. It is safe for concurrent use.
type Verifier struct {
	parser        *jwt.Parser
	key           func(ctx context.Context, token *jwt.Token) (any, error) // a closure, so that printing reaches no secret
	keys          *keySet                                                  // of a JWKS URL, else nil
	tenant, user  string                                                   // names of claims
	maxTokenBytes int
	doubts        []string
	warn          func(string)
}

// NewVerifier returns a verifier of tokens. It reads nothing from the network: that is Start's, or else the first
// token's that needs it. ctx bounds whatever reading of keys is done later. Its errors say what of the options makes no
// sense, and quote no key.
func NewVerifier(ctx context.Context, o Options) (*Verifier, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	v := &Verifier{tenant: o.TenantClaim, user: o.UserClaim, maxTokenBytes: o.MaxTokenBytes}
	v.warn = func(doubt string) { o.Logger.WarnContext(ctx, "tokens", "doubt", doubt) }
	var key any
	kind := kindSecret
	switch {
	case len(o.Secret) > 0:
		if bytes.Contains(o.Secret, []byte("-----BEGIN ")) {
			// Whoever knows a public key could sign with it (RFC 8725 section 2.1).
			return nil, errors.New("the shared secret is a PEM: give it as the public key")
		}
		key = bytes.Clone(o.Secret)
	case len(o.PublicKey) > 0:
		if key, kind, err = parsePublicKey(o.PublicKey); err != nil {
			return nil, err
		}
	default:
		kind = kindJWKS
	}
	algorithms, err := chooseAlgorithms(o.Algorithms, kind)
	if err != nil {
		return nil, err
	}
	if v.key = func(context.Context, *jwt.Token) (any, error) { return key, nil }; kind == kindJWKS {
		if v.keys, err = newKeySet(ctx, o.JWKSURL, o.Logger); err != nil {
			return nil, err
		}
		v.key = v.keys.key
	}
	v.doubts = o.doubts(algorithms)
	checks := []jwt.ParserOption{
		jwt.WithValidMethods(algorithms), jwt.WithStrictDecoding(),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(o.Leeway),
	}
	if o.Issuer != "" {
		checks = append(checks, jwt.WithIssuer(o.Issuer))
	}
	if o.Audience != "" {
		checks = append(checks, jwt.WithAudience(o.Audience))
	}
	v.parser = jwt.NewParser(checks...)
	return v, nil
}

// Start logs what is doubtful about the configuration and begins to keep the keys of a JWKS URL fresh, until Close. A
// verifier that was not started reads them when it first needs them.
func (v *Verifier) Start() {
	for _, doubt := range v.doubts {
		v.warn(doubt)
	}
	if v.keys != nil {
		v.keys.start()
	}
}

// Close ends what Start began. Tokens may still be verified, with the keys that are held.
func (v *Verifier) Close() {
	if v.keys != nil {
		v.keys.close()
	}
}

// Verify says whose token it is. The error is coded: UNAUTHENTICATED with one of two messages ("a token is needed" for
// "", else one for every reason), or UPSTREAM_UNAVAILABLE when the keys to judge it by cannot be read. It waits for keys
// as long as ctx allows, and no longer than one reading takes.
func (v *Verifier) Verify(ctx context.Context, token string) (*Session, error) {
	if token == "" {
		return nil, coded.New(coded.Unauthenticated, messageNoToken)
	}
	s, err := v.verify(ctx, token)
	if err == nil {
		return s, nil
	}
	if e, ok := errors.AsType[*coded.Error](err); ok {
		return nil, e
	}
	return nil, badToken(reasonOf(err))
}

// tokenAlphabet is what the compact form consists of: base64url and dots.
const tokenAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."

// badToken is the refusal of a token.
func badToken(why reason) error { return coded.Wrap(coded.Unauthenticated, messageBadToken, why) }

func (v *Verifier) verify(ctx context.Context, token string) (*Session, error) {
	if len(token) > v.maxTokenBytes {
		return nil, reason(fmt.Sprintf("it is longer than %d bytes", v.maxTokenBytes))
	}
	if strings.ContainsFunc(token, func(r rune) bool { return !strings.ContainsRune(tokenAlphabet, r) }) {
		return nil, reason("it has characters that no token has") // the decoder would pass over line ends
	}
	c := &claims{}
	_, err := v.parser.ParseWithClaims(token, c, func(t *jwt.Token) (any, error) {
		segment, _, _ := strings.Cut(t.Raw, ".")
		header, err := base64.RawURLEncoding.DecodeString(segment)
		if err != nil {
			return nil, err
		}
		if err := checkHeader(header); err != nil {
			return nil, err
		}
		return v.key(ctx, t)
	})
	if err != nil {
		return nil, err
	}
	tenant, err := c.name(v.tenant)
	if err != nil {
		return nil, err
	}
	user, err := c.name(v.user)
	if err != nil {
		return nil, err
	}
	return New(user, tenant, token, c.expires.UTC()), nil
}

// reasonOf is the reason in an error of package jwt, whose own text may quote the token.
func reasonOf(err error) reason {
	if why, ok := errors.AsType[reason](err); ok {
		return why
	}
	for _, known := range []struct {
		err error
		why reason
	}{
		{jwt.ErrTokenMalformed, "it is malformed"},
		{jwt.ErrTokenRequiredClaimMissing, "it lacks a claim that is required: exp, or the configured iss or aud"},
		{jwt.ErrTokenExpired, "it has expired"},
		{jwt.ErrTokenNotValidYet, "it is not valid yet (nbf)"},
		{jwt.ErrTokenUsedBeforeIssued, "it was issued in the future (iat)"},
		{jwt.ErrTokenInvalidIssuer, "it is of another issuer"},
		{jwt.ErrTokenInvalidAudience, "it is for another audience"},
		{jwt.ErrTokenSignatureInvalid, "its algorithm or signature is not one that is taken"},
		{context.Canceled, "its sender left"},
	} {
		if errors.Is(err, known.err) {
			return known.why
		}
	}
	return "it cannot be verified"
}

// Doubts are what an operator should know about the configuration, which is taken all the same.
func (v *Verifier) Doubts() []string { return v.doubts }

// Usable tells why tokens cannot be verified now, in words that may be shown: the keys of a JWKS URL were never read, or
// not for too long.
func (v *Verifier) Usable() error {
	if v.keys != nil && v.keys.outdated() {
		return errors.New(messageNoKeys)
	}
	return nil
}
