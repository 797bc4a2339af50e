// SPDX-License-Identifier: MIT
/// \file
/// The modules of a process over time: which one a return address belongs to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "memprof/detail/export.hpp"
#include "memprof/trace/event.hpp"

#include "base/base.hpp"
#include "relay/relay.hpp"

namespace memprof::records {

/// A module as the process announced it, when it had code on a stack.
struct module {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uintptr_t bias = 0;             ///< address minus address in the file
  std::array<char, 17> build_id = {};  ///< its first 8 bytes in hexadecimal; empty: it has none
  std::string_view path;

  bool operator==(module const&) const = default;
};

/// What a record of the kind `module` announces. Its path lives as long as the record.
MEMPROF_INTERNAL_API module module_in(relay::popped_record const& r) noexcept;

/// Codes of the trace are return addresses. Where a module takes the place of another one, or of
/// code that was said to be of none, its addresses get other codes:
///
///     | generation: 16 | address: 48 |      generation 0: the first at its place
///
/// \note Memory: mapped pages: nothing is allocated.
/// \note Threads: one at a time.
class module_table {
 public:
  /// From now on this module lies at its place.
  MEMPROF_INTERNAL_API void announce(module const& m) noexcept;
  /// The process executes another program: nothing is loaded.
  void unload_all() noexcept { loaded_.erase(0, loaded_.size()); }

  /// The code of an address now.
  [[nodiscard]] MEMPROF_INTERNAL_API trace::location_code code_of(
      std::uintptr_t address) const noexcept;
  /// The module that a code is of, loaded or not; null if none is known. Valid until the next
  /// announcement.
  [[nodiscard]] module const* module_of(trace::location_code code) const noexcept;
  /// The trace says that this code is of no module. It stays so: what is loaded there later gets
  /// other codes.
  void keep_unknown(trace::location_code code) noexcept;

  [[nodiscard]] static constexpr std::uintptr_t address_of(trace::location_code code) noexcept {
    return code & ((std::uint64_t{1} << address_bits) - 1);
  }

 private:
  struct known_module {
    module what;
    std::uint64_t generation = 0;
  };

  static constexpr unsigned address_bits = 48;

  void load(std::uint32_t index) noexcept;
  /// In `loaded_`: the first that ends above this address.
  [[nodiscard]] std::size_t first_above(std::uintptr_t address) const noexcept;

  base::mapped_array<known_module> modules_;  ///< that ever were
  base::mapped_array<std::uint32_t> loaded_;  ///< in `modules_`, by their addresses
  bool any_place_taken_twice_ = false;
  /// Addresses that were said to be in no module lie in here.
  std::uintptr_t lowest_unknown_ = ~std::uintptr_t{0};
  std::uintptr_t highest_unknown_ = 0;
  base::text_store texts_;
};

}  // namespace memprof::records
