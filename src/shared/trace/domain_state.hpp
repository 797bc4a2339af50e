// SPDX-License-Identifier: MIT
/// \file
/// The reader's state for each domain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "trace/backtrace_decoder.hpp"
#include "trace/name_lists.hpp"

namespace memprof::inline v0::trace {

struct domain_state {
  explicit domain_state(backtrace_budget& budget) noexcept : backtraces(budget) {}

  std::int64_t last_time = 0;  ///< since the start of the trace
  std::int64_t end_id = -1;    ///< of its last packet; -1: there was none
  backtrace_decoder backtraces;
  std::unique_ptr<name_lists> names;  ///< from the first location on
};

class domains {
 public:
  /// More than memtrace ever has at a time. Each costs some KiB, and a packet of 68 bytes may name
  /// a new one.
  static constexpr std::size_t most = 4096;

  /// Null: there are too many.
  domain_state* get(std::uint16_t domain) {
    if (auto const found = states_.find(domain); found != states_.end()) return &found->second;
    if (states_.size() == most) return nullptr;
    return &states_.try_emplace(domain, budget_).first->second;
  }

 private:
  backtrace_budget budget_;
  std::unordered_map<std::uint16_t, domain_state> states_;
};

}  // namespace memprof::inline v0::trace
