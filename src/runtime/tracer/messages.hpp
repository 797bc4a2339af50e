// SPDX-License-Identifier: MIT
/// \file
/// Messages about a trace that failed.
#pragma once

#include <array>
#include <cstddef>

#include "tracer/session.hpp"

namespace memprof::tracer {

inline constexpr std::size_t longest_message = 480;

/// One line, without "memprof: ". Cut if need be.
///
/// \param with_reason adds the system's error text.
void describe(outcome const& failure, settings const& wanted,
              std::array<char, longest_message>& text, bool with_reason = true) noexcept;

/// The number of events that are missing.
void describe_drop(std::uint64_t dropped, settings const& wanted,
                   std::array<char, longest_message>& text) noexcept;

/// Writes "memprof: TEXT\n" to the program's standard error, from the writing thread, which has
/// other descriptors. False: that could not be done.
bool say_to_program(char const* text) noexcept;

}  // namespace memprof::tracer
