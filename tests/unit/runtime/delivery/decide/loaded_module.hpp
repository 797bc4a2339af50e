// SPDX-License-Identifier: MIT
/// \file
/// What tests of the symbol tables need: loaded modules, copies of files to change, sound ranges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "delivery/decide/symbol_kinds.hpp"
#include "support/catch2.hpp"

namespace memprof::test {

using delivery::code_kind;
using delivery::code_range;
using delivery::symbol_index;

template <class Function>
std::uintptr_t address(Function* f) {
  Function* volatile hidden = f;  // compilers "know" that functions do not lie three bytes apart
  return reinterpret_cast<std::uintptr_t>(hidden);
}

struct loaded_module {
  std::string path;
  std::uintptr_t bias = 0;
  std::vector<ElfW(Phdr)> segments;

  bool read(symbol_index& index, void (*found)(char const*, std::uintptr_t) = nullptr) const {
    return read_from(path.c_str(), index, found);
  }
  bool read_from(char const* file, symbol_index& index,
                 void (*found)(char const*, std::uintptr_t) = nullptr) const {
    return delivery::read_symbols(file, {bias, segments}, index, found) ==
           delivery::file_outcome::read;
  }
  [[nodiscard]] bool is_code(std::uintptr_t at, std::uintptr_t end) const {
    return std::any_of(segments.begin(), segments.end(), [&](auto const& s) {
      return s.p_type == PT_LOAD && (s.p_flags & PF_X) != 0 && at >= bias + s.p_vaddr &&
             end <= bias + s.p_vaddr + s.p_memsz;
    });
  }
};

/// The loaded module that `pc` is in.
inline loaded_module module_of(std::uintptr_t pc) {
  struct search {
    std::uintptr_t pc;
    loaded_module found;
  } s{pc, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<search*>(data);
        // By its name, not as /proc/self/exe: QEMU answers some calls about that, not all.
        const loaded_module m{*info->dlpi_name != '\0'
                                  ? std::string{info->dlpi_name}
                                  : std::filesystem::read_symlink("/proc/self/exe").string(),
                              info->dlpi_addr,
                              {info->dlpi_phdr, info->dlpi_phdr + info->dlpi_phnum}};
        if (m.is_code(wanted.pc, wanted.pc + 1)) wanted.found = m;
        return 0;
      },
      &s);
  REQUIRE_FALSE(s.found.path.empty());
  return s.found;
}
/// A copy of a file, deleted in the end. Edited in place.
class copy {
 public:
  explicit copy(std::string const& from) {
    char name[] = "/tmp/memprof_symbol_kinds_XXXXXX";
    close(mkstemp(name));
    path_ = name;
    std::filesystem::copy_file(from, path_, std::filesystem::copy_options::overwrite_existing);
    std::ifstream file{path_, std::ios::binary};
    std::ostringstream text;
    text << file.rdbuf();
    bytes_ = text.str();
  }
  ~copy() { std::filesystem::remove(path_); }

  [[nodiscard]] char const* path() const { return path_.c_str(); }
  [[nodiscard]] std::string& bytes() { return bytes_; }
  void write(std::string_view bytes) const {
    std::ofstream{path_, std::ios::binary | std::ios::trunc}.write(
        bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  [[nodiscard]] ElfW(Ehdr) & header() { return *reinterpret_cast<ElfW(Ehdr)*>(bytes_.data()); }
  [[nodiscard]] ElfW(Shdr) * section(unsigned type) {
    auto* sections = reinterpret_cast<ElfW(Shdr)*>(bytes_.data() + header().e_shoff);
    auto* end = sections + header().e_shnum;
    auto* found = std::find_if(sections, end, [&](auto const& s) { return s.sh_type == type; });
    return found == end ? nullptr : found;
  }

 private:
  std::string path_;
  std::string bytes_;
};

inline void check_sound(loaded_module const& m, symbol_index const& index) {
  std::uintptr_t before = 0;
  for (std::uint32_t i = 0; i < index.count; ++i) {
    code_range const& r = index.ranges[i];
    const bool sound = r.begin >= before && r.size > 0 && r.kind != code_kind::plain &&
                       m.is_code(r.begin, r.begin + r.size);
    if (!sound) FAIL("range " << i << " at " << r.begin - m.bias << ", " << r.size);
    before = r.begin + r.size;
  }
}

/// What a callback was given: names and addresses. One test at a time.
inline std::vector<std::pair<std::string, std::uintptr_t>> seen;
inline void remember(char const* name, std::uintptr_t at) { seen.emplace_back(name, at); }
inline bool was_seen(char const* name, std::uintptr_t at) {
  return std::find(seen.begin(), seen.end(), std::pair{std::string{name}, at}) != seen.end();
}

}  // namespace memprof::test
