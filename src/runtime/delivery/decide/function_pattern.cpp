// SPDX-License-Identifier: MIT
#include "delivery/decide/function_pattern.hpp"

namespace memprof::delivery {
namespace {

/// `*` in `pattern` stands for any letters. Goes back to the last * only, which is enough.
bool matches_text(std::string_view pattern, std::string_view text) noexcept {
  std::size_t p = 0, t = 0, star = std::string_view::npos, from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool matches_part(function_pattern::part const& p, name_part const& n) noexcept {
  return p.any ||
         ((!p.has_arguments || n.has_arguments) && matches_text(p.identifier, n.identifier));
}

}  // namespace

bool matches(function_pattern const& pattern, std::span<name_part const> name) noexcept {
  const auto parts = pattern.all();
  // As above, over parts; an `any` takes one part at least.
  std::size_t p = 0, n = 0, any = parts.size(), from = 0;
  while (n < name.size()) {
    if (p < parts.size() && matches_part(parts[p], name[n])) {
      if (parts[p].any) {
        any = p;
        from = n + 1;  // the first part that it has not taken
      }
      ++p;
      ++n;
    } else if (any < parts.size()) {
      p = any + 1;
      n = ++from;
    } else {
      return false;
    }
  }
  return p == parts.size();
}

}  // namespace memprof::delivery
