// SPDX-License-Identifier: MIT
/// \file
/// The modules of this process over time: which one a return address belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "memprof/trace/event.hpp"

#include "modules/modules.hpp"
#include "tracer/text_store.hpp"

namespace memprof::tracer {

/// Codes of the trace are return addresses. Where a module takes the place of one that was
/// unloaded, or of code that belonged to no module, its addresses get other codes:
///
///     | generation: 16 | address: 48 |      generation 0: the first at its place
///
/// The loader is asked when it has loaded or unloaded something since the last time; that is seen
/// when events are encoded. So samples of the last half second before their module is unloaded
/// *and* its place is taken by another one may be given to that one.
///
/// threads     the writing thread alone.
class module_list {
 public:
  struct module {
    modules::address_range range;
    std::uintptr_t bias = 0;  ///< address minus address in the file
    std::uint64_t generation = 0;
    bool loaded = false;
    std::string_view path;
    char build_id[17] = {};  ///< its first 8 bytes in hexadecimal; empty: it has none
  };

  /// Looks whether modules came or went, and if so which.
  void refresh() noexcept;

  /// The code of an address now.
  [[nodiscard]] trace::location_code code_of(std::uintptr_t address) const noexcept {
    return any_place_taken_twice_ ? code_among_generations(address) : address;
  }

  /// The module that a code is of, loaded or not; null if none is known.
  [[nodiscard]] module const* module_of(trace::location_code code) const noexcept;

  /// The trace says that this code is of no module. It stays so: what is loaded there later gets
  /// other codes.
  void keep_unknown(trace::location_code code) noexcept;

  static constexpr unsigned address_bits = 48;
  [[nodiscard]] static constexpr std::uintptr_t address_of(trace::location_code code) noexcept {
    return code & ((std::uint64_t{1} << address_bits) - 1);
  }

 private:
  void add(dl_phdr_info const& info) noexcept;
  [[nodiscard]] trace::location_code code_among_generations(std::uintptr_t address) const noexcept;
  [[nodiscard]] std::span<module> modules() const noexcept { return {modules_, count_}; }

  static constexpr std::size_t most_modules = std::size_t{1} << 15;

  module* modules_ = nullptr;
  std::size_t count_ = 0;
  bool any_place_taken_twice_ = false;
  unsigned long long loads_ = 0;
  unsigned long long unloads_ = 0;
  /// Addresses that were said to be in no module lie in here.
  std::uintptr_t lowest_unknown_ = ~std::uintptr_t{0};
  std::uintptr_t highest_unknown_ = 0;
  text_store texts_;
};

/// Around a fork, on its thread: that the child does not inherit a lock of the loader which is
/// taken by the writing thread. Waits for that thread, but not for long: the forking one may itself
/// hold the lock.
void before_fork() noexcept;
void after_fork() noexcept;
void after_fork_in_child() noexcept;

}  // namespace memprof::tracer
