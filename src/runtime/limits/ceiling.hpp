// SPDX-License-Identifier: MIT
/// \file
/// Ceilings: the second limit over the first.
#pragma once

#include <cstdint>

namespace memprof::inline v0::detail {

struct scope;

/// The position of the thread beyond which the ceiling of `s` acts; `never` if it has none, was not
/// hit, or has acted.
std::int64_t ceiling_position(scope const& s) noexcept;

/// Acts for each scope of this thread that is over its ceiling. `may_call_out`: user code may be
/// called here.
void check_ceilings(std::int64_t position, bool may_call_out) noexcept;

}  // namespace memprof::inline v0::detail
