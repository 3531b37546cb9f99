package main

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"
)

// keyPair is a certificate and its key, read again when their files change, so that a renewed one needs no restart.
type keyPair struct {
	certFile, keyFile string
	log               *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	changed [2]time.Time // of the files, when they were last read or tried
	looked  time.Time
}

// lookAgain is how often the files are looked at, at most.
const lookAgain = 10 * time.Second

// newKeyPair reads a certificate and its key.
func newKeyPair(certFile, keyFile string, log *slog.Logger) (*keyPair, error) {
	k := &keyPair{certFile: certFile, keyFile: keyFile, log: log, looked: time.Now()}
	k.changed, _ = k.times() // a file that is not there fails below
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, err
	}
	k.current = &pair
	return k, nil
}

// listen is what serves TLS on a listener.
func (k *keyPair) listen(plain net.Listener) net.Listener {
	return tls.NewListener(plain, &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return k.certificate(time.Now()), nil },
	})
}

// certificate is the newest one that could be read.
func (k *keyPair) certificate(now time.Time) *tls.Certificate {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now.Sub(k.looked) < lookAgain {
		return k.current
	}
	k.looked = now
	changed, err := k.times()
	if err != nil || changed == k.changed {
		return k.current
	}
	k.changed = changed
	pair, err := tls.LoadX509KeyPair(k.certFile, k.keyFile)
	if err != nil { // perhaps one of the two is not there yet
		k.log.Warn("the certificate cannot be read again", "error", err)
		return k.current
	}
	k.log.Info("the certificate was read again", "until", pair.Leaf.NotAfter)
	k.current = &pair
	return k.current
}

func (k *keyPair) times() (changed [2]time.Time, err error) {
	for i, file := range []string{k.certFile, k.keyFile} {
		info, statErr := os.Stat(file)
		if statErr != nil {
			err = errors.Join(err, statErr)
			continue
		}
		changed[i] = info.ModTime()
	}
	return changed, err
}
