// SPDX-License-Identifier: MIT
/// \file
/// What a function called from a landing pad may do, whatever the processor.
#pragma once

#include <cstdint>

#include "delivery/reader/lsda.hpp"

namespace memprof::delivery {

struct callee_facts {
  bool returns = false;     ///< or: not known
  bool terminates = false;  ///< it may call std::terminate
  bool throws = false;      ///< a new exception may leave it
  bool rethrows = false;    ///< the one being handled may leave it
  bool exits = false;       ///< it may end the process otherwise
  bool unclear = false;     ///< it may longjmp and the like, or was too long to read
};

/// Where an exception that leaves the call before `next` goes in the function that calls.
landing landing_of_call(thrown type, std::uintptr_t next) noexcept;

/// Enters that an exception leaves a call, and goes there.
void leave_by(thrown type, landing::place where, callee_facts& facts) noexcept;

}  // namespace memprof::delivery
