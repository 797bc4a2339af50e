#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needs: gdb
# The debugger, and the program under it. Frames of main and of what it calls; its caller is ours.
set -euo pipefail
gdb -nx -batch -ex 'set confirm off' -ex 'break run_says_hello' -ex run -ex 'bt 1' -ex finish -ex continue \
  --args "$SITUATIONS" says_hello < /dev/null 2> /dev/null | grep -v '^\[\|^Using\|^#1\|^(More' | sed 's/0x[0-9a-f]*/ADDRESS/g; s/^Breakpoint 1.*/a stop/'
gdb -nx -batch -ex run --args "$SITUATIONS" killed < /dev/null 2> /dev/null | grep 'Program terminated'
