// SPDX-License-Identifier: MIT
/// \file
/// The bytes of a file or a pipe, so that a whole packet lies in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace memprof::inline v0::trace {

/// A window on the file. It is read, not mapped, so that a file that is cut during that just ends
/// early.
class packet_source {
 public:
  /// Readable bytes behind the window, of any value: events are checked against
  /// the end of their packet after they were decoded, not before each field.
  static constexpr std::size_t slack = 4096;

  /// How many bytes `ensure` can be asked for.
  static constexpr std::size_t largest_count = 65536;

  /// Closes `descriptor` at the end. name: for errors.
  packet_source(int descriptor, std::string const& name);
  ~packet_source();
  packet_source(packet_source&&) = delete;

  /// Are `count` bytes in the window? Reads as far as needed. Pointers into the window are void
  /// then. count: at most largest_count.
  bool ensure(std::size_t count) { return available() >= count || fill(count); }
  [[nodiscard]] std::byte const* data() const noexcept { return begin_; }
  [[nodiscard]] std::size_t available() const noexcept {
    return static_cast<std::size_t>(end_ - begin_);
  }
  /// The window begins at `at`, which lies in it.
  void go_to(std::byte const* at) noexcept { begin_ = at; }

  /// Where in the file `at` is.
  [[nodiscard]] std::uint64_t offset_of(std::byte const* at) const noexcept {
    return read_ - static_cast<std::uint64_t>(end_ - at);
  }
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_of(begin_); }
  /// Of a regular file.
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept { return size_; }

 private:
  bool fill(std::size_t count);

  int descriptor_;
  std::string name_;
  std::optional<std::uint64_t> size_;
  std::uint64_t read_ = 0;
  bool at_end_ = false;
  std::size_t capacity_ = 0;
  std::unique_ptr<std::byte[]> buffer_;
  std::byte const* begin_ = nullptr;
  std::byte* end_ = nullptr;
};

}  // namespace memprof::inline v0::trace
