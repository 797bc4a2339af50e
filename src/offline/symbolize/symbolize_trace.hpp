// SPDX-License-Identifier: MIT
/// \file
/// Writes symbols into a trace, so that it can be read where the modules are not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "symbolize/resolver.hpp"

namespace memprof::symbolize {

///  - `names`: how symbols are looked for.
///  - `progress`: called now and then with the bytes read so far; may be empty.
struct symbolize_trace_options {
  resolver_options names;
  std::function<void(std::uint64_t bytes_read)> progress;
};

///  - `codes`: different ones in the trace.
///  - `resolved`: those of them that got names.
///  - `notices`: of the reader and of the resolver.
struct symbolize_trace_result {
  std::uint64_t events = 0;
  std::uint64_t codes = 0;
  std::uint64_t resolved = 0;
  std::vector<std::string> notices;
};

/// Writes the trace `in` to `out`, which may be the same file, with names in the place of raw
/// locations and all else as it was: codes, ids, times, version. `out` appears when it is whole,
/// under a temporary name beside it before.
///
/// \throws trace::format_error if `in` is damaged.
/// \throws std::system_error if a file cannot be read or written.
/// \throws std::runtime_error if the copy cannot keep the ids of its objects (only a trace that
///   memtrace could not have written has such).
symbolize_trace_result symbolize_trace(std::filesystem::path const& in,
                                       std::filesystem::path const& out,
                                       symbolize_trace_options const& options = {});

}  // namespace memprof::symbolize
