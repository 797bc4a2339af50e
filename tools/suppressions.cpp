// SPDX-License-Identifier: MIT
#include "tools/suppressions.hpp"

#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "tools/usage_error.hpp"

namespace memprof::tools {
namespace {

std::string_view trimmed(std::string_view text) {
  static constexpr std::string_view blanks = " \t\r";
  const std::size_t from = text.find_first_not_of(blanks);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(blanks) + 1 - from);
}

}  // namespace

std::vector<suppression> read_suppressions(std::string const& file) {
  std::ifstream in(file);
  if (!in) throw std::system_error(errno, std::generic_category(), file);
  std::vector<suppression> all;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.front() == '#') continue;
    // Names have a '#', too: "{lambda(int)#1}".
    const std::size_t mark = text.find(" #");
    const std::string_view pattern = trimmed(text.substr(0, mark));
    const std::string_view reason =
        mark == std::string_view::npos ? std::string_view{} : trimmed(text.substr(mark + 2));
    if (reason.empty()) {
      throw usage_error(fmt::format("{}:{}: no reason: PATTERN  # reason", file, number));
    }
    try {
      all.push_back({analysis::name_pattern(pattern), std::string(reason)});
    } catch (std::invalid_argument const& e) {
      throw usage_error(fmt::format("{}:{}: {}", file, number, e.what()));
    }
  }
  if (in.bad()) throw std::runtime_error(file + ": cannot be read");
  return all;
}

}  // namespace memprof::tools
