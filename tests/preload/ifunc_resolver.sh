#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The resolver of an IFUNC may be the first that allocates, before the loader has set up thread-local data. Nothing
# that we look up then may fail, for glibc crashes when it makes the error text: over an allocator that cannot be asked
# how it rounds sizes up, which one lacks the functions of the others, and over tcmalloc, where it is installed.
set -euo pipefail

cat > program.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static int two(void) { return 2; }
static int (*resolve(void))(void) {
  void* const block = malloc(300);
  free(block);
  return block != NULL ? two : NULL;
}
int chosen(void) __attribute__((ifunc("resolve")));
int main(void) { return chosen() == 2 ? 0 : 1; }
END
cat > allocator.c <<'END'
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
static _Alignas(64) char room[1 << 24];
static size_t used;
void* memalign(size_t alignment, size_t size) {
  size_t const at = ((used + 16 + alignment - 1) & -alignment);
  if (at + size > sizeof room) return NULL;
  used = at + size;
  memcpy(room + at - 16, &size, sizeof size);
  return room + at;
}
void* malloc(size_t size) { return memalign(16, size); }
void free(void* block) { (void)block; }
void* calloc(size_t n, size_t size) { return memalign(16, n * size); }
size_t malloc_usable_size(void* block) {
  size_t size = 0;
  if (block != NULL) memcpy(&size, (char*)block - 16, sizeof size);
  return size;
}
void* realloc(void* block, size_t size) {
  size_t const before = malloc_usable_size(block);
  void* const result = malloc(size);
  if (result != NULL && block != NULL) memcpy(result, block, before < size ? before : size);
  return result;
}
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void** result, size_t alignment, size_t size) {
  return (*result = memalign(alignment, size)) != NULL ? 0 : ENOMEM;
}
END
compile() { "$CXX" -x c -O1 -fno-builtin "$@"; }
for binding in lazy now; do compile -o "program_$binding" program.c -Wl,-z,$binding; done
compile -shared -fPIC -o allocator.so allocator.c

allocators=("$PWD/allocator.so")
tcmalloc=$("$CXX" -print-file-name=libtcmalloc_minimal.so.4)
if [[ -e $tcmalloc ]]; then allocators+=("$tcmalloc"); fi
for allocator in "${allocators[@]}"; do
  for program in ./program_lazy ./program_now; do
    # Without us it works; so it does with us on either side.
    LD_PRELOAD=$allocator $program
    for rate in 0 1e-3 1; do
      MEMPROF_RATE=$rate LD_PRELOAD=$MEMPROF_PRELOAD:$allocator $program
      MEMPROF_RATE=$rate LD_PRELOAD=$allocator:$MEMPROF_PRELOAD $program
    done
  done
done
