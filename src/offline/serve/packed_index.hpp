// SPDX-License-Identifier: MIT
/// \file
/// A trace_index as text that a page can unpack: docs/serve.md, "One file".
#pragma once

#include <string>

#include "analysis/analysis.hpp"
#include "serve/amount_json.hpp"

namespace memprof::serve {

/// index       base64 of the gzip of the columns.
/// tables      how many there are, and names.
struct packed_index {
  std::string index;
  json tables;
};

[[nodiscard]] packed_index pack(analysis::trace_index const& index);

/// RFC 4648, with padding.
[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace memprof::serve
