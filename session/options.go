package session

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"
)

// Secret is a key that no printed form shows.
type Secret []byte

const redacted = "[redacted]"

// String is a fixed text.
func (Secret) String() string { return redacted }

// GoString is a fixed text.
func (Secret) GoString() string { return redacted }

// Format prints a fixed text, whatever the verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// LogValue is a fixed text.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText is a fixed text.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Options say which tokens are taken. Exactly one of Secret, PublicKey and JWKSURL is set.
type Options struct {
	Secret    Secret // shared with the issuer, for HS256, HS384 and HS512
	PublicKey []byte // PEM: a public key, or a certificate of one; RSA of 2,048 bits and more, P-256, P-384, P-521 or Ed25519
	JWKSURL   string // where the issuer publishes its keys: https, or http on loopback

	// Algorithms that are taken. Default, by the key: HS256; RS256 for an RSA key and for a JWKSURL, ES256, ES384 or ES512
	// by the curve, EdDSA.
	Algorithms []string

	Issuer   string        // what iss must be; "": not looked at
	Audience string        // what aud must be or hold; "": not looked at
	Leeway   time.Duration // by how much clocks may differ at admission; 0: not at all

	TenantClaim string // the claim with the tenant; default "tenant"
	UserClaim   string // the claim with the user, unique in the tenant; default "sub"

	MaxTokenBytes int // default 16 KiB

	Logger *slog.Logger // default slog.Default()
}

// kind is what a key is for.
type kind string

const (
	kindSecret  kind = "a shared secret"
	kindRSA     kind = "an RSA key"
	kindP256    kind = "a P-256 key"
	kindP384    kind = "a P-384 key"
	kindP521    kind = "a P-521 key"
	kindEd25519 kind = "an Ed25519 key"
	kindJWKS    kind = "a JWKS URL"
)

// algorithms are those that can be configured, with the kind of their key. A kind's first is its default.
var algorithms = []struct {
	name string
	kind kind
}{
	{"HS256", kindSecret}, {"HS384", kindSecret}, {"HS512", kindSecret},
	{"RS256", kindRSA}, {"RS384", kindRSA}, {"RS512", kindRSA}, {"PS256", kindRSA}, {"PS384", kindRSA}, {"PS512", kindRSA},
	{"ES256", kindP256}, {"ES384", kindP384}, {"ES512", kindP521},
	{"EdDSA", kindEd25519},
}

// kindOf is the kind of key that an algorithm needs, "" for one that is not known.
func kindOf(algorithm string) kind {
	for _, a := range algorithms {
		if a.name == algorithm {
			return a.kind
		}
	}
	return ""
}

// chooseAlgorithms checks the configured algorithms against the key, or chooses by it (promise 1).
func chooseAlgorithms(configured []string, key kind) ([]string, error) {
	if len(configured) == 0 {
		if key == kindJWKS {
			return []string{"RS256"}, nil
		}
		for _, a := range algorithms {
			if a.kind == key {
				return []string{a.name}, nil
			}
		}
	}
	for _, name := range configured {
		needs := kindOf(name)
		switch {
		case strings.EqualFold(name, "none"):
			return nil, errors.New("the algorithm none is no signature, and never taken")
		case needs == "":
			return nil, fmt.Errorf("%q is not an algorithm that is known: %s", name, knownAlgorithms())
		case key == kindJWKS && needs != kindSecret, key == needs:
		default:
			return nil, fmt.Errorf("algorithm %s goes with %s, not with %s", name, needs, key)
		}
	}
	return slices.Clone(configured), nil
}

func knownAlgorithms() string {
	names := make([]string, len(algorithms))
	for i, a := range algorithms {
		names[i] = a.name
	}
	return strings.Join(names, ", ")
}

func (o Options) withDefaults() (Options, error) {
	sources := 0
	for _, set := range []bool{len(o.Secret) > 0, len(o.PublicKey) > 0, o.JWKSURL != ""} {
		if set {
			sources++
		}
	}
	switch {
	case sources != 1:
		return o, errors.New("tokens are verified by one of a shared secret, a public key and a JWKS URL: give exactly one")
	case o.Leeway < 0:
		return o, errors.New("the leeway is negative")
	case o.MaxTokenBytes < 0:
		return o, errors.New("the limit on a token's length is negative")
	}
	if o.TenantClaim == "" {
		o.TenantClaim = "tenant"
	}
	if o.UserClaim == "" {
		o.UserClaim = "sub"
	}
	if o.MaxTokenBytes == 0 {
		o.MaxTokenBytes = 16 << 10
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o, nil
}

// minSecretBytes is how long the secret of an algorithm ought to be: as long as its hash (RFC 7518 section 3.2).
var minSecretBytes = map[string]int{"HS256": 32, "HS384": 48, "HS512": 64}

// doubts are what an operator should know about a configuration that is taken all the same.
func (o Options) doubts(algorithms []string) []string {
	var doubts []string
	if len(o.Secret) > 0 {
		for _, name := range algorithms {
			if least := minSecretBytes[name]; len(o.Secret) < least {
				doubts = append(doubts, fmt.Sprintf("the shared secret is short and may be guessed: %s wants at least %d random bytes", name, least))
			}
		}
	} else if o.Audience == "" {
		doubts = append(doubts, "no audience is configured: tokens that the issuer made for other services are taken too")
	}
	return doubts
}
