/* SPDX-License-Identifier: MIT */
/*
 * As glibc compiles what may be cancelled.
 * Flags: -fexceptions
 */
#include "special/c_library.h"

static volatile int locked;

static void unlock(int* unused) {
  (void)unused;
  locked = 0;
}

void c_call_with_cleanup(c_callback f, void* context) {
  int guard __attribute__((cleanup(unlock))) = 0;
  locked = 1;
  f(context);
  (void)guard;
}

int c_cleanup_lock_is_free(void) { return !locked; }
