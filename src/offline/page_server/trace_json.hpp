// SPDX-License-Identifier: MIT
/// \file
/// The facts of a trace that the page gets besides the blocks: docs/serve.md, "The trace".
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/analysis.hpp"

namespace memprof::page_server {

using json = nlohmann::ordered_json;

/// What of a trace is in the index.
///
///  - `objects`: blocks.
///  - `ends`: calls at each end of a stack, if the others are left out; 0: all are there.
struct kept_parts {
  std::size_t objects = 0;
  std::uint32_t ends = 0;
};

/// \param file its path; the page gets only the file name.
/// \param version of memprof.
[[nodiscard]] json trace_json(analysis::trace_facts const& facts, std::string const& file,
                              std::string const& version, std::uint64_t generation,
                              kept_parts const& kept);

}  // namespace memprof::page_server
