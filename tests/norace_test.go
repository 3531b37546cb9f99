//go:build !race

package tests

const raced = false
