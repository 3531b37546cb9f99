package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Keys that cannot be used are refused when they are configured, with a word about why and none of the key.
func TestKeyConfiguration(t *testing.T) {
	private := publicPEM(rsaKey().Public())
	private = bytes.ReplaceAll(private, []byte("PUBLIC KEY"), []byte("PRIVATE KEY"))
	one := publicPEM(rsaKey().Public())
	for why, o := range map[string]Options{
		"exactly one":            {},
		"a public key and a":     {Secret: secret, PublicKey: one},
		"give exactly one":       {Secret: secret, JWKSURL: "https://issuer.example"},
		"not PEM":                {PublicKey: []byte("MIIB")},
		"a private key":          {PublicKey: private},
		"something else":         {PublicKey: append(bytes.Clone(one), one...)},
		"is a \"DH PARAMETERS\"": {PublicKey: []byte("-----BEGIN DH PARAMETERS-----\nMIIB\n-----END DH PARAMETERS-----\n")},
		"cannot be read":         {PublicKey: []byte("-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n")},
		"leeway is negative":     {Secret: secret, Leeway: -1},
		"length is negative":     {Secret: secret, MaxTokenBytes: -1},
	} {
		_, err := NewVerifier(t.Context(), o)
		require.ErrorContains(t, err, why)
		assert.NotContains(t, err.Error(), "MII")
		assert.NotContains(t, err.Error(), string(secret[:16]))
	}
}

// The forms of a public key.
func TestPublicKeyForms(t *testing.T) {
	token := sign(t, "RS256", rsaKey(), good(nil), nil)
	for name, text := range publicForms(t, rsaKey()) {
		t.Run(name, func(t *testing.T) { accepts(t, verifier(t, Options{PublicKey: text}), token) })
	}
}

// Promise 4: no printed form of the options or of a verifier has the secret.
func TestSecretIsNotPrinted(t *testing.T) {
	key := Secret("a-secret-word-of-more-than-32-bytes")
	o := Options{Secret: key}
	v := verifier(t, o)
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "options", o, "secret", key, "verifier", v)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "secret", key)
	encoded, err := json.Marshal(map[string]any{"secret": key})
	require.NoError(t, err)
	texts := []string{log.String(), string(encoded), key.String(), key.GoString()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		texts = append(texts, fmt.Sprintf(verb, o), fmt.Sprintf(verb, &o), fmt.Sprintf(verb, key), fmt.Sprintf(verb, v), fmt.Sprintf(verb, *v))
	}
	for _, text := range texts {
		assert.NotContains(t, text, "secret-word")
		assert.NotContains(t, text, fmt.Sprintf("%x", []byte(key)))
		assert.NotContains(t, text, "97 45 115")
	}
}
