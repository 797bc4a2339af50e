// SPDX-License-Identifier: MIT
// A library in C that passes on what malloc returns. Named like GLib, it stands for functions that
// abort.
#include <cstddef>
#include <cstdlib>

extern "C" {
__attribute__((visibility("default"))) void* append_to_list(std::size_t size);
__attribute__((visibility("default"))) void* g_try_new(std::size_t size);
}

// volatile: no tail call, so the return address is one of this module.

void* append_to_list(std::size_t size) {
  void* volatile block = std::malloc(size);
  return block;
}

void* g_try_new(std::size_t size) {
  void* volatile block = std::malloc(size);
  return block;
}
