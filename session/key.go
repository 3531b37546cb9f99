package session

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// The lengths of an RSA modulus, in bits: RFC 7518 section 3.3 asks for the first, and beyond the second a signature
// costs more than anybody needs.
const (
	minRSABits = 2_048
	maxRSABits = 16_384
)

// kindOfKey says what a public key is for, or why it is not used.
func kindOfKey(key any) (kind, error) {
	switch key := key.(type) {
	case *rsa.PublicKey:
		if bits := key.N.BitLen(); bits < minRSABits || bits > maxRSABits {
			return "", fmt.Errorf("an RSA key of %d bits: it must have %d to %d", bits, minRSABits, maxRSABits)
		}
		return kindRSA, nil
	case *ecdsa.PublicKey:
		switch key.Curve {
		case elliptic.P256():
			return kindP256, nil
		case elliptic.P384():
			return kindP384, nil
		case elliptic.P521():
			return kindP521, nil
		}
		return "", errors.New("an elliptic curve other than P-256, P-384 and P-521")
	case ed25519.PublicKey:
		return kindEd25519, nil
	}
	return "", errors.New("a key of a kind that signs no tokens")
}

// suits reports whether an algorithm may be used with a public key.
func suits(algorithm string, key any) bool {
	k, err := kindOfKey(key)
	return err == nil && k == kindOf(algorithm)
}

// parsePublicKey reads a PEM with one public key, or with one certificate, whose dates are not looked at.
func parsePublicKey(text []byte) (any, kind, error) {
	block, rest := pem.Decode(text)
	if block == nil {
		return nil, "", errors.New("the public key is not PEM")
	}
	if len(bytes.TrimSpace(rest)) > 0 {
		return nil, "", errors.New("the public key is followed by something else: for several keys use a JWKS URL")
	}
	var key any
	var err error
	switch {
	case block.Type == "PUBLIC KEY":
		key, err = x509.ParsePKIXPublicKey(block.Bytes)
	case block.Type == "RSA PUBLIC KEY":
		key, err = x509.ParsePKCS1PublicKey(block.Bytes)
	case block.Type == "CERTIFICATE":
		var cert *x509.Certificate
		if cert, err = x509.ParseCertificate(block.Bytes); err == nil {
			key = cert.PublicKey
		}
	case strings.HasSuffix(block.Type, "PRIVATE KEY"):
		return nil, "", errors.New("the public key is a private key: it belongs to the issuer alone")
	default:
		return nil, "", fmt.Errorf("the public key is a %q", block.Type)
	}
	if err != nil {
		return nil, "", fmt.Errorf("the public key cannot be read: %w", err)
	}
	k, err := kindOfKey(key)
	if err != nil {
		return nil, "", fmt.Errorf("the public key cannot be used: %w", err)
	}
	return key, k, nil
}
