// SPDX-License-Identifier: MIT
/// \file
/// Answers of `respond`, and a block that a profile names.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "memprof/serve/respond.hpp"

#include "support/catch2.hpp"

namespace memprof::test {

inline serve::response get(std::string_view target, std::string_view accept = {}) {
  return serve::respond({.target = target, .accept = accept});
}

inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The number behind the sample that `line` begins.
inline double sample(std::string const& page, std::string const& line) {
  const std::size_t at = page.find("\n" + line + " ");
  INFO(line);
  REQUIRE(at != std::string::npos);
  return std::stod(page.substr(at + line.size() + 2));
}

[[gnu::noinline]] inline std::unique_ptr<char[]> named_block(std::size_t size) {
  return std::make_unique<char[]>(size);
}

}  // namespace memprof::test
