// SPDX-License-Identifier: MIT
/// \file
/// A trace_index as the bytes that the page computes with: docs/serve.md, "The index".
#pragma once

#include <string>
#include <string_view>

#include "analysis/analysis.hpp"
#include "serve/source_files.hpp"
#include "serve/trace_json.hpp"

namespace memprof::serve {

/// trace       the facts of the trace that the page gets.
/// sources     gets the files and lines of frames; null: nobody asks.
///
/// Stacks that no block has, and their names, are left out.
[[nodiscard]] std::string pack(analysis::trace_index const& index, json trace,
                               source_lines* sources = nullptr);

/// RFC 4648, with padding.
[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace memprof::serve
