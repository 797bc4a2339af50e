// SPDX-License-Identifier: MIT
/// \file
/// Where the C++ runtime's functions are in this process, and which personality is whose.
/// Filled once, when the modules are classified; read by every pre-flight.
#pragma once

#include <cstdint>

#include "delivery/reader/frame_outcome.hpp"

namespace memprof::delivery {

/// Whose frame a personality routine marks.
enum class language : std::uint8_t {
  none,  ///< no personality
  cxx,   ///< __gxx_personality_v0
  c,     ///< __gcc_personality_v0: C with -fexceptions
  other  ///< Rust, Ada, Go ...
};

language language_of(std::uintptr_t personality) noexcept;

void add_personality(std::uintptr_t personality, language l) noexcept;

/// Enters a function by its (mangled) name if that means anything to us.
void add_runtime_function(char const* name, std::uintptr_t address) noexcept;

/// Enters those that our own code is linked with: they are known even where every symbol table is
/// gone.
void add_own_runtime() noexcept;

/// An implementation of _Unwind_RaiseException, at its own address.
void add_unwinder(std::uintptr_t address) noexcept;

/// Is there more than one? libc's clean-up code resumes with libgcc's, whichever started.
bool has_two_unwinders() noexcept;

}  // namespace memprof::delivery
