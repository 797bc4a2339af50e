// SPDX-License-Identifier: MIT
#include "symbolize/symbol_table.hpp"

#include <algorithm>
#include <elf.h>
#include <tuple>

namespace memprof::symbolize {
namespace {

auto preference(elf_image::symbol const& s) {
  const int binding = s.binding == STB_GLOBAL ? 0 : s.binding == STB_WEAK ? 1 : 2;
  // All mangled names begin with one underscore.
  std::size_t underscores = s.name.find_first_not_of('_');
  if (s.name.starts_with("_Z")) underscores = 0;
  // Of names that differ late and are as long, any: hostile ones take long to compare.
  return std::tuple{s.value, s.size, binding, underscores, s.name.size(), s.name.substr(0, 1024)};
}

}  // namespace

symbol_table::symbol_table(std::vector<elf_image::symbol> symbols) {
  std::ranges::sort(symbols, {}, preference);
  for (elf_image::symbol const* last = nullptr; elf_image::symbol const& s : symbols) {
    if (last != nullptr && last->value == s.value && last->size == s.size) continue;
    last = &s;
    by_address_.add(s.value, s.value + s.size, static_cast<std::uint32_t>(names_.size()));
    names_.push_back(s.name);
  }
  by_address_.finish();
}

}  // namespace memprof::symbolize
