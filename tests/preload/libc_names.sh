#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Blocks of malloc, freed and resized by glibc's own names, alone and with a library whose malloc is made of these
# names, as that of many an old tool is.
set -euo pipefail

cat >program.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern void __libc_free(void *);
extern void *__libc_realloc(void *, size_t);
int main(void) {
  long sum = 0;
  for (int i = 0; i < 20000; i++) {
    char *text = i % 5 == 4 ? aligned_alloc(4096, 8192) : malloc(20 + i % 3000);
    strcpy(text, "text");
    if (i % 3 == 0) text = __libc_realloc(text, 30 + i % 5000);
    if (i % 7 == 0) text = realloc(text, 30 + i % 100);
    sum += text[3];
    if (i % 2) __libc_free(text); else free(text);
  }
  __libc_free(__libc_realloc(NULL, 10));
  printf("%ld\n", sum);
  return 0;
}
END
cat >tool.c <<'END'
#include <stddef.h>
extern void *__libc_malloc(size_t), __libc_free(void *), *__libc_calloc(size_t, size_t),
    *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
void *malloc(size_t size) { return __libc_malloc(size); }
void free(void *block) { __libc_free(block); }
void *calloc(size_t n, size_t size) { return __libc_calloc(n, size); }
void *realloc(void *block, size_t size) { return __libc_realloc(block, size); }
void *memalign(size_t alignment, size_t size) { return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return __libc_memalign(alignment, size); }
END
gcc="${CC:-gcc}"
"$gcc" -O1 -fno-builtin program.c -o program
"$gcc" -O1 -fno-builtin -shared -fPIC tool.c -o tool.so
./program >bare
for rate in 0 1e-3 1; do
  for libraries in "$MEMPROF_PRELOAD" "$MEMPROF_PRELOAD:./tool.so"; do
    MEMPROF_RATE=$rate LD_PRELOAD="$libraries" timeout 60 ./program >out
    cmp bare out
  done
done
