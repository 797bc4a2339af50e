// SPDX-License-Identifier: MIT
#include "analysis/own_frame.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "page_columns/page_columns.hpp"

namespace memprof::analysis {
namespace {

using namespace std::string_view_literals;

/// Symbols of the replacement that name no namespace of ours.
constexpr std::array nameless{"new_slow"sv,       "nothrow_slow"sv, "malloc_slow"sv,
                              "calloc_slow"sv,    "aligned_slow"sv, "posix_memalign_slow"sv,
                              "ask_new_handler"sv};

/// The sources of the replacement, which name inlined functions of it.
constexpr std::array files{"operator_new.cpp"sv,   "malloc_family.cpp"sv,  "slow_paths.cpp"sv,
                           "tracked_memory.cpp"sv, "aligned_blocks.cpp"sv, "next_malloc.cpp"sv};

/// What follows the last `folder` in a path, if that begins a component of it.
std::string_view below(std::string_view file, std::string_view folder) noexcept {
  const std::size_t at = file.rfind(folder);
  if (at == std::string_view::npos || (at != 0 && file[at - 1] != '/')) return {};
  return file.substr(at + folder.size());
}

bool is_of_replacement(std::string_view file) noexcept {
  return std::ranges::find(files, below(file, "src/runtime/override/")) != files.end();
}

/// Templates of ours that a program compiled: g++ -g1 gives them no namespace, but their lines are
/// those of our headers. Not the reader of traces, which is part of the command.
bool is_public_header(std::string_view file) noexcept {
  const std::string_view name = below(file, "include/memprof/");
  return name.ends_with(".hpp") && !name.starts_with("trace/");
}

/// std::invoke, and what it is made of in libstdc++ and libc++.
bool is_invocation(trace::location const& l) noexcept {
  if (l.line == 0) return false;
  std::string_view name = l.defname;
  for (const std::string_view space : {"std::"sv, "__1::"sv}) {
    if (name.starts_with(space)) name.remove_prefix(space.size());
  }
  while (name.starts_with('_')) name.remove_prefix(1);
  name = name.substr(0, name.find('<'));
  return name == "invoke" || name == "invoke_impl" || name == "invoke_r";
}

}  // namespace

bool is_own_frame(trace::location const& l) noexcept {
  if (page_columns::is_own_function(l.defname)) return true;
  if (is_of_replacement(l.filename) || is_public_header(l.filename)) return true;
  // A program may have functions of these names, but then their files and lines are known.
  static constexpr std::string_view anonymous = "(anonymous namespace)::";
  std::string_view name = l.defname;
  if (l.line != 0 || !name.starts_with(anonymous)) return false;
  name = name.substr(anonymous.size(), name.find('(', anonymous.size()) - anonymous.size());
  return std::ranges::find(nameless, name) != nameless.end();
}

bool own_frames::is_next_own(trace::location const& l) noexcept {
  return below_own_ = is_own_frame(l) || (below_own_ && is_invocation(l));
}

}  // namespace memprof::analysis
