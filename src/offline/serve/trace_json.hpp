// SPDX-License-Identifier: MIT
/// \file
/// The facts of a trace that the page gets besides the blocks: docs/serve.md, "The trace".
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/analysis.hpp"

namespace memprof::serve {

using json = nlohmann::ordered_json;

/// file        its path; the page gets only the file name.
/// version     of memprof.
/// kept        blocks in the index.
[[nodiscard]] json trace_json(analysis::trace_facts const& facts, std::string const& file,
                              std::string const& version, std::uint64_t generation,
                              std::size_t kept);

}  // namespace memprof::serve
