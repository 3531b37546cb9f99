package bus

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// authority signs certificates and keeps them in files.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{dir: t.TempDir()}
	a.cert, a.key = a.issue(t, "ca", &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

// issue signs a certificate and writes NAME.pem and NAME.key.
func (a *authority) issue(t *testing.T, name string, as *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	as.SerialNumber = big.NewInt(time.Now().UnixNano())
	as.Subject = pkix.Name{CommonName: name}
	as.NotBefore, as.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := as, key
	if a.cert != nil {
		parent, signer = a.cert, a.key
	}
	der, err := x509.CreateCertificate(rand.Reader, as, parent, &key.PublicKey, signer)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	spelled, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(a.file(name+".pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(a.file(name+".key"), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: spelled}), 0o600))
	return cert, key
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

// A bus behind TLS that wants a certificate of its clients, and a password: who has all of it joins, anybody else is told.
func TestTLS(t *testing.T) {
	a := newAuthority(t)
	a.issue(t, "server", &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	a.issue(t, "client", &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	pair, err := tls.LoadX509KeyPair(a.file("server.pem"), a.file("server.key"))
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
		Username: "inlay", Password: "secret",
		TLSConfig:  &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert},
		TLSTimeout: 10,
	})
	require.NoError(t, err)
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	require.True(t, s.ReadyForConnections(patience))
	host := s.Addr().String()
	good := Options{URL: "tls://inlay:secret@" + host, CA: a.file("ca.pem"), Cert: a.file("client.pem"), Key: a.file("client.key")}
	b := open(t, good)
	_, err = b.Log("t", "c").Append(t.Context(), 0, skipped(1))
	require.NoError(t, err)
	for name, spoil := range map[string]func(*Options){
		"an unknown authority": func(o *Options) { o.CA = "" },
		"no certificate":       func(o *Options) { o.Cert, o.Key = "", "" },
		"another password":     func(o *Options) { o.URL = strings.Replace(o.URL, "secret", "guessed", 1) },
		"no file":              func(o *Options) { o.CA = a.file("none.pem") },
	} {
		t.Run(name, func(t *testing.T) {
			opts := good
			spoil(&opts)
			_, err := Open(t.Context(), opts)
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "secret")
			assert.NotContains(t, err.Error(), "guessed")
		})
	}
}
