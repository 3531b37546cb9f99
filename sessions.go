package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"inlaygraph/session"
)

// sessionFlags say who is let in (docs/service.md, "Sessions").
type sessionFlags struct {
	Insecure bool `help:"Ask no token of anyone: everybody is anonymous, and reads what upstream lets the server read."`

	JWTSecret             keyText  `name:"jwt-secret" placeholder:"TEXT" help:"Secret shared with the issuer of tokens. Better given by environment: a command line is seen by others."`
	JWTPublicKey          keyText  `name:"jwt-public-key" placeholder:"FILE|PEM" help:"Public key of the issuer, PEM."`
	JWKSURL               string   `name:"jwks-url" placeholder:"URL" help:"Where the issuer publishes its keys: https, or http on loopback."`
	JWTAlg                []string `name:"jwt-alg" placeholder:"NAME" help:"Algorithm that is taken; may be repeated. Default: HS256, RS256 for an RSA key or a JWKS URL, ES256, ES384, ES512 or EdDSA, by the key."`
	JWTIssuer             string   `name:"jwt-issuer" placeholder:"TEXT" help:"What the claim iss must be."`
	JWTAudience           string   `name:"jwt-audience" placeholder:"TEXT" help:"What the claim aud must be or hold."`
	JWTLeewaySeconds      int      `name:"jwt-leeway-seconds" default:"30" orzero:"" help:"Seconds by which clocks may differ when a token is looked at."`
	JWTTenantClaim        string   `name:"jwt-tenant-claim" default:"tenant" help:"Claim that names the tenant."`
	JWTUserClaim          string   `name:"jwt-user-claim" default:"sub" help:"Claim that names the user."`
	MaxConnectionsPerUser int      `default:"50" help:"Open WebSockets and event streams of one user."`
}

// keyText is a flag's value that no message quotes, as kong does with one that it takes for a flag.
type keyText string

// Decode reads the value. A PEM begins like a flag does.
func (k *keyText) Decode(ctx *kong.DecodeContext) error {
	token := ctx.Scan.Pop()
	value, ok := token.Value.(string)
	switch {
	case !ok || token.IsEOL():
		return errors.New("a text is missing")
	case !token.IsValue() && !strings.HasPrefix(value, "-----BEGIN "):
		return fmt.Errorf("a text that begins with - is given as --%s=…", ctx.Value.Name)
	}
	*k = keyText(value)
	return nil
}

// keyFlag is the flag that gives the key, "" when none does.
func (f *sessionFlags) keyFlag() (string, error) {
	var given []string
	for _, flag := range []struct{ name, value string }{
		{"--jwt-secret", string(f.JWTSecret)}, {"--jwt-public-key", string(f.JWTPublicKey)}, {"--jwks-url", f.JWKSURL},
	} {
		if flag.value != "" {
			given = append(given, flag.name)
		}
	}
	switch {
	case len(given) == 0:
		return "", nil
	case len(given) > 1:
		return "", fmt.Errorf("%s: tokens are verified by one key: give one of them", strings.Join(given, " and "))
	case f.Insecure:
		return "", fmt.Errorf("--insecure asks for no token, and %s is there to verify tokens: give one of them", given[0])
	}
	return given[0], nil
}

// verifier tells good tokens, nil where everybody is anonymous: with --insecure, and in the demo without a key.
func (f *sessionFlags) verifier(demo bool, log *slog.Logger) (*session.Verifier, error) {
	flag, err := f.keyFlag()
	if err != nil {
		return nil, err
	}
	if flag == "" {
		switch {
		case len(f.JWTAlg) > 0 || f.JWTIssuer != "" || f.JWTAudience != "":
			return nil, errors.New("--jwt-alg, --jwt-issuer and --jwt-audience say which tokens are taken: that needs --jwt-secret, --jwt-public-key or --jwks-url")
		case !demo && !f.Insecure:
			return nil, errors.New("--upstream needs --jwt-secret, --jwt-public-key or --jwks-url, to tell by tokens who asks, or else --insecure, to let everybody read what the server may read")
		}
		return nil, nil
	}
	options := session.Options{
		Secret: session.Secret(f.JWTSecret), JWKSURL: f.JWKSURL, Algorithms: f.JWTAlg, Issuer: f.JWTIssuer, Audience: f.JWTAudience,
		Leeway:      time.Duration(f.JWTLeewaySeconds) * time.Second,
		TenantClaim: f.JWTTenantClaim, UserClaim: f.JWTUserClaim, Logger: log,
	}
	if options.PublicKey, err = pemText(string(f.JWTPublicKey)); err == nil {
		var v *session.Verifier
		if v, err = session.NewVerifier(context.Background(), options); err == nil {
			return v, nil
		}
	}
	if len(f.JWTAlg) > 0 {
		flag += " with --jwt-alg"
	}
	return nil, fmt.Errorf("%s: %w", flag, err)
}

// pemText is a PEM that was given as it stands, or by the name of its file.
func pemText(s string) ([]byte, error) {
	if s == "" || strings.Contains(s, "-----BEGIN ") {
		return []byte(s), nil
	}
	return os.ReadFile(s)
}

// identify tells whose token it is; nil without a verifier, where everybody is one user.
func identify(v *session.Verifier) func(token string) (tenant, user string, err error) {
	if v == nil {
		return nil
	}
	return func(token string) (string, string, error) {
		s, err := v.Verify(context.Background(), token)
		if err != nil {
			return "", "", err
		}
		return s.Tenant, s.Subject, nil
	}
}

// demoUser is identify for the demo, which tells users apart by one name.
func demoUser(v *session.Verifier) func(token string) (string, error) {
	if v == nil {
		return nil
	}
	return func(token string) (string, error) {
		tenant, user, err := identify(v)(token)
		if err != nil {
			return "", err
		}
		return strconv.Quote(tenant) + strconv.Quote(user), nil
	}
}
