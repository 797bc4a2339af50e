// SPDX-License-Identifier: MIT
/// \file
/// A trace_index as the bytes that the page computes with: docs/serve.md, "The index".
#pragma once

#include <string>
#include <string_view>

#include "analysis/analysis.hpp"
#include "page_server/frame_tree.hpp"
#include "page_server/trace_json.hpp"

namespace memprof::page_server {

/// \param tree of its stacks.
/// \param trace the facts of the trace that the page gets.
[[nodiscard]] std::string pack(analysis::trace_index const& index, frame_tree const& tree,
                               json trace);

/// RFC 4648, with padding.
[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace memprof::page_server
