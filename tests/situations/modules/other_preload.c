// SPDX-License-Identifier: MIT
// A preload library as others write them: malloc and its family passed on by dlsym, with a buffer
// for what dlsym asks for; threads, mmap and open wrapped.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void* (*next_malloc)(size_t);
static void (*next_free)(void*);
static void* (*next_calloc)(size_t, size_t);
static void* (*next_realloc)(void*, size_t);
static char early[65536];
static size_t taken;
static __thread int looking_up;
static unsigned long counted;

static void* from_buffer(size_t size) {
  void* const p = early + taken;
  taken += (size + 31) & ~(size_t)31;
  return taken <= sizeof early ? p : NULL;
}

static int is_early(void const* p) { return (char const*)p >= early && (char const*)p < early + sizeof early; }

static void look_up(void) {
  looking_up = 1;
  next_malloc = (void* (*)(size_t))dlsym(RTLD_NEXT, "malloc");
  next_free = (void (*)(void*))dlsym(RTLD_NEXT, "free");
  next_calloc = (void* (*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
  next_realloc = (void* (*)(void*, size_t))dlsym(RTLD_NEXT, "realloc");
  looking_up = 0;
}

void* malloc(size_t size) {
  if (looking_up) return from_buffer(size);
  if (!next_malloc) look_up();
  __atomic_fetch_add(&counted, 1, __ATOMIC_RELAXED);
  return next_malloc(size);
}

void free(void* p) {
  if (is_early(p) || (looking_up && !next_free)) return;
  if (!next_free) look_up();
  next_free(p);
}

void* calloc(size_t n, size_t size) {
  if (looking_up) return from_buffer(n * size);
  if (!next_calloc) look_up();
  return next_calloc(n, size);
}

void* realloc(void* p, size_t size) {
  if (looking_up || is_early(p)) {
    void* const q = malloc(size);
    if (p && q) memcpy(q, p, size < 64 ? size : 64);
    return q;
  }
  if (!next_realloc) look_up();
  return next_realloc(p, size);
}

int pthread_create(pthread_t* thread, pthread_attr_t const* attributes, void* (*start)(void*), void* argument) {
  int (*const next)(pthread_t*, pthread_attr_t const*, void* (*)(void*), void*) =
      (int (*)(pthread_t*, pthread_attr_t const*, void* (*)(void*), void*))dlsym(RTLD_NEXT, "pthread_create");
  free(malloc(50));
  return next(thread, attributes, start, argument);
}

void* mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  static void* (*next)(void*, size_t, int, int, int, off_t);
  if (!next) next = (void* (*)(void*, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
  __atomic_fetch_add(&counted, 1, __ATOMIC_RELAXED);
  return next(at, size, protection, flags, file, offset);
}

int open(char const* name, int flags, ...) {
  int (*const next)(char const*, int, ...) = (int (*)(char const*, int, ...))dlsym(RTLD_NEXT, "open");
  va_list rest;
  va_start(rest, flags);
  mode_t const mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  free(malloc(60));
  return next(name, flags, mode);
}
