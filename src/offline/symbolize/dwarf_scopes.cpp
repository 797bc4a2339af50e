// SPDX-License-Identifier: MIT
#include "symbolize/dwarf_scopes.hpp"

#include <algorithm>
#include <dwarf.h>
#include <tuple>

namespace memprof::symbolize {
namespace {

constexpr std::size_t deepest_scope = 1 << 14;

std::optional<dwarf_scopes::kind> kind_of(std::uint32_t tag) noexcept {
  switch (tag) {
    case DW_TAG_namespace:
      return dwarf_scopes::kind::space;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
      return dwarf_scopes::kind::type;
    case DW_TAG_subprogram:
      return dwarf_scopes::kind::function;
    default:
      return std::nullopt;
  }
}

}  // namespace

/// The relevant fact about a function: whether it is the operator() of a lambda.
void dwarf_scopes::read_function(byte_reader& r, dwarf_unit const& u, std::uint64_t offset,
                                 std::span<dwarf_attribute const> attributes,
                                 std::uint32_t inside) {
  std::string_view name;
  bool artificial = false;
  for (dwarf_attribute const& one : attributes) {
    const dwarf_value v = file_->read(r, u, one);
    if (one.name == DW_AT_name) name = file_->text(u, v);
    artificial = artificial || one.name == DW_AT_artificial;
  }
  // "operator()<int>" is a generic lambda's.
  if (!name.starts_with("operator()")) return;
  if (inside == none) {
    if (artificial) classless_calls_.push_back(offset);
  } else if (scope& s = all_[inside]; s.is == kind::type && s.name.empty() && s.call == 0) {
    s.call = offset;
  }
}

dwarf_scopes::dwarf_scopes(dwarf_file& file, dwarf_unit& u) : file_{&file} {
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
      if (const auto [inside, begun] = open.back(); begun) {
        all_[inside].end = offset;
        // Most functions have no types of their own.
        if (all_[inside].is == kind::function && inside + 1 == all_.size()) all_.pop_back();
      }
      open.pop_back();
      if (open.empty()) break;
      continue;
    }
    dwarf_abbreviation const* const a = table->find(abbreviation);
    if (a == nullptr) break;
    if (a->count > 64 && !file.budget().spend(a->count)) break;
    std::uint32_t inside = open.back().first;
    const std::optional<kind> is = kind_of(a->tag);
    scope s;
    s.begin = offset;
    s.end = u.end;
    s.outer = inside;
    s.is = is.value_or(kind::space);
    if (is == kind::function &&
        (inside == none || (all_[inside].is == kind::type && all_[inside].name.empty()))) {
      read_function(r, u, offset, table->attributes(*a), inside);
    } else if ((!a->children || !is || is == kind::function) && a->fixed_bytes >= 0) {
      r.skip(static_cast<std::uint64_t>(a->fixed_bytes));
    } else {
      for (dwarf_attribute const& one : table->attributes(*a)) {
        const dwarf_value v = file.read(r, u, one);
        if (one.name == DW_AT_name && is != kind::function) s.name = file.text(u, v);
        if (one.name == DW_AT_decl_line) s.line = static_cast<std::uint32_t>(v.number);
        if (one.name == DW_AT_decl_column) s.column = static_cast<std::uint32_t>(v.number);
      }
    }
    if (!a->children) continue;
    if (open.size() >= deepest_scope || all_.size() >= none) break;
    if (is) {
      all_.push_back(s);
      inside = static_cast<std::uint32_t>(all_.size() - 1);
    }
    open.emplace_back(inside, is.has_value());
  }
}

std::uint32_t dwarf_scopes::around(std::uint64_t offset) const noexcept {
  const auto after = std::ranges::lower_bound(all_, offset, {}, &scope::begin);
  if (after == all_.begin()) return none;
  auto at = static_cast<std::uint32_t>(after - all_.begin() - 1);
  while (at != none && offset >= all_[at].end) at = all_[at].outer;
  return at;
}

std::uint32_t dwarf_scopes::at(std::uint64_t offset) const noexcept {
  const auto found = std::ranges::lower_bound(all_, offset, {}, &scope::begin);
  if (found == all_.end() || found->begin != offset) return none;
  return static_cast<std::uint32_t>(found - all_.begin());
}

std::vector<std::uint32_t> dwarf_scopes::closures_in(std::uint32_t outer) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = outer == none ? 0 : outer; i < all_.size(); ++i) {
    if (outer != none && all_[i].begin >= all_[outer].end) break;
    if (all_[i].outer == outer && all_[i].closure()) found.push_back(i);
  }
  // g++ puts those of inner blocks last.
  std::ranges::stable_sort(found, [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple{all_[a].line, all_[a].column} < std::tuple{all_[b].line, all_[b].column};
  });
  return found;
}

std::size_t dwarf_scopes::classless_call(std::uint64_t offset) const noexcept {
  const auto at = std::ranges::find(classless_calls_, offset);
  return at == classless_calls_.end() ? 0
                                      : static_cast<std::size_t>(at - classless_calls_.begin()) + 1;
}

}  // namespace memprof::symbolize
