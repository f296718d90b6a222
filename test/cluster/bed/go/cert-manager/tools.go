//go:build tools

// Package tools names the programs of cert-manager that the test bed builds, so that go.sum holds what they need. It is the
// last version in which they are part of the module.
package tools

import (
	_ "github.com/cert-manager/cert-manager/cmd/cainjector"
	_ "github.com/cert-manager/cert-manager/cmd/controller"
)
