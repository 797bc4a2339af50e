// SPDX-License-Identifier: MIT
#include "override/own_code.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include "callstack/callstack.hpp"
#include "modules/modules.hpp"

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
  const auto here = reinterpret_cast<std::uintptr_t>(__start_memprof_replacement);
  for (void const* f : functions) {
    callstack::procedure p;
    const auto code = reinterpret_cast<std::uintptr_t>(f);
    if (!modules::in_one_module(here, code) || !callstack::find_procedure(code, p)) continue;
    tell(reinterpret_cast<void const*>(p.begin), reinterpret_cast<void const*>(p.end));
  }
}

}  // namespace

void announce_own_code(bool preload_library_is_next) noexcept {
  const announce preload = preload_library_is_next ? &memprof_preload_leave_out : nullptr;
  for (announce tell : {announce{&callstack::leave_out}, preload}) {
    if (tell == nullptr) continue;
    tell(__start_memprof_replacement, __stop_memprof_replacement);
    tell_operators(tell);
  }
}

}  // namespace memprof::override
