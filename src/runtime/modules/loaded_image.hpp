// SPDX-License-Identifier: MIT
/// \file
/// A module in memory, as its program headers describe it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <link.h>
#include <span>
#include <string_view>

#include "memprof/detail/export.hpp"

namespace memprof::modules {

inline constexpr std::size_t page_size = 4096;

/// [begin, end)
struct address_range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  [[nodiscard]] bool contains(std::uintptr_t address) const noexcept {
    return address >= begin && address < end;
  }
  bool operator==(address_range const&) const = default;
};

struct loaded_image {
  std::uintptr_t bias = 0;  ///< added to the addresses in the file
  std::span<ElfW(Phdr) const> segments;

  /// As dl_iterate_phdr lists it.
  static loaded_image of(dl_phdr_info const& info) noexcept {
    return {info.dlpi_addr, {info.dlpi_phdr, info.dlpi_phnum}};
  }
  /// From the ELF header at `start`, where linkers put it with the program headers: in the first
  /// page of the module. Reads nothing but that page; without segments if they are not there.
  static loaded_image at(std::uintptr_t start, std::uintptr_t bias) noexcept;

  /// The first program header of a type (PT_DYNAMIC ...); null if there is none.
  [[nodiscard]] MEMPROF_INTERNAL_API ElfW(Phdr) const* header(std::uint32_t type) const noexcept;

  /// From the first segment that is loaded to the end of the last; empty if there is none.
  [[nodiscard]] address_range extent() const noexcept;

  /// Where the bytes [address, address + size) of the file's image are in memory; null unless all
  /// of them come from the file and can be read.
  [[nodiscard]] unsigned char const* in_memory(std::uintptr_t address,
                                               std::size_t size) const noexcept;

  /// The segment around `address` that can be read, as it is in memory; empty if it is in none.
  [[nodiscard]] address_range readable_around(std::uintptr_t address) const noexcept;

  /// The end of the executable segment that `address` (as in the file) lies in; 0 if in none.
  [[nodiscard]] std::uintptr_t end_of_code_at(std::uintptr_t address) const noexcept;

  /// The text of the first note of `owner` with this type, in notes in memory that end at `limit`
  /// at most; empty if there is none.
  [[nodiscard]] std::span<unsigned char const> note(std::string_view owner, std::uint32_t type,
                                                    std::uintptr_t limit = ~std::uintptr_t{
                                                        0}) const noexcept;

  /// The build id, by the notes in memory that end at `limit` at most; empty if there is none.
  [[nodiscard]] std::span<unsigned char const> build_id(std::uintptr_t limit = ~std::uintptr_t{
                                                            0}) const noexcept;
};

/// The first 8 bytes of a build id in hexadecimal; nothing if it has fewer.
inline void write_short_build_id(std::span<unsigned char const> id, char (&text)[17]) noexcept {
  if (id.size() < 8) return;
  for (std::size_t i = 0; i < 8; ++i) {
    text[2 * i] = "0123456789abcdef"[id[i] >> 4];
    text[2 * i + 1] = "0123456789abcdef"[id[i] & 15];
  }
  text[16] = '\0';
}

}  // namespace memprof::modules
