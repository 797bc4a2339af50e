// SPDX-License-Identifier: MIT
/// \file
/// What the engine calls for the profile, and the profile that it calls for.
#pragma once

#include <cstdint>

#include "profile/session.hpp"

namespace memprof::profiling {

/// Has the engine call. Once or more.
void install_calls() noexcept;

/// Makes `s` the profile that samples. False if another one is.
bool begin_sampling(session& s, double per_word) noexcept;
/// False if `s` does not sample.
bool end_sampling(session& s) noexcept;

/// The block of an entry was freed: for the end of a call.
void free_entry(std::uint32_t index) noexcept;

}  // namespace memprof::profiling
