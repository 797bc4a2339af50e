// SPDX-License-Identifier: MIT
/// \file
/// What the codes of a trace stand for.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "memprof/trace/event.hpp"
#include "memprof/trace/interrupt.hpp"
#include "memprof/trace/note.hpp"
#include "memprof/trace/thread.hpp"

#include "trace/byte_reader.hpp"
#include "trace/name_lists.hpp"

namespace memprof::inline v0::trace {

class location_table {
 public:
  location_table() noexcept
      : codes_(0, code_hash{.seed = reinterpret_cast<std::uintptr_t>(this)}) {}
  location_table(location_table&&) = delete;

  /// Reads a location event without its header; its names are those of its domain.
  ///
  /// \throws malformed if it is. If a code is announced twice, the first locations stay.
  void read(byte_reader& in, name_lists& names);

  /// Nothing if the code was never announced. The spans live as long as the table.
  [[nodiscard]] std::optional<std::span<location const>> find(location_code code) const {
    auto const found = codes_.find(code);
    if (found == codes_.end()) return std::nullopt;
    return found->second;
  }
  /// Those that were announced as codes that nothing uses, in the order of the file.
  [[nodiscard]] std::span<interrupt const> interrupts() const noexcept { return interrupts_; }
  [[nodiscard]] std::span<note const> notes() const noexcept { return notes_; }
  /// Those that codes stand for, in the order of the file.
  [[nodiscard]] std::span<thread const> threads() const noexcept { return threads_; }

 private:
  /// Not the identity: codes come from a file, which could choose them to share one bucket.
  struct code_hash {
    std::uint64_t seed;
    std::size_t operator()(location_code code) const noexcept {
      std::uint64_t mixed = (code ^ seed) * 0x9E3779B97F4A7C15;
      mixed = (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93;
      return mixed ^ mixed >> 32;
    }
  };

  location read_location(byte_reader& in, name_lists& names);
  std::string_view keep(std::string_view text);

  std::pmr::monotonic_buffer_resource memory_;
  std::unordered_set<std::string_view> texts_;
  std::unordered_map<location_code, std::span<location const>, code_hash> codes_;
  std::vector<location> announced_;
  std::vector<interrupt> interrupts_;
  std::vector<note> notes_;
  std::vector<thread> threads_;
};

}  // namespace memprof::inline v0::trace
