// SPDX-License-Identifier: MIT
/// \file
/// The file of a loaded module, read with system calls alone: what its sections keep that is not in
/// memory. Nothing in it is trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <link.h>

#include "modules/loaded_image.hpp"

namespace memprof::modules {

/// A copy of a part of a file, in pages of its own: unlike a mapping it does not raise SIGBUS when
/// the file is truncated. Followed by a zero byte.
class file_part {
 public:
  file_part() = default;
  file_part(file_part const&) = delete;
  file_part& operator=(file_part const&) = delete;
  ~file_part();

  [[nodiscard]] unsigned char const* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  friend class elf_file;
  unsigned char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// An ELF file of this machine's kind, open while this lives.
///
/// threads     one at a time; each object is its own. Takes no lock, allocates only pages, calls no
///             cancellation point. Changes errno.
class elf_file {
 public:
  /// Opens it. Not an ELF file, or none that can be read: `is_open()` is false.
  explicit elf_file(char const* path) noexcept;
  elf_file(elf_file const&) = delete;
  elf_file& operator=(elf_file const&) = delete;
  ~elf_file();

  [[nodiscard]] bool is_open() const noexcept { return sections_.size() != 0; }

  /// Is this the file that was loaded? The program headers must be the same byte for byte, and the
  /// build id; without a build id, the table of functions for unwinding (.eh_frame_hdr).
  [[nodiscard]] bool is_file_of(loaded_image const& image) const noexcept;

  /// Reads the symbol table of type SHT_SYMTAB or SHT_DYNSYM and its names.
  /// returns     the number of symbols; 0 if there is no such table or it is malformed.
  std::size_t read_symbols(std::uint32_t type, file_part& symbols, file_part& names) const noexcept;

 private:
  bool read(std::uint64_t offset, std::uint64_t size, file_part& part) const noexcept;
  bool read_into(std::uint64_t offset, void* to, std::size_t size) const noexcept;
  bool same_as_in_memory(loaded_image const& image, std::uint64_t offset, std::uintptr_t address,
                         std::size_t size) const noexcept;

  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  ElfW(Ehdr) header_ = {};
  file_part sections_;  // section headers
};

}  // namespace memprof::modules
