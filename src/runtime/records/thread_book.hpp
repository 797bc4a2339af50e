// SPDX-License-Identifier: MIT
/// \file
/// The threads of a trace: their codes and names.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "memprof/trace/event.hpp"
#include "memprof/trace/thread.hpp"

#include "base/base.hpp"
#include "encoding/encoding.hpp"

namespace memprof::records {

/// A name as the kernel has it: 15 bytes, and zeros.
using kernel_name = std::array<char, 16>;

/// What a trace says of a thread.
struct named_thread {
  std::uint32_t number = 0;
  std::uint32_t id = 0;
  kernel_name name{};
};

/// \note Threads: one at a time. Memory: pages that are touched as threads come, 24 bytes for each,
///   and their names, which stay.
class thread_book {
 public:
  /// Whether `name` would give this thread a new code: what was announced of it must be written
  /// before.
  [[nodiscard]] bool is_known(std::uint32_t number) const noexcept;
  void name(named_thread const& t) noexcept;

  /// In front of backtraces; 0 without memory.
  [[nodiscard]] trace::location_code code_of(std::uint32_t number) noexcept;
  /// Of the code that `code_of` gave last. Valid until the next call; the text stays.
  std::span<trace::location const> locate(trace::location_code code) noexcept;

 private:
  struct entry {
    std::string_view text;  ///< empty: the thread has no name yet
    std::uint32_t naming = 0;
  };

  base::mapped_array<entry> entries_;
  base::text_store texts_;
  trace::location found_;
};

}  // namespace memprof::records
