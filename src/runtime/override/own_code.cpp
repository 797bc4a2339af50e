// SPDX-License-Identifier: MIT
#include "override/own_code.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <new>

#include "callstack/callstack.hpp"

// The section's bounds, by the linker. Hidden: each copy has its own.
extern "C" [[gnu::visibility("hidden")]] char const __start_memprof_replacement[];
extern "C" [[gnu::visibility("hidden")]] char const __stop_memprof_replacement[];

namespace memprof::override {
namespace {

using announce = void (*)(void const*, void const*) noexcept;

template <class... Arguments>
void const* operator_new() noexcept {
  return reinterpret_cast<void const*>(
      static_cast<void* (*)(std::size_t, Arguments...)>(&::operator new));
}
template <class... Arguments>
void const* operator_new_array() noexcept {
  return reinterpret_cast<void const*>(
      static_cast<void* (*)(std::size_t, Arguments...)>(&::operator new[]));
}

/// The module that code or data at `address` belongs to; null if it belongs to none.
void const* module_of(void const* address) noexcept {
  Dl_info info;
  return ::dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

/// The functions that the program calls, if they are this copy's.
void tell_operators(announce tell) noexcept {
  using std::align_val_t, std::nothrow_t;
  const std::array functions{operator_new<>(),
                             operator_new<nothrow_t const&>(),
                             operator_new<align_val_t>(),
                             operator_new<align_val_t, nothrow_t const&>(),
                             operator_new_array<>(),
                             operator_new_array<nothrow_t const&>(),
                             operator_new_array<align_val_t>(),
                             operator_new_array<align_val_t, nothrow_t const&>()};
  void const* const here = module_of(__start_memprof_replacement);
  for (void const* f : functions) {
    callstack::procedure p;
    if (module_of(f) != here) continue;
    if (!callstack::find_procedure(reinterpret_cast<std::uintptr_t>(f), p)) continue;
    tell(reinterpret_cast<void const*>(p.begin), reinterpret_cast<void const*>(p.end));
  }
}

}  // namespace

void announce_own_code() noexcept {
  // Of override/preload/linked_copy.cpp. In the preload library itself there is none behind it.
  const auto preload = reinterpret_cast<announce>(dlsym(RTLD_NEXT, "memprof_preload_leave_out"));
  for (announce tell : {announce{&callstack::leave_out}, preload}) {
    if (tell == nullptr) continue;
    tell(__start_memprof_replacement, __stop_memprof_replacement);
    tell_operators(tell);
  }
}

}  // namespace memprof::override
