// SPDX-License-Identifier: MIT
/// \file
/// Tasks whose limit is hit at once, for rules that hold for every kind of limit.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "memprof/limits.hpp"
#include "memprof/token.hpp"
#include "memprof/units.hpp"

namespace memprof::test {

inline constexpr std::array all_kinds{limit_kind::allocations, limit_kind::memory,
                                      limit_kind::global_memory, limit_kind::token,
                                      limit_kind::deadline};

/// `other`, and a limit of `kind` that has room for everything.
inline limits with_room(limit_kind kind, limits other = {}) {
  using namespace std::chrono_literals;
  switch (kind) {
    case limit_kind::allocations:
      other.allocations = max_allocation_limit;
      break;
    case limit_kind::memory:
      other.memory = max_allocation_limit;
      break;
    case limit_kind::global_memory:
      set_global_memory_limit(max_allocation_limit);
      other.global_memory = true;
      break;
    case limit_kind::token:
      other.token = token();
      break;
    case limit_kind::deadline:
      other.time = 24h;
      break;
  }
  return other;
}

/// Runs `f` under `other` and a limit of `kind` that is reached when `f` begins (token, deadline)
/// or by the first allocation in it. With the limits' sampling rate at 1 that is certain.
template <class F>
auto run_hit(limit_kind kind, F&& f, limits other = {}) {
  using namespace std::chrono_literals;
  token stop;
  switch (kind) {
    case limit_kind::allocations:
      other.allocations = bytes{0};
      break;
    case limit_kind::memory:
      other.memory = bytes{0};
      break;
    case limit_kind::global_memory:
      set_global_memory_limit(bytes{0});
      other.global_memory = true;
      break;
    case limit_kind::token:
      other.token = stop;
      break;
    case limit_kind::deadline:
      other.time = 3ms;  // long enough to begin on a busy machine
      break;
  }
  return run_limited(other, [&] {
    if (kind == limit_kind::token) stop.set("run_hit");
    if (kind == limit_kind::deadline) std::this_thread::sleep_for(4ms);
    return std::forward<F>(f)();
  });
}

}  // namespace memprof::test
