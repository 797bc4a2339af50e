#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needs: tar xz gzip bzip2
set -euo pipefail
cp -r "$SOURCE/src/runtime" tree
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf tree.tar tree
sha256sum < tree.tar
for tool in xz gzip bzip2; do
  "$tool" -k -c tree.tar > "tree.$tool"
  "$tool" -d -c "tree.$tool" | cmp - tree.tar
done
xz -T2 -0 -c tree.tar | xz -d | sha256sum
mkdir out
tar -xf tree.xz -C out
diff -r tree out/tree
head -c 1000 tree.xz | xz -d > /dev/null 2>&1 || echo "status $?"
