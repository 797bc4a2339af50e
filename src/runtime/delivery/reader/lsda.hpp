// SPDX-License-Identifier: MIT
/// \file
/// The exception table of a procedure (LSDA): where the personality routine, that of C++ or that of
/// C, sends an exception, and with which selector.
#pragma once

#include <cstdint>

#include "callstack/callstack.hpp"

namespace memprof::delivery {

/// What is looked for a handler.
enum class thrown : std::uint8_t {
  limit,    ///< limit_exceeded
  anything  ///< an exception of a type that is not known
};

struct landing {
  enum class place : std::uint8_t {
    gap,       ///< no record covers the pc: std::terminate
    none,      ///< the exception passes through
    pad,       ///< code of the procedure takes over
    malformed  ///< the table is not understood
  };
  place where = place::malformed;
  std::uintptr_t address = 0;  ///< pad
  std::int32_t selector = 0;   ///< pad: the second register at its entry; 0 for mere cleanups
  bool selector_known = true;  ///< false: depends on the type
  bool may_pass = false;       ///< pad: for some types the pad is not entered
  bool forced_unwind = false;  ///< pad: of a handler that must throw it again (delivery/raise.hpp)
};

/// What the personality routine would do with an exception that arrives at `pc` in `p`: both its
/// phases, since what installs a handler in the second was found in the first.
///
/// Types are compared by name, as the runtimes do. limit_exceeded is final; its bases are
/// std::bad_alloc, std::exception and, as delivery/raise.hpp throws it, abi::__forced_unwind.
///
/// \note Threads: any; takes no lock, allocates nothing.
landing find_landing(callstack::procedure const& p, std::uintptr_t pc, thrown type) noexcept;

/// Where the first record of `p` that covers code beyond `pc` begins; 0 if there is none.
std::uintptr_t next_call_site(callstack::procedure const& p, std::uintptr_t pc) noexcept;

/// Whether a landing pad begins at `address`: code that is never gone on to from the instruction
/// before it.
bool is_landing_pad(std::uintptr_t address) noexcept;

}  // namespace memprof::delivery
