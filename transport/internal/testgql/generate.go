// Package testgql is a small executable schema for the tests of package transport.
package testgql

//go:generate go tool gqlgen generate --config gqlgen.yml
