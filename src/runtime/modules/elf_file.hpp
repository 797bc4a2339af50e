// SPDX-License-Identifier: MIT
/// \file
/// The file of a loaded module, read with system calls alone: what its sections keep that is not in
/// memory. Nothing in it is trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <link.h>

#include "modules/loaded_image.hpp"
#include "modules/open_file.hpp"

namespace memprof::modules {

/// An ELF file of this machine's kind, open while this lives.
///
/// \note Threads: one at a time; each object is its own. Takes no lock, allocates only pages, calls
///   no cancellation point. Changes errno.
class elf_file {
 public:
  /// Opens it. Not an ELF file, or none that can be read: `is_open()` is false.
  explicit elf_file(char const* path) noexcept;

  [[nodiscard]] bool is_open() const noexcept { return sections_.size() != 0; }
  /// Any part of it, here or below, could not be read for lack of memory.
  [[nodiscard]] bool lacked_memory() const noexcept { return file_.lacked_memory(); }

  /// Is this the file that was loaded? The program headers must be the same byte for byte, and the
  /// build id; without a build id, the table of functions for unwinding (.eh_frame_hdr).
  [[nodiscard]] bool is_file_of(loaded_image const& image) const noexcept;

  /// Reads the symbol table of type SHT_SYMTAB or SHT_DYNSYM and its names.
  /// \return the number of symbols; 0 if there is no such table or it is malformed.
  std::size_t read_symbols(std::uint32_t type, file_part& symbols, file_part& names) const noexcept;

 private:
  bool same_as_in_memory(loaded_image const& image, std::uint64_t offset, std::uintptr_t address,
                         std::size_t size) const noexcept;

  open_file file_;
  ElfW(Ehdr) header_ = {};
  file_part sections_;  // section headers
};

}  // namespace memprof::modules
