// SPDX-License-Identifier: MIT
/// \file
/// The documents to parse: JSON files, and recipes of documents too large to be shipped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "summary.hpp"

namespace example::json {

/// `begin`, then `text` `repeat` times, then `end`.
///
///     {"bomb": {"begin": "[", "repeat": 50000000, "text": "[0],", "end": "0]"}}
struct recipe {
  std::string begin;
  std::uint64_t repeat;
  std::string text;
  std::string end;
};

struct document {
  std::string name;
  std::string text;                 ///< of the file
  std::optional<recipe> bomb;       ///< *.recipe.json: the document is what the recipe makes
  std::optional<summary> expected;  ///< of a document that is no bomb
};

/// Reads all *.json of the directories and files given; in each directory `expected.json` holds the
/// summaries. A document that is no bomb and has none there is an error.
/// throws      std::runtime_error naming the file.
std::vector<document> load_documents(std::vector<std::filesystem::path> const& paths);

/// The document as a stream of characters. A bomb is made while it is read, in constant memory.
std::unique_ptr<std::istream> open(document const& d);

}  // namespace example::json
