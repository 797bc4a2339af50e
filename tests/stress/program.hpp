// SPDX-License-Identifier: MIT
/// \file
/// A stress program: what its threads do, as data. It is generated from a seed, printed, read
/// again, run (interpret.hpp) and made smaller while it fails (shrink.hpp).
///
///     rate 1
///     budget 100000 0             a budget's limits in bytes: allocations, memory; 0: none
///     global 5000000              the process's memory limit; 0: none
///     thread
///       new 3 100                 a block of 100 bytes into slot 3; what was there is freed
///       allocations 4096 {
///         repeat 20 {
///           malloc 1 500
///         }
///       }
///     thread
///       free 3
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <vector>

namespace stress {

inline constexpr int slots = 24;   ///< blocks, shared by all threads
inline constexpr int tokens = 4;   ///< 2 is a child of 0, 3 a child of 2
inline constexpr int budgets = 2;  ///< shared by all threads
inline constexpr int sizes_tried = 64;

enum class op_kind : std::uint8_t {
  // Blocks: slot, bytes.
  by_new,
  by_malloc,
  by_calloc,
  by_realloc,
  aligned,
  module,  ///< by operator new of a module that is loaded and unloaded
  jump,    ///< by malloc in a scope that longjmp leaves
  sizes,   ///< many blocks, by new and malloc, each a word larger than the one before
  free,    ///< slot
  set,     ///< token
  signal,  ///< token, set by a signal handler
  poll,    ///< cancellation_point
  raise,   ///< throws an exception of the program's own
  pause,   ///< pause_point
  // What follows has a body. Scopes: limits in bytes, tokens, budgets.
  allocations,
  exactly,
  memory,
  token,
  all,  ///< allocations, memory, token
  time,
  global,
  budget,
  mask,
  no_throw,  ///< a noexcept function
  catching,  ///< catch (...), and goes on
  repeat,    ///< times
  worker,    ///< a thread that is joined at once
  fork,      ///< a child that does it, and ends
  fiber      ///< a task that pauses: bytes, what to do at a pause
};
inline constexpr auto op_kinds = static_cast<std::size_t>(op_kind::fiber) + 1;

/// How it is written.
struct op_form {
  std::string_view name;
  int arguments;
  bool has_body;
};
extern std::array<op_form, op_kinds> const forms;

struct op {
  op_kind kind{};
  std::array<std::int64_t, 3> arguments{};
  std::vector<op> body = {};

  [[nodiscard]] op_form const& form() const noexcept {
    return forms[static_cast<std::size_t>(kind)];
  }
};

struct budget_limits {
  std::int64_t allocations = 0;
  std::int64_t memory = 0;
};

struct program {
  double rate = 1.0;
  std::array<budget_limits, budgets> budget = {};
  std::int64_t global = 0;
  std::vector<std::vector<op>> threads = {};
};

std::ostream& operator<<(std::ostream& out, program const& p);
/// throws      std::runtime_error with the line that is wrong.
program read(std::istream& in);

/// without     names of operations to leave out.
program generate(std::uint64_t seed, std::vector<std::string_view> const& without);

}  // namespace stress
