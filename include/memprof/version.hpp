// SPDX-License-Identifier: MIT
/// \file
/// The version of memprof: of these headers, and of the library that the program runs with.
///
/// CMake reads the three numbers from here; they are defined nowhere else.
#pragma once

#include <string_view>

#include "memprof/detail/export.hpp"

#define MEMPROF_VERSION_MAJOR 0
#define MEMPROF_VERSION_MINOR 1
#define MEMPROF_VERSION_PATCH 0

/// One number that grows with the version: 10203 is 1.2.3. For `#if MEMPROF_VERSION >= 10200`.
#define MEMPROF_VERSION \
  (MEMPROF_VERSION_MAJOR * 10000 + MEMPROF_VERSION_MINOR * 100 + MEMPROF_VERSION_PATCH)

/// The same as a literal: "1.2.3".
#define MEMPROF_VERSION_STRING                 \
  MEMPROF_DETAIL_QUOTED(MEMPROF_VERSION_MAJOR) \
  "." MEMPROF_DETAIL_QUOTED(MEMPROF_VERSION_MINOR) "." MEMPROF_DETAIL_QUOTED(MEMPROF_VERSION_PATCH)
#define MEMPROF_DETAIL_QUOTED(number) MEMPROF_DETAIL_QUOTED_TEXT(number)
#define MEMPROF_DETAIL_QUOTED_TEXT(text) #text

namespace memprof::inline v0 {

/// The version of the headers that this file was compiled with.
inline constexpr std::string_view version = MEMPROF_VERSION_STRING;

/// The version of the library that the program is linked with, or has loaded.
///
/// Until 1.0 both must have the same major and minor number. For shared libraries the dynamic
/// loader makes sure of it, because their SONAME contains both numbers; for static ones check it:
///
///     if (memprof::linked_version() != memprof::version) log("built for another memprof");
[[nodiscard]] MEMPROF_API std::string_view linked_version() noexcept;

}  // namespace memprof::inline v0
