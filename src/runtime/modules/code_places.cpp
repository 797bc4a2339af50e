// SPDX-License-Identifier: MIT
#include "modules/code_places.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <elf.h>
#include <map>
#include <span>
#include <sys/auxv.h>
#include <utility>

#include "modules/elf_file.hpp"
#include "modules/find_module.hpp"
#include "modules/function_table.hpp"
#include "modules/words.hpp"

namespace memprof::modules {
namespace {

/// An address whose function is looked for.
struct wanted {
  std::uintptr_t offset = 0;                     ///< as in the file
  std::size_t index = 0;                         ///< in the caller's list
  std::uintptr_t distance = ~std::uintptr_t{0};  ///< from the beginning of the best function so far
  char const* name = nullptr;                    ///< of that function, in the table being read
};

struct module_in_use {
  std::string path;
  std::string build_id;
  loaded_image image;
  std::vector<wanted> addresses;
};

std::string hexadecimal(std::span<unsigned char const> bytes) {
  std::string text;
  for (const unsigned char b : bytes) {
    text += "0123456789abcdef"[b >> 4];
    text += "0123456789abcdef"[b & 15];
  }
  return text;
}

bool is_program(found_module const& m) noexcept { return m.name[0] == '\0'; }

code_segment segment_of(module_in_use const& m, std::uintptr_t address) {
  const std::uintptr_t bias = m.image.bias;
  for (ElfW(Phdr) const& s : m.image.segments) {
    const bool code = s.p_type == PT_LOAD && (s.p_flags & PF_X) != 0;
    if (!code || address < bias + s.p_vaddr || address >= bias + s.p_vaddr + s.p_memsz) continue;
    const std::uintptr_t before = s.p_vaddr % page_size;
    const std::uintptr_t begin = bias + s.p_vaddr - before;
    const std::uintptr_t size = (s.p_memsz + before + page_size - 1) / page_size * page_size;
    return {m.path, m.build_id, begin, begin + size, s.p_offset - before, bias};
  }
  return {m.path, m.build_id, bias, bias, 0, bias};
}

/// Notes for each address the innermost function of the table that holds it.
void search(function_table const& table, std::vector<wanted>& sorted) noexcept {
  table.for_each([&](ElfW(Sym) const& symbol, char const* name) noexcept {
    if (symbol.st_shndx == SHN_UNDEF) return;
    auto w = std::ranges::lower_bound(sorted, symbol.st_value, {}, &wanted::offset);
    for (; w != sorted.end() && w->offset - symbol.st_value < symbol.st_size; ++w) {
      const std::uintptr_t distance = w->offset - symbol.st_value;
      if (distance >= w->distance) continue;
      w->distance = distance;
      w->name = name;
    }
  });
}

void name_functions(module_in_use& m, bool program, std::vector<code_place>& places) {
  // The program's own file, even if another one has its path now.
  const elf_file file{program ? "/proc/self/exe" : m.path.c_str()};
  if (!file.is_open() || !file.is_file_of(m.image)) return;
  std::ranges::sort(m.addresses, {}, &wanted::offset);
  constexpr std::array<std::uint32_t, 2> tables{SHT_SYMTAB, SHT_DYNSYM};
  for (const std::uint32_t type : tables) {
    const function_table table{file, type};
    search(table, m.addresses);
    for (wanted& w : m.addresses) {
      if (w.name != nullptr && places[w.index].function.empty()) {
        places[w.index].function = demangled(w.name);
      }
      w.name = nullptr;  // the table goes
    }
  }
}

}  // namespace

code_places find_code_places(std::vector<std::uintptr_t> const& addresses, bool with_names) {
  code_places result;
  result.places.resize(addresses.size());
  std::map<std::uintptr_t, module_in_use> modules;  // by where they begin
  const auto use = [&](found_module const& found) -> module_in_use& {
    const auto [entry, is_new] = modules.try_emplace(found.range.begin);
    if (is_new) {
      entry->second.image = found.image();
      entry->second.build_id = hexadecimal(entry->second.image.build_id(found.range.end));
      entry->second.path = is_program(found) ? program_path() : found.name;
    }
    return entry->second;
  };
  const auto segment_index = [&](code_segment const& s) {
    const auto known = std::ranges::find(result.segments, s);
    const auto index = static_cast<std::uint32_t>(known - result.segments.begin());
    if (known == result.segments.end()) result.segments.push_back(s);
    return index;
  };

  std::uintptr_t program = 0;
  found_module found;
  if (const std::uintptr_t entry = getauxval(AT_ENTRY); find_module(entry, found)) {
    program = found.range.begin;
    segment_index(segment_of(use(found), entry));
  }
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (!find_module(addresses[i], found)) continue;
    module_in_use& m = use(found);
    result.places[i].segment = segment_index(segment_of(m, addresses[i]));
    m.addresses.push_back({.offset = addresses[i] - found.bias, .index = i});
  }
  if (with_names) {
    for (auto& [begin, m] : modules) name_functions(m, begin == program, result.places);
  }
  return result;
}

}  // namespace memprof::modules
