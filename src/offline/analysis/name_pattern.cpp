// SPDX-License-Identifier: MIT
#include "analysis/name_pattern.hpp"

#include <fmt/format.h>
#include <regex>
#include <stdexcept>

namespace memprof::analysis {

struct name_pattern::expression {
  std::regex regex;
};

namespace {

/// libstdc++ searches by going back otherwise, once for each character deeper into the stack, and
/// for some expressions exponentially long. In polynomial time it knows no back references.
constexpr std::regex::flag_type syntax = std::regex::ECMAScript | std::regex::optimize
#ifdef __GLIBCXX__
                                         | std::regex_constants::__polynomial
#endif
    ;

constexpr std::size_t longest_regex = 1000;

}  // namespace

name_pattern::name_pattern(std::string_view text) : text_(text) {
  const auto after = [&](std::string_view mark, how h) {
    if (!text.starts_with(mark)) return false;
    wanted_ = text.substr(mark.size());
    how_ = h;
    return true;
  };
  if (text.size() > 2 && text.starts_with('/') && text.ends_with('/')) {
    wanted_ = text.substr(1, text.size() - 2);
    how_ = how::regex;
  } else if (!after("contains:", how::contains) && !after("equals:", how::equals) &&
             !after("=", how::equals) && !after("regex:", how::regex)) {
    wanted_ = text;
  }
  if (how_ != how::regex) return;
  if (wanted_.size() > longest_regex) {
    throw std::invalid_argument(
        fmt::format("a regular expression of more than {} characters", longest_regex));
  }
  try {
    expression_ = std::make_shared<expression>(expression{std::regex(wanted_, syntax)});
  } catch (std::regex_error const& e) {
    throw std::invalid_argument(fmt::format("'{}' is no regular expression: {}", text_, e.what()));
  }
}

bool name_pattern::matches(std::string_view name) const {
  switch (how_) {
    case how::contains:
      return name.find(wanted_) != std::string_view::npos;
    case how::equals:
      return name == wanted_;
    case how::regex:
      break;
  }
  // Names come from files: longer ones are judged by their beginning.
  constexpr std::size_t longest = 1024;
  name = name.substr(0, longest);
  return std::regex_search(name.begin(), name.end(), expression_->regex);
}

}  // namespace memprof::analysis
