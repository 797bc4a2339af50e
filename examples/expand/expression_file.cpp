// SPDX-License-Identifier: MIT
#include "expression_file.hpp"

#include <stdexcept>
#include <string_view>

namespace example::expand {
namespace {

std::string_view trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The part of `text` before `separator`, both trimmed; what is behind it stays in `text`.
std::string_view take_until(std::string_view& text, std::string_view separator) {
  auto const at = text.find(separator);
  auto const before = trimmed(text.substr(0, at));
  text = at == std::string_view::npos ? std::string_view{}
                                      : trimmed(text.substr(at + separator.size()));
  return before;
}

check parse_check(std::string_view text) {
  auto const word = take_until(text, " ");
  if (word == "equals" && !text.empty()) {
    return {check::kind::equals, {}, std::string(text)};
  }
  if (word == "terms" && !text.empty()) {
    return {check::kind::terms, {}, std::string(text)};
  }
  if (word == "coefficient") {
    auto const monomial = take_until(text, "=");
    if (!monomial.empty() && !text.empty()) {
      return {check::kind::coefficient, std::string(monomial), std::string(text)};
    }
  }
  throw std::runtime_error(
      "expected 'equals EXPRESSION', 'terms NUMBER', 'coefficient MONOMIAL = VALUE' or 'runaway'");
}

entry parse_entry(std::string_view text, int line) {
  entry result{line, std::string(take_until(text, "=>")), {}};
  if (result.expression.empty() || text.empty()) {
    throw std::runtime_error("expected 'EXPRESSION => CHECK'");
  }
  if (text == "runaway") return result;
  while (!text.empty()) result.checks.push_back(parse_check(take_until(text, ";")));
  return result;
}

}  // namespace

std::vector<entry> read_entries(std::istream& in, std::string const& name) {
  std::vector<entry> entries;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    auto const text = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (text.empty()) continue;
    try {
      entries.push_back(parse_entry(text, number));
    } catch (std::runtime_error const& error) {
      throw std::runtime_error(name + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  return entries;
}

}  // namespace example::expand
