// SPDX-License-Identifier: MIT
/// \file
/// Ceilings: the second limit, above the first.
#pragma once

#include <cstdint>

namespace memprof::inline v0::detail {

struct scope;

/// The thread's position beyond which the ceiling of `s` acts; `never` if `s` has none, was not
/// hit, or its ceiling has acted.
std::int64_t ceiling_position(scope const& s) noexcept;

/// Acts for each scope of this thread that is over its ceiling. `may_call_out`: callbacks of the
/// program may be called here.
void check_ceilings(std::int64_t position, bool may_call_out) noexcept;

}  // namespace memprof::inline v0::detail
