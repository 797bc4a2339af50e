#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# libmemprof-preload.so shows the functions that it replaces to the program, all of them, those that note its end,
# two for a copy of the library in the program, the C interface, and nothing else: any other name could take the place
# of one of the program's own.
set -euo pipefail
export LC_ALL=C

functions="aligned_alloc calloc cfree dlopen exit free free_aligned_sized free_sized __libc_free __libc_realloc __libc_start_main mallinfo mallinfo2 malloc malloc_info malloc_stats
malloc_usable_size memalign posix_memalign pvalloc
quick_exit realloc reallocarray valloc memprof_preload_interrupted
memprof_preload_leave_out"

# operator new (w) and new[] (a): plain, nothrow, aligned, aligned nothrow.
for n in nw na; do
  functions+=" _Z${n}m _Z${n}mRKSt9nothrow_t _Z${n}mSt11align_val_t"
  functions+=" _Z${n}mSt11align_val_tRKSt9nothrow_t"
done
# operator delete (l) and delete[] (a): the same, and sized, sized aligned.
for d in dl da; do
  functions+=" _Z${d}Pv _Z${d}PvRKSt9nothrow_t _Z${d}PvSt11align_val_t"
  functions+=" _Z${d}PvSt11align_val_tRKSt9nothrow_t _Z${d}Pvm _Z${d}PvmSt11align_val_t"
done

header=$(dirname "$0")/../../include/memprof/memprof.h
functions+=" $(sed -n 's/^MEMPROF_C_API .*\(memprof_[a-z_]*\)(.*/\1/p' "$header")"

tr -s ' \n' '\n' <<<"$functions" | sort >expected.txt
nm --dynamic --defined-only --format=posix "$MEMPROF_PRELOAD" | cut -d ' ' -f 1 | sort >exported.txt
if ! diff expected.txt exported.txt >difference.txt; then
  echo "$MEMPROF_PRELOAD: exported names differ (< missing, > should not be there):"
  cat difference.txt
  exit 1
fi
