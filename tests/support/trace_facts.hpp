// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/traces.hpp"

namespace memprof::test {

/// What the .json beside a golden trace says of it.
inline nlohmann::json facts_of(std::filesystem::path file) {
  return nlohmann::json::parse(contents(file.replace_extension(".json")));
}

}  // namespace memprof::test
