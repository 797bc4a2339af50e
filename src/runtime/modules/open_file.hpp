// SPDX-License-Identifier: MIT
/// \file
/// A file read with system calls alone.
#pragma once

#include <cstddef>
#include <cstdint>

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
  friend class open_file;
  unsigned char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A regular file, open while this lives.
///
/// \note Threads: one at a time; each object is its own. Takes no lock, allocates only pages, calls
///   no cancellation point. Changes errno.
class open_file {
 public:
  explicit open_file(char const* path) noexcept;
  open_file(open_file const&) = delete;
  open_file& operator=(open_file const&) = delete;
  ~open_file();

  [[nodiscard]] bool is_open() const noexcept { return regular_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// A `read` failed because there was no memory: the file may have what it seemed to lack.
  [[nodiscard]] bool lacked_memory() const noexcept { return lacked_memory_; }

  /// False if the file does not have all of these bytes (any more).
  bool read_into(std::uint64_t offset, void* to, std::size_t size) const noexcept;
  /// The same, or if there is no memory, or if no bytes are wanted.
  bool read(std::uint64_t offset, std::uint64_t size, file_part& part) const noexcept;

 private:
  int descriptor_ = -1;
  bool regular_ = false;
  std::uint64_t size_ = 0;
  mutable bool lacked_memory_ = false;
};

}  // namespace memprof::modules
