// SPDX-License-Identifier: MIT
/// \file
/// What is said of an access that damages guarded blocks, or would: in free, and in the handler of
/// SIGSEGV. Nothing is allocated, and no lock taken that malloc or the loader may hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/base.hpp"

namespace memprof::override {

/// The most frames of each stack.
inline constexpr std::size_t most_reported_frames = 48;

struct guard_fault {
  enum kinds { access, freed_twice, no_block, overwritten, other_form, other_size } kind;
  base::guarded_slots::slot block;  ///< without record: of none
  std::uintptr_t address;
  std::size_t size = 0;                     ///< of other_size: what the caller says
  char const* caller = nullptr;             ///< the function that found it
  void const* frame = nullptr;              ///< as of engine::new_block: where it was called
  char const* accessed = "access";          ///< "read", "write"
  std::span<std::uintptr_t const> stack{};  ///< of an access
};

/// Writes it to standard error, line by line. Of several threads each writes its own whole.
void report_guard_fault(guard_fault const& fault) noexcept;

/// This thread's stack now, interned, and its number.
struct stack_note {
  std::uint32_t stack;
  std::uint32_t thread;
};
stack_note note_stack(void const* frame) noexcept;

/// Installs the handler of SIGSEGV. It reports accesses to guarded blocks and beside them; then, as
/// for all others, what was installed before goes on: the program's own handler, or its end.
void watch_faults() noexcept;

}  // namespace memprof::override
