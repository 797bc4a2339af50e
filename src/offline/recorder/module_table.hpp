// SPDX-License-Identifier: MIT
/// \file
/// The modules of a recorded process over time: which one a return address belongs to.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "memprof/trace/event.hpp"

namespace memprof::relay {
struct popped_record;
}

namespace memprof::recorder {

/// A module as the process announced it, when it had code on a stack.
struct module {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uintptr_t bias = 0;  ///< address minus address in the file
  std::string build_id;     ///< its first 8 bytes in hexadecimal; empty: it has none
  std::string path;

  bool operator==(module const&) const = default;
};

/// What a record of the kind `module` announces.
module module_in(relay::popped_record const& r);

/// Codes of the trace are return addresses. Where a module takes the place of another one, or of
/// code that was said to be of none, its addresses get other codes:
///
///     | generation: 16 | address: 48 |      generation 0: the first at its place
class module_table {
 public:
  /// From now on this module lies at its place.
  void announce(module const& m);
  /// The process executes another program: nothing is loaded.
  void unload_all() { loaded_.clear(); }

  /// The code of an address now.
  [[nodiscard]] trace::location_code code_of(std::uintptr_t address) const;

  /// The one location of a code: the module's path, and "MODULE+0xADDRESS@BUILDID". None if no
  /// module is known; that stays so. Valid until the next call.
  std::span<trace::location const> locate(trace::location_code code);

 private:
  struct known_module {
    module what;
    std::uint64_t generation = 0;
  };

  static constexpr unsigned address_bits = 48;

  [[nodiscard]] known_module const* module_of(trace::location_code code) const;

  std::vector<known_module> modules_;             ///< that ever were
  std::map<std::uintptr_t, std::size_t> loaded_;  ///< by where they begin: in `modules_`
  bool any_place_taken_twice_ = false;
  /// Addresses that were said to be in no module lie in here.
  std::uintptr_t lowest_unknown_ = ~std::uintptr_t{0};
  std::uintptr_t highest_unknown_ = 0;
  std::string path_;
  std::string name_;
  trace::location found_;
};

}  // namespace memprof::recorder
