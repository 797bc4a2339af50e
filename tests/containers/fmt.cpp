// SPDX-License-Identifier: MIT
// Library: fmt
// Package: libfmt-dev
// Modules: fmt
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "survey.hpp"

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  s.function("fmt::format, memory_buffer", "calls", [] {
    std::string const all = fmt::format("{:>600} {}", 1, std::vector<int>(400, 7));
    fmt::memory_buffer buffer;
    for (int i = 0; i < 30; ++i) fmt::format_to(std::back_inserter(buffer), "{} {:.30f}", all, 0.1);
    CHECK(buffer.size() > 30 * all.size());
  });
  return s.run();
}
