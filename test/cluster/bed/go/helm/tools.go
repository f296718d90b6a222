//go:build tools

// Package tools names the Helm that the test bed builds, so that go.sum holds what it needs.
package tools

import _ "helm.sh/helm/v4/cmd/helm"
