// SPDX-License-Identifier: MIT
/// \file
/// Modules that can be unloaded, and take each other's place: those of the unit tests of
/// `callstack`.
#pragma once

#include <cstdint>
#include <dlfcn.h>
#include <string>

#include "support/catch2.hpp"

namespace memprof::test {

/// A return address in a function.
inline std::uintptr_t within(void const* function) {
  return reinterpret_cast<std::uintptr_t>(function) + 2;
}

/// Loaded while it lives. Names: small_frame, large_frame; without_id and without_id_either, which
/// differ in nothing but their names.
struct unloadable_module {
  std::string path;
  void* handle;
  std::uintptr_t frame = 0;  ///< a return address in it

  explicit unloadable_module(std::string const& name)
      : path(MEMPROF_TEST_CALLSTACK_MODULES "/" + name + ".so"),
        handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    REQUIRE(handle != nullptr);
    frame = within(dlsym(handle, "call_from_module"));
  }
  ~unloadable_module() { dlclose(handle); }
  unloadable_module(unloadable_module const&) = delete;
  unloadable_module& operator=(unloadable_module const&) = delete;
};

}  // namespace memprof::test
