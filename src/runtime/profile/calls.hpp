// SPDX-License-Identifier: MIT
/// \file
/// The functions that the engine calls, and the profile that they serve.
#pragma once

#include <cstdint>

#include "profile/session.hpp"

namespace memprof::profiling {

/// Registers these functions with the engine. May be called again.
void install_calls() noexcept;

/// Makes `s` the profile that samples. False if another one is.
bool begin_sampling(session& s, double per_word) noexcept;
/// False if `s` does not sample.
bool end_sampling(session& s) noexcept;

/// The block of an entry was freed: for the end of a call.
void free_entry(std::uint32_t index) noexcept;

}  // namespace memprof::profiling
