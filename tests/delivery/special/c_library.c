/* SPDX-License-Identifier: MIT */
#include "special/c_library.h"

#include <stdlib.h>

static volatile int locked;
static volatile int blocks;

void c_call_under_lock(c_callback f, void* context) {
  locked = 1;
  f(context);
  locked = 0;
}

int c_lock_is_free(void) { return !locked; }

void c_call_with_block(c_callback f, void* context) {
  void* block = malloc(100);
  ++blocks;
  f(context);
  --blocks;
  free(block);
}

int c_blocks(void) { return blocks; }

int c_call_then_return(c_callback f, void* context) {
  f(context);
  return 1;
}

int c_call_then_compare(c_callback f, void* context, int a, int b) {
  f(context);
  return a < b ? b - a : a + 3 * b;
}

void c_tail_call(c_callback f, void* context) { f(context); }
