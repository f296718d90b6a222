//go:build tools

// Package tools names the etcd that the test bed builds, so that go.sum holds what it needs.
package tools

import _ "go.etcd.io/etcd/server/v3"
