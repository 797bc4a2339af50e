// SPDX-License-Identifier: MIT
#include "serve/request.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/ranges.h>
#include <iterator>

namespace memprof::serve {
namespace {

using analysis::named_text;

/// Takes those that `wanted` wants out of `from`.
template <class Wanted>
std::vector<named_text> take(std::vector<named_text>& from, Wanted&& wanted) {
  std::vector<named_text> taken, left;
  for (named_text& t : from) (wanted(t) ? taken : left).push_back(std::move(t));
  from = std::move(left);
  return taken;
}

template <class Number>
Number number_of(std::string_view name, std::string const& text) {
  Number value{};
  char const* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end) {
    throw bad_parameter(name, fmt::format("'{}' is no number", text));
  }
  return value;
}

int hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// A "%" that begins no byte stands for itself.
std::string decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hexadecimal(text[i + 1]) : -1;
    const int low = high >= 0 ? hexadecimal(text[i + 2]) : -1;
    if (low >= 0) {
      result += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      result += text[i] == '+' ? ' ' : text[i];
    }
  }
  return result;
}

}  // namespace

std::vector<named_text> parse_query(std::string_view query) {
  std::vector<named_text> result;
  query = query.substr(0, query.find('#'));
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view one = query.substr(0, end);
    const std::size_t equals = std::min(one.find('='), one.size());
    if (!one.empty()) {
      result.push_back(
          {decoded(one.substr(0, equals)), decoded(one.substr(std::min(equals + 1, one.size())))});
    }
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return result;
}

std::vector<std::string> parameters::texts(std::string_view name) {
  std::vector<std::string> result;
  for (named_text& t : take(left_, [&](named_text const& t) { return t.name == name; })) {
    result.push_back(std::move(t.value));
  }
  return result;
}

std::string parameters::text(std::string_view name, std::string_view otherwise) {
  const std::vector<std::string> all = texts(name);
  return all.empty() ? std::string(otherwise) : all.back();
}

std::string parameters::last(std::string_view name) {
  for (auto t = left_.rbegin(); t != left_.rend(); ++t) {
    if (t->name != name) continue;
    std::string value = std::move(t->value);
    left_.erase(std::next(t).base());
    return value;
  }
  return {};
}

std::size_t parameters::choice(std::string_view name, std::vector<std::string_view> const& choices,
                               std::size_t otherwise) {
  const std::string given = text(name, choices[otherwise]);
  const auto at = std::find(choices.begin(), choices.end(), given);
  if (at != choices.end()) return static_cast<std::size_t>(at - choices.begin());
  throw bad_parameter(name, fmt::format("'{}' is none of {}", given, fmt::join(choices, ", ")));
}

std::size_t parameters::count(std::string_view name, std::size_t otherwise, std::size_t least,
                              std::size_t most) {
  const std::string given = text(name);
  if (given.empty()) return otherwise;
  const auto value = number_of<std::size_t>(name, given);
  if (value < least || value > most) {
    throw bad_parameter(name, fmt::format("'{}' is not in {} to {}", given, least, most));
  }
  return value;
}

double parameters::share(std::string_view name, double otherwise) {
  const std::string given = text(name);
  if (given.empty()) return otherwise;
  const auto value = number_of<double>(name, given);
  if (!(value >= 0 && value <= 1)) {
    throw bad_parameter(name, fmt::format("'{}' is not in 0 to 1", given));
  }
  return value;
}

bool parameters::flag(std::string_view name, bool otherwise) {
  return choice(name, {"0", "1"}, otherwise ? 1 : 0) == 1;
}

std::vector<named_text> parameters::with_prefix(std::string_view prefix) {
  auto taken = take(left_, [&](named_text const& t) { return t.name.starts_with(prefix); });
  for (named_text& t : taken) t.name.erase(0, prefix.size());
  return taken;
}

std::vector<named_text> parameters::selection() {
  return take(left_, [](named_text const& t) { return analysis::is_part_of_selection(t.name); });
}

void parameters::finish() const {
  if (left_.empty()) return;
  throw bad_parameter(left_.front().name, "there is no such parameter here");
}

}  // namespace memprof::serve
