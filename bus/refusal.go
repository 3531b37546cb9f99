package bus

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// ErrNotLetIn says that the bus refuses this instance's credentials, or that their file holds none.
var ErrNotLetIn = errors.New("the bus does not let this server in")

// ErrNotAllowed says that the bus lets this instance in, and does not allow something that it needs (docs/scaling.md,
// "Permissions").
var ErrNotAllowed = errors.New("the bus does not allow what this server needs")

// checkCredentials reads a file of credentials as the connection will. What it holds is in no error.
func checkCredentials(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotLetIn, err)
	}
	token, err := nkeys.ParseDecoratedJWT(text)
	if err == nil {
		_, err = jwt.DecodeUserClaims(token)
	}
	if err != nil {
		return fmt.Errorf("%w: %s holds no token of a NATS user", ErrNotLetIn, file)
	}
	seed, err := nkeys.ParseDecoratedUserNKey(text)
	if err != nil {
		return fmt.Errorf("%w: %s holds no seed of a NATS user", ErrNotLetIn, file)
	}
	seed.Wipe()
	return nil
}

// notLetIn makes ErrNotLetIn of what a refused connection ends with. A first connection's error is a text alone.
func notLetIn(err error) error {
	if err == nil {
		return nil
	}
	for _, known := range []error{nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired} {
		if errors.Is(err, known) {
			return fmt.Errorf("%w: %w", ErrNotLetIn, err)
		}
	}
	said := strings.TrimPrefix(strings.ToLower(err.Error()), "nats: ")
	for _, known := range []string{
		nats.AUTHORIZATION_ERR, nats.AUTHENTICATION_EXPIRED_ERR, nats.AUTHENTICATION_REVOKED_ERR, nats.ACCOUNT_AUTHENTICATION_EXPIRED_ERR,
	} {
		if strings.HasPrefix(said, known) {
			return fmt.Errorf("%w: %w", ErrNotLetIn, err)
		}
	}
	return err
}

// asyncError takes what the connection says beside any answer: that something is not allowed, for one, which is then never
// answered. Refused credentials are logged once until some are taken again.
func (b *Bus) asyncError(err error) {
	switch {
	case errors.Is(err, nats.ErrPermissionViolation):
		b.opts.Logger.Warn(ErrNotAllowed.Error(), "error", err)
		b.mu.Lock()
		b.denied = fmt.Errorf("%w: %w", ErrNotAllowed, err)
		b.mu.Unlock()
		return
	case errors.Is(notLetIn(err), ErrNotLetIn):
		b.mu.Lock()
		known := b.shut
		b.shut = true
		b.mu.Unlock()
		if !known {
			b.opts.Logger.Warn(ErrNotLetIn.Error(), "error", err)
			return
		}
	}
	b.opts.Logger.Debug("the bus", "error", err)
}
