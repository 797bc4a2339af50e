#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needs: git
set -euo pipefail
git -C "$SOURCE" rev-parse HEAD > /dev/null 2>&1 || { echo "the source is no repository"; exit 0; }
common=$(cd "$SOURCE" && cd "$(git rev-parse --git-common-dir)" && pwd)
git clone -q --bare ${REAL_SHORT:+--depth 20} "file://$common" clone 2> /dev/null
git -C clone fsck --full 2> /dev/null | sort
git -C clone gc -q
git -C clone log --stat --format=%H -n 20 | sha256sum
git -C clone rev-list --objects HEAD | sha256sum
git clone -q clone work
cd work
echo change >> README.md
GIT_AUTHOR_DATE=2026-01-01T00:00:00Z GIT_COMMITTER_DATE=2026-01-01T00:00:00Z \
  git -c user.name=t -c user.email=t@example.invalid commit -qam one
git rev-parse HEAD
git grep -c memprof -- '*.md' | sha256sum
