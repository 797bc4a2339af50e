// SPDX-License-Identifier: MIT
#include "page_columns/own_function.hpp"

#include <algorithm>
#include <array>

namespace memprof::page_columns {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view ours = "memprof::";

/// Of src/runtime and of the public interface.
constexpr std::array namespaces{"v0::"sv,       "base::"sv,    "callstack::"sv, "copies::"sv,
                                "delivery::"sv, "detail::"sv,  "engine::"sv,    "fiber::"sv,
                                "limits::"sv,   "modules::"sv, "profile::"sv,   "override::"sv,
                                "sampling::"sv, "sources::"sv, "testing::"sv,   "tracer::"sv};

/// The name without the return type, which demanglers write before those of templates.
std::string_view without_return_type(std::string_view name) noexcept {
  constexpr std::string_view nameless = "(anonymous namespace)";
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (depth == 0 && name.substr(i).starts_with(nameless)) {
      i += nameless.size() - 1;
    } else if (depth == 0 && c == '(' && i != begin &&
               name.substr(begin, i - begin) != "decltype") {
      break;  // the parameters
    } else if (c == '<' || c == '(' || c == '{') {
      ++depth;
    } else if (c == '>' || c == ')' || c == '}') {
      --depth;
    } else if (c == ' ' && depth == 0) {
      begin = i + 1;
    }
  }
  return name.substr(begin);
}

/// The first of some arguments of a template.
std::string_view first_argument(std::string_view arguments) noexcept {
  int depth = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const char c = arguments[i];
    if (depth == 0 && (c == ',' || c == '>')) return arguments.substr(0, i);
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
  }
  return {};
}

}  // namespace

bool is_own_function(std::string_view name) noexcept {
  if (name.find(ours) == std::string_view::npos) return false;
  name = without_return_type(name);
  if (!name.starts_with(ours)) return false;
  name.remove_prefix(ours.size());
  return std::ranges::any_of(namespaces, [&](std::string_view n) { return name.starts_with(n); });
}

std::string task_within(std::string_view name) {
  constexpr std::string_view before = "memprof::v0::detail::erased_task<";
  if (!name.starts_with(before) || name.find(">::call") == std::string_view::npos) return {};
  std::string_view task = first_argument(name.substr(before.size()));
  for (const std::string_view end : {"&"sv, "&"sv, " const"sv}) {
    if (task.ends_with(end)) task.remove_suffix(end.size());
  }
  if (task.empty() || task.ends_with(')')) return {};
  return std::string(task) + "::operator()";
}

}  // namespace memprof::page_columns
