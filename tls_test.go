package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// write makes a certificate that signs itself, with a serial number, and its key, as they were at a time.
func write(t *testing.T, certFile, keyFile string, serial int64, at time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o600))
	require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
	for _, file := range []string{certFile, keyFile} {
		require.NoError(t, os.Chtimes(file, at, at))
	}
}

// A certificate that is renewed is served without a restart; while it cannot be read the old one is.
func TestACertificateIsReadAgain(t *testing.T) {
	folder := t.TempDir()
	certFile, keyFile := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	begin := time.Now().Add(-time.Hour)
	write(t, certFile, keyFile, 1, begin)
	var log strings.Builder
	k, err := newKeyPair(certFile, keyFile, slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	now := time.Now()
	serves := func(serial int64) {
		t.Helper()
		now = now.Add(lookAgain)
		assert.EqualValues(t, serial, k.certificate(now).Leaf.SerialNumber.Int64())
	}
	serves(1)
	write(t, certFile, keyFile, 2, begin.Add(time.Minute))
	assert.EqualValues(t, 1, k.certificate(now.Add(lookAgain-1)).Leaf.SerialNumber.Int64(), "it is not looked at each time")
	serves(2)
	require.NoError(t, os.WriteFile(keyFile, []byte("half"), 0o600))
	serves(2)
	assert.Contains(t, log.String(), "cannot be read again")
	require.NoError(t, os.Remove(certFile))
	serves(2)
	write(t, certFile, keyFile, 3, begin.Add(2*time.Minute))
	serves(3)
}
