// SPDX-License-Identifier: MIT
#include "symbolize/dwarf_scopes.hpp"

#include <algorithm>
#include <dwarf.h>

namespace memprof::symbolize {
namespace {

constexpr std::size_t deepest_scope = 1 << 14;
constexpr int most_scopes = 64;
constexpr std::uint32_t none = ~std::uint32_t{0};

bool is_scope(std::uint32_t tag) noexcept {
  return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
         tag == DW_TAG_union_type;
}

}  // namespace

dwarf_scopes::dwarf_scopes(dwarf_file& file, dwarf_unit& u) {
  dwarf_abbreviations* const table = file.abbreviations_of(u);
  if (table == nullptr || !file.budget().spend(u.end - u.first)) return;
  byte_reader r{file.sections().info, u.first};
  r.end_at(u.end);
  // For each level the scope, and whether that level began it.
  std::vector<std::pair<std::uint32_t, bool>> open{{none, false}};
  while (r.good() && r.left() != 0) {
    const std::uint64_t offset = r.position();
    const std::uint64_t abbreviation = r.uleb();
    if (abbreviation == 0) {
      if (open.back().second) all_[open.back().first].end = offset;
      open.pop_back();
      if (open.empty()) break;
      continue;
    }
    dwarf_abbreviation const* const a = table->find(abbreviation);
    if (a == nullptr) break;
    if (a->count > 64 && !file.budget().spend(a->count)) break;
    const bool scope_begins = a->children && is_scope(a->tag);
    dwarf_value name;
    if (!scope_begins && a->fixed_bytes >= 0) {
      r.skip(static_cast<std::uint64_t>(a->fixed_bytes));
    } else {
      for (dwarf_attribute const& one : table->attributes(*a)) {
        const dwarf_value v = file.read(r, u, one);
        if (one.name == DW_AT_name) name = v;
      }
    }
    if (!a->children) continue;
    if (open.size() >= deepest_scope || all_.size() >= none) break;
    std::uint32_t inside = open.back().first;
    if (scope_begins) {
      std::string_view text = name ? file.text(u, name) : std::string_view{};
      if (text.empty()) text = a->tag == DW_TAG_namespace ? "(anonymous namespace)" : "{unnamed}";
      all_.push_back({offset, u.end, inside, text});
      inside = static_cast<std::uint32_t>(all_.size() - 1);
    }
    open.emplace_back(inside, scope_begins);
  }
}

std::string dwarf_scopes::around(std::uint64_t offset) const {
  auto after = std::ranges::upper_bound(all_, offset, {}, &scope::begin);
  if (after == all_.begin()) return {};
  auto at = static_cast<std::uint32_t>(after - all_.begin() - 1);
  std::string result;
  for (int i = 0; i < most_scopes && at != none; at = all_[at].outer) {
    if (offset >= all_[at].end) continue;
    result.insert(0, "::").insert(0, all_[at].name);
    ++i;
  }
  return result;
}

}  // namespace memprof::symbolize
