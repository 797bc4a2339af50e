// SPDX-License-Identifier: MIT
/// \file
/// Where answers come from: this process, or one that is watched from outside.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "memprof/serve/metrics.hpp"
#include "memprof/serve/respond.hpp"

namespace memprof::answers {

/// Not the component of that name, which shows traces.
namespace serve = memprof::v0::serve;

/// What a program had allocated at one moment, and what of it was in use, by stack.
///
/// \note Threads: `pprof` and `text`: one at a time, of all profiles of a source. The others: any.
class heap_profile {
 public:
  heap_profile() = default;
  virtual ~heap_profile() = default;
  heap_profile(heap_profile const&) = delete;
  heap_profile& operator=(heap_profile const&) = delete;

  /// As pprof reads it, zipped.
  ///
  /// \param default_type what it shows first: "inuse_space", "alloc_space".
  [[nodiscard]] virtual std::string pprof(char const* default_type) const = 0;
  /// Totals and the largest stacks, for people.
  [[nodiscard]] virtual std::string text() const = 0;
  /// What changed since `before`, of the same source: allocations, and where live memory grew. (A
  /// viewer draws negative numbers of live memory badly, so where it shrank there is 0.)
  [[nodiscard]] virtual std::unique_ptr<heap_profile> change_since(
      heap_profile const& before) const = 0;
  /// The allocations since `before`, and the live memory of this one.
  [[nodiscard]] virtual std::unique_ptr<heap_profile> allocated_since(
      heap_profile const& before) const = 0;
};

/// A program that is asked.
///
/// \note Threads: any, at the same time; but `functions_at` is of those that go one at a time, as
///   heap_profile::pprof.
class program_source {
 public:
  program_source() = default;
  virtual ~program_source() = default;
  program_source(program_source const&) = delete;
  program_source& operator=(program_source const&) = delete;

  /// \throws std::exception which says why there is none.
  /// \throws std::bad_alloc for itself.
  [[nodiscard]] virtual std::unique_ptr<heap_profile> take_profile() = 0;
  /// Waits. What comes after the program's end need not be waited for.
  virtual void wait(std::chrono::seconds duration) = 0;
  virtual void add_metrics(serve::metrics& page) = 0;
  /// NUL between its words.
  [[nodiscard]] virtual std::string command_line() = 0;
  /// Whether there is a page at /debug/memprof/.
  [[nodiscard]] virtual bool has_page() const noexcept { return false; }
  /// If so: what is there. `name` is the path behind "/debug/memprof".
  [[nodiscard]] virtual serve::response page(std::string_view /*name*/) { return {}; }
  /// The functions at these addresses, empty where there is none. nullopt: addresses say nothing
  /// here.
  [[nodiscard]] virtual std::optional<std::vector<std::string>> functions_at(
      std::span<std::uintptr_t const> addresses) = 0;
};

}  // namespace memprof::answers
