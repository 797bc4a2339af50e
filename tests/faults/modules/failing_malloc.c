// SPDX-License-Identifier: MIT
// A preload library that stands behind libmemprof-preload.so, so that
// its malloc is the next one, and fails: the FAIL_NUMBER-th request, all from it on if FAIL_ALL is
// set, or each FAIL_EVERY-th.
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

extern void* __libc_malloc(size_t);
extern void __libc_free(void*);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

static long number;
static long every;
static int all;
static long requests;
static int begun;

__attribute__((constructor)) static void begin(void) {
  number = getenv("FAIL_NUMBER") ? atol(getenv("FAIL_NUMBER")) : 0;
  every = getenv("FAIL_EVERY") ? atol(getenv("FAIL_EVERY")) : 0;
  all = getenv("FAIL_ALL") != NULL;
  begun = 1;
}

static int fails(void) {
  if (!begun) return 0;  // the loader does not go on without
  long const n = __atomic_add_fetch(&requests, 1, __ATOMIC_RELAXED);
  if (n == number || (all && number != 0 && n > number) || (every != 0 && n % every == 0)) {
    errno = ENOMEM;
    return 1;
  }
  return 0;
}

void* malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void free(void* p) { __libc_free(p); }
void* calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void* realloc(void* p, size_t size) { return fails() ? NULL : __libc_realloc(p, size); }
void* memalign(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void** to, size_t alignment, size_t size) {
  void* const p = memalign(alignment, size);
  if (p != NULL) *to = p;
  return p != NULL ? 0 : ENOMEM;
}
