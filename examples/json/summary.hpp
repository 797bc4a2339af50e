// SPDX-License-Identifier: MIT
/// \file
/// What the workers compute from a document, so that a wrong parse would be seen.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace example::json {

/// values      all values, arrays and objects included.
/// depth       1 for a number, 2 for an array of numbers.
/// checksum    64 hexadecimal bits over every key and value; make_documents.py computes the
///             same in Python, from which the expected ones come.
struct summary {
  std::uint64_t values = 0;
  int depth = 0;
  std::string checksum;

  friend bool operator==(summary const&, summary const&) = default;
};

/// throws      std::runtime_error if the document is nested deeper than 1000.
summary summarize(nlohmann::json const& document);

}  // namespace example::json
