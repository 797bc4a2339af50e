// SPDX-License-Identifier: MIT
/// \file
/// Settings from environment variables, read without allocating; a malformed one is an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "memprof/detail/export.hpp"

namespace memprof::base {

/// A message of bounded length in place: what is wrong with which variable. Empty: nothing.
struct setting_error {
  char text[256] = {};
  explicit operator bool() const noexcept { return text[0] != '\0'; }
};

/// The value of `name`; null if it is not set, and in a program that runs with more rights than
/// whoever started it (set-user-id, file capabilities): its environment is that other one's, and
/// some variables name files to be written. Everything of ours is read by this.
[[nodiscard]] char const* environment_value(char const* name) noexcept;

/// If `name` is set, parses it as a number in [least, most] into `value`.
///
/// Unset or empty leaves `value` alone. Malformed or out of range leaves it alone and fills
/// `error` (if that is still empty) with the variable's name, its text and what is expected.
void read_setting(char const* name, double least, double most, double& value,
                  setting_error& error) noexcept;
void read_setting(char const* name, std::uint64_t least, std::uint64_t most, std::uint64_t& value,
                  setting_error& error) noexcept;

/// The same for one of several words: `chosen` is the index of the one that is set.
void read_setting(char const* name, std::span<char const* const> words, std::size_t& chosen,
                  setting_error& error) noexcept;

/// Writes "memprof: TEXT\n" to standard error with one system call; keeps errno.
MEMPROF_INTERNAL_API void raw_message(char const* text) noexcept;
/// The same for a text in parts; cut off if it is longer than 500 bytes.
MEMPROF_INTERNAL_API void raw_message(std::initializer_list<char const*> parts) noexcept;

}  // namespace memprof::base
