// SPDX-License-Identifier: MIT
#include "analysis/own_frame.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace memprof::analysis {
namespace {

using namespace std::string_view_literals;

/// Of src/runtime and of the public interface. Not those of the command: one may profile that, too.
constexpr std::array namespaces{"v0::"sv,      "base::"sv,    "callstack::"sv, "delivery::"sv,
                                "detail::"sv,  "engine::"sv,  "fiber::"sv,     "limits::"sv,
                                "modules::"sv, "profile::"sv, "override::"sv,  "sampling::"sv,
                                "sources::"sv, "testing::"sv, "tracer::"sv};

/// Symbols of the replacement that name no namespace of ours.
constexpr std::array nameless{"new_slow"sv,       "nothrow_slow"sv, "malloc_slow"sv,
                              "calloc_slow"sv,    "aligned_slow"sv, "posix_memalign_slow"sv,
                              "ask_new_handler"sv};

/// The sources of the replacement, which name inlined functions of it.
constexpr std::array files{"operator_new.cpp"sv,   "malloc_family.cpp"sv,  "slow_paths.cpp"sv,
                           "tracked_memory.cpp"sv, "aligned_blocks.cpp"sv, "next_malloc.cpp"sv};

bool is_of_replacement(std::string_view file) noexcept {
  static constexpr std::string_view folder = "src/runtime/override/";
  const std::size_t at = file.rfind(folder);
  if (at == std::string_view::npos) return false;
  return std::ranges::find(files, file.substr(at + folder.size())) != files.end();
}

}  // namespace

bool is_own_frame(trace::location const& l) noexcept {
  std::string_view name = l.defname;
  const auto begins = [&](std::string_view start) { return name.starts_with(start); };
  static constexpr std::string_view ours = "memprof::", anonymous = "(anonymous namespace)::";
  if (begins(ours)) {
    name.remove_prefix(ours.size());
    return std::ranges::any_of(namespaces, begins);
  }
  if (is_of_replacement(l.filename)) return true;
  // A program may have functions of these names, but then their files and lines are known.
  if (l.line != 0 || !begins(anonymous)) return false;
  name = name.substr(anonymous.size(), name.find('(', anonymous.size()) - anonymous.size());
  return std::ranges::find(nameless, name) != nameless.end();
}

}  // namespace memprof::analysis
