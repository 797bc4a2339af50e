#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Builds and runs go/main.go, without the network. $GO: the compiler; $MEMPROF_PRELOAD: the preload library;
# $MEMPROF_INCLUDE: the public headers.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

export GOFLAGS=-mod=mod GOPROXY=off GOCACHE=$PWD/cache CGO_ENABLED=1 CGO_CFLAGS="-I$MEMPROF_INCLUDE"
export CGO_LDFLAGS=$MEMPROF_PRELOAD
program=$PWD/limits_go
cd "$here/go"
"$GO" build -o "$program" .
LD_PRELOAD=$MEMPROF_PRELOAD "$program"
