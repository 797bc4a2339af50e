// SPDX-License-Identifier: MIT
/// \file
/// The file of a trace, as the writing thread has it: its descriptor is hidden from the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <sys/types.h>

namespace memprof::tracer {

/// Where opening a trace failed.
enum class step : std::uint8_t { none, memory, thread, open, lock, write, encode };

/// The result of a step: step::none, or what failed and why (errno; 0: no reason).
struct outcome {
  step failed = step::none;
  int reason = 0;
  explicit operator bool() const noexcept { return failed == step::none; }
};

/// A file that one thread writes. The thread first takes a table of descriptors of its own, empty:
/// a program that closes all descriptors (a daemon, closefrom) or counts them does not find ours,
/// and we keep no pipe of the program open. Where a sandbox forbids that, the descriptor is a
/// high one in the program's table, and is checked before each write.
class trace_file {
 public:
  /// Creates and locks the file and empties it. On the thread that will write it.
  outcome open(char const* name) noexcept;
  /// All of it, or what was wrong; then the file ends where the last write ended.
  outcome write(std::span<std::byte const> packet) noexcept;
  void close() noexcept;

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
  [[nodiscard]] bool still_ours() const noexcept;

  int descriptor_ = -1;
  bool hidden_ = false;
  std::uint64_t size_ = 0;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace memprof::tracer
