// SPDX-License-Identifier: MIT
//
// Compiled into modules that differ in nothing but the size of this frame.
extern "C" [[gnu::visibility("default")]] void call_from_module(void (*f)()) {
  char bytes[MEMPROF_TEST_FRAME];
  asm volatile("" : : "r"(bytes) : "memory");
  f();
  asm volatile("" : : "r"(bytes) : "memory");
}
