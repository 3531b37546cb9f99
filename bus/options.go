package bus

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// Embedded is the URL that stands for a server inside this process.
const Embedded = "embedded"

// Options say where the bus is. Zero members take their defaults.
type Options struct {
	// URL is nats://host:port, tls://host:port, several with commas, or Embedded.
	URL string
	// Dir is the folder of the embedded server's files. One process at a time may use it.
	Dir string
	// Credentials is a file of NATS credentials, "" for none.
	Credentials string
	// CA is a file of certificates to trust beside the system's, Cert and Key those of a client certificate; "" for none.
	CA, Cert, Key string
	// Optional: Open answers though the server is not there; Ready says when it is.
	Optional bool
	// Scope keeps what this instance shares apart from what instances of another scope do; "" is one too.
	Scope string
	// Replicas is how many servers keep each record. Default 1.
	Replicas int
	// MaxAge is how long a record is kept. Default 24 h.
	MaxAge time.Duration
	// MaxBytes is how much is kept in all. Default 4 GiB.
	MaxBytes int64
	// Lease is how long an instance that gives no sign counts as alive. Default 5 s.
	Lease time.Duration
	// AppendLimit is how long one append may take, its repeats included. Default 10 s.
	AppendLimit time.Duration
	// Logger gets what the connection does, never content. Default: discard.
	Logger *slog.Logger
}

// Check says what is wrong with the options, as Open does before it does anything.
func (o Options) Check() error { return o.defaults() }

func (o *Options) defaults() error {
	if o.URL == "" {
		return errors.New("the bus has no URL")
	}
	if o.URL == Embedded {
		switch {
		case o.Dir == "":
			return errors.New("the embedded bus needs a folder for its files")
		case o.Credentials != "" || o.CA != "" || o.Cert != "" || o.Key != "":
			return errors.New("the embedded bus takes no credentials and no certificates: nobody else reaches it")
		case o.Replicas > 1:
			return errors.New("the embedded bus is one server, and keeps no replicas")
		}
	} else if err := checkURL(o.URL); err != nil {
		return err
	}
	if o.Credentials != "" {
		if err := checkCredentials(o.Credentials); err != nil {
			return err
		}
	}
	if (o.Cert == "") != (o.Key == "") {
		return errors.New("a client certificate is given with its key")
	}
	if o.Replicas == 0 {
		o.Replicas = 1
	}
	if o.Replicas != 1 && o.Replicas != 3 && o.Replicas != 5 {
		return fmt.Errorf("%d replicas: take 1, 3 or 5", o.Replicas)
	}
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	set(&o.MaxAge, 24*time.Hour)
	set(&o.Lease, 5*time.Second)
	set(&o.AppendLimit, 10*time.Second)
	if o.MaxAge < time.Minute {
		return fmt.Errorf("records are kept for %v: take a minute or more", o.MaxAge)
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 4 << 30
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}

func checkURL(all string) error {
	for url := range strings.SplitSeq(all, ",") {
		scheme, rest, ok := strings.Cut(strings.TrimSpace(url), "://")
		if !ok || rest == "" || scheme != "nats" && scheme != "tls" {
			return errors.New("the bus is at nats://host:port or tls://host:port, or is embedded") // a URL may hold a password
		}
	}
	return nil
}
