// SPDX-License-Identifier: MIT
/// \file
/// What a heap profile consists of, in any format: modules, lines, values of samples.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memprof::pprof {

/// A module. start, limit and offset may be 0: its locations then have addresses as in its file.
struct mapping {
  std::string_view file;
  std::string_view build_id;  ///< hexadecimal
  std::uint64_t start = 0;
  std::uint64_t limit = 0;
  std::uint64_t offset = 0;
  // What nobody needs to look up any more: names, source files, lines and inlined calls.
  bool has_functions = true;
  bool has_files = true;
  bool has_lines = true;
};

/// A call in a location: several are inlined calls, innermost first.
///
///  - `symbol`: what the linker calls the function, by which pprof finds its instructions; empty:
///    not known.
struct line {
  std::string function;
  std::string file;
  std::uint32_t number = 0;
  std::string symbol;
};

/// Estimates; values below 0 count as 0.
struct heap_values {
  double allocated_objects = 0;
  double allocated_bytes = 0;
  double in_use_objects = 0;
  double in_use_bytes = 0;
};

/// What is said of the profile as a whole.
///
///  - `period`: mean bytes between two samples.
///  - `default_type`: what pprof shows first: "inuse_space", "alloc_space", ...
struct profile_facts {
  std::int64_t time_nanoseconds = 0;
  std::int64_t duration_nanoseconds = 0;
  double period = 1;
  std::string default_type = "inuse_space";
  std::vector<std::string> comments;
};

/// Name and unit of the four values of a sample, which are those of Go's heap profiles.
inline constexpr std::array<std::pair<char const*, char const*>, 4> sample_types{
    {{"alloc_objects", "count"},
     {"alloc_space", "bytes"},
     {"inuse_objects", "count"},
     {"inuse_space", "bytes"}}};

/// The nearest whole number, at least 0.
inline std::uint64_t rounded(double value) {
  return value > 0 ? static_cast<std::uint64_t>(std::llround(std::min(value, 0x1p62))) : 0;
}

inline std::uint64_t natural(std::int64_t n) { return n > 0 ? static_cast<std::uint64_t>(n) : 0; }

/// In the order of sample_types.
inline std::array<std::uint64_t, 4> rounded(heap_values const& values) {
  return {rounded(values.allocated_objects), rounded(values.allocated_bytes),
          rounded(values.in_use_objects), rounded(values.in_use_bytes)};
}

}  // namespace memprof::pprof
