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
constexpr unsigned most_repetitions = 1000;  // as in RE2; libstdc++ takes counts modulo 2^32

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Moves `at` behind the digits that begin there.
///
/// \throws std::invalid_argument if they are a number over most_repetitions.
void pass_count(std::string_view expression, std::size_t& at) {
  unsigned count = 0;
  for (; at < expression.size() && is_digit(expression[at]); ++at) {
    count = count * 10 + static_cast<unsigned>(expression[at] - '0');
    if (count > most_repetitions) {
      throw std::invalid_argument(fmt::format("more than {} repetitions", most_repetitions));
    }
  }
}

/// \throws std::invalid_argument with what `expression` has that is not supported.
void check_supported(std::string_view expression) {
  bool in_brackets = false;
  for (std::size_t at = 0; at < expression.size(); ++at) {
    const char c = expression[at];
    if (c == '\\') {
      ++at;
      if (at < expression.size() && is_digit(expression[at]) && expression[at] != '0') {
        throw std::invalid_argument("back references are not supported");
      }
    } else if (c == '[' || c == ']') {
      in_brackets = c == '[';
    } else if (c == '{' && !in_brackets) {
      pass_count(expression, ++at);
      if (at < expression.size() && expression[at] == ',') pass_count(expression, ++at);
      --at;
    }
  }
}

std::regex compiled(std::string const& expression) {
  if (expression.size() > longest_regex) {
    throw std::invalid_argument(fmt::format("more than {} characters", longest_regex));
  }
  check_supported(expression);
  try {
    return std::regex(expression, syntax);
  } catch (std::regex_error const& e) {
    if (e.code() != std::regex_constants::error_space) throw std::invalid_argument(e.what());
    throw std::invalid_argument("it repeats too much");
  }
}

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
  try {
    expression_ = std::make_shared<expression>(expression{compiled(wanted_)});
  } catch (std::invalid_argument const& e) {
    throw std::invalid_argument(fmt::format("the regular expression '{}': {}", text_, e.what()));
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
