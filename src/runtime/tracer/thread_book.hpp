// SPDX-License-Identifier: MIT
/// \file
/// The threads of the trace that this process writes: their codes and names.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "memprof/trace/event.hpp"
#include "memprof/trace/thread.hpp"

#include "encoding/encoding.hpp"
#include "tracer/text_store.hpp"
#include "tracer/thread_number.hpp"

namespace memprof::tracer {

/// threads     the writing thread alone. Memory: pages that are touched as threads come, 32 bytes
///             for each, and their names, which stay.
class thread_book {
 public:
  /// Another trace: no thread has a name in it.
  void begin() noexcept { ++trace_; }

  /// Whether `name` gives this thread a new code: what was announced of it must be written before.
  [[nodiscard]] bool is_known(std::uint32_t number) const noexcept;
  void name(named_thread const& t) noexcept;

  /// In front of backtraces; 0 without memory.
  [[nodiscard]] trace::location_code code_of(std::uint32_t number) noexcept;
  /// Of the code that `code_of` gave last. Valid until the next call; the text stays.
  std::span<trace::location const> locate(trace::location_code code) noexcept;

 private:
  struct entry {
    std::string_view text;
    std::uint32_t trace = 0;  ///< in which it has this name
    std::uint32_t naming = 0;
  };
  entry* at(std::uint32_t number) noexcept;

  entry* entries_ = nullptr;  ///< `most_threads` and one
  std::uint32_t trace_ = 0;
  text_store texts_;
  trace::location found_;
};

}  // namespace memprof::tracer
