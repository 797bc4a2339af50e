// SPDX-License-Identifier: MIT
/// \file
/// The memory of another process: /proc/PID/mem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <sys/types.h>
#include <type_traits>
#include <vector>

namespace memprof::recorder {

/// Of the program that the process runs when this is opened. Once it executes another one, or ends,
/// nothing can be read or written any more: its id may then be another process's.
class process_memory {
 public:
  /// \throws std::system_error EACCES if this user may not debug the process.
  explicit process_memory(pid_t process);
  ~process_memory();
  process_memory(process_memory const&) = delete;
  process_memory& operator=(process_memory const&) = delete;

  /// False: it is not all there.
  bool read(std::uintptr_t from, std::span<std::byte> into) const noexcept;
  bool write(std::uintptr_t to, std::span<std::byte const> bytes) const noexcept;

  template <class T>
  requires std::is_trivially_copyable_v<T>
  bool read(std::uintptr_t from, T& into) const noexcept {
    return read(from, std::as_writable_bytes(std::span(&into, 1)));
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  bool write(std::uintptr_t to, T const& value) const noexcept {
    return write(to, std::as_bytes(std::span(&value, 1)));
  }

 private:
  int descriptor_;
};

/// A file as it begins in the process's memory: the program, a library.
struct mapped_file {
  std::uintptr_t begin = 0;
  std::string name;  ///< as the process sees it
};

/// The files that the process has mapped from their beginning, by address. Empty: it cannot be
/// read.
std::vector<mapped_file> mapped_files(pid_t process);

/// The text of an ELF note of a file in memory, and where it lies; `size` 0: it has none.
struct found_note {
  std::uintptr_t begin = 0;
  std::size_t size = 0;
};
found_note find_note(process_memory const& memory, std::uintptr_t file, std::string const& owner,
                     std::uint32_t type);

/// Whether a file in memory is of a 32-bit program.
bool is_32_bit(process_memory const& memory, std::uintptr_t file);

}  // namespace memprof::recorder
