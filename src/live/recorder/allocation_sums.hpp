// SPDX-License-Identifier: MIT
/// \file
/// What a process has allocated and what of it is in use, summed by stack and size.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "memprof/trace/event.hpp"

namespace memprof::recorder {

using backtrace = std::vector<trace::location_code>;

struct backtrace_hash {
  std::size_t operator()(backtrace const& b) const noexcept {
    std::size_t h = b.size();
    for (const trace::location_code code : b) h = (std::rotl(h, 5) ^ code) * 0x9e3779b97f4a7c15U;
    return h;
  }
};

/// Rows are never removed, and their number is bounded: what finds no room is summed without its
/// stack, by the order of magnitude of its size.
class allocation_sums {
 public:
  ///  - `stack`: null: it found no room. It stays where it is.
  ///  - `length`: words without the header.
  ///  - `allocated`, `in_use`: samples.
  struct row {
    backtrace const* stack = nullptr;
    std::uint64_t length = 0;
    std::uint64_t allocated = 0;
    std::uint64_t in_use = 0;
  };

  explicit allocation_sums(std::size_t most_rows = 200'000) : most_rows_(most_rows) {}

  /// \return the row of the block: its index, for good.
  std::uint32_t add(backtrace const& stack, std::uint64_t length, std::uint64_t samples);
  void remove(std::uint32_t of, std::uint64_t samples) noexcept { rows_[of].in_use -= samples; }
  /// Another program begins in the process.
  void remove_all() noexcept;

  [[nodiscard]] std::span<row const> rows() const noexcept { return rows_; }
  [[nodiscard]] std::uint64_t allocated() const noexcept { return allocated_; }

 private:
  struct key {
    backtrace const* stack;
    std::uint64_t length;
    friend bool operator==(key const&, key const&) = default;
  };
  struct key_hash {
    std::size_t operator()(key const& k) const noexcept {
      return (reinterpret_cast<std::uintptr_t>(k.stack) ^ k.length * 0x9e3779b97f4a7c15U) *
             0xc2b2ae3d27d4eb4fU;
    }
  };

  std::size_t most_rows_;
  /// Nodes do not move.
  std::unordered_map<backtrace, std::size_t, backtrace_hash> stacks_;
  std::unordered_map<key, std::uint32_t, key_hash> indexes_;
  std::vector<row> rows_;
  std::uint64_t allocated_ = 0;
};

}  // namespace memprof::recorder
