#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The installed check_binary.py, away from the sources: it finds its parts, and where a function of the installed
# list was inlined.
set -euo pipefail

fail() { echo "$*" >&2; exit 1; }

mapfile -t scripts < <(find "$MEMPROF_PREFIX" -name check_binary.py)
[[ ${#scripts[@]} -eq 1 ]] || fail "not one check_binary.py in the prefix: ${scripts[*]}"
[[ -f "$(dirname "${scripts[0]}")/unsafe_functions.txt" ]] || fail "the list is not beside it"

cat > inlined.cpp <<'SOURCE'
namespace re2 {
inline int length(char const* text) { return __builtin_strlen(text) + 1; }
}  // namespace re2
int main(int, char** argv) { return re2::length(argv[0]) > 0 ? 0 : 1; }
SOURCE
"$CXX" -O2 -g -Wl,--build-id inlined.cpp -o inlined
rm -f inlined.memprof-inlined
"${scripts[0]}" --write-inlined "$PWD/inlined"
grep -q '^function _ZN3re2.*length' inlined.memprof-inlined || fail "the call is not in the file"
"${scripts[0]}" --findings-only "$PWD/inlined" || [[ $? -eq 1 ]]
