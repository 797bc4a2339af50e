// SPDX-License-Identifier: MIT
/// \file
/// A trace_index as the bytes that the page computes with: docs/serve.md, "The index".
#pragma once

#include <string>
#include <string_view>

#include "analysis/analysis.hpp"
#include "serve/frame_tree.hpp"
#include "serve/trace_json.hpp"

namespace memprof::serve {

/// \param tree of its stacks.
/// \param trace the facts of the trace that the page gets.
[[nodiscard]] std::string pack(analysis::trace_index const& index, frame_tree const& tree,
                               json trace);

/// RFC 4648, with padding.
[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace memprof::serve
