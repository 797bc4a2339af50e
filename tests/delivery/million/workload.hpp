// SPDX-License-Identifier: MIT
/// \file
/// What is interrupted a million times: pieces of work over real libraries that check themselves.
#pragma once

#include <cstdint>
#include <span>

namespace memprof::test {

/// Work that depends on `variant` alone. `run` gives a number that says if all of it was done
/// right, the same in every run.
struct workload {
  char const* name;
  std::uint64_t (*run)(unsigned variant);
};

/// How many variants there are of each.
inline constexpr unsigned variants = 16;

/// Those that any number of threads may do at the same time.
std::span<workload const> parallel_workloads() noexcept;

/// GiNaC: its reference counts and tables are for one thread.
std::span<workload const> serial_workloads() noexcept;

}  // namespace memprof::test
