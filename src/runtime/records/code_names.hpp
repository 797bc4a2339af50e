// SPDX-License-Identifier: MIT
/// \file
/// The name of a code in the trace: its module and the address in it. Functions and lines are found
/// afterwards, from the module's file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "memprof/detail/export.hpp"
#include "memprof/trace/event.hpp"

#include "base/base.hpp"
#include "records/module_table.hpp"

namespace memprof::records {

/// One location for each code of a module, none for others: `encoding::code_name`, with the
/// module's path as `filename`. Where modules come and go for ever, what comes after 786 432 codes
/// (32 MiB, and their names) has none.
///
/// \note Threads: one at a time.
class code_names {
 public:
  explicit code_names(module_table& modules) noexcept : modules_(modules) {}

  /// The same for a code each time. Valid until the next call; the texts stay.
  MEMPROF_INTERNAL_API std::span<trace::location const> locate(trace::location_code code) noexcept;

 private:
  static constexpr std::size_t most_codes = std::size_t{1} << 20;  ///< three quarters are used
  ///  - `code`: 0: this entry is free.
  ///  - `name`: empty: it is of no module.
  struct known_code {
    trace::location_code code = 0;
    std::string_view path;
    std::string_view name;
  };

  static known_code* find(base::mapped_array<known_code>& in, trace::location_code code) noexcept;
  bool grow() noexcept;
  void name(known_code& entry) noexcept;

  module_table& modules_;
  base::mapped_array<known_code> table_;  ///< its size is a power of two
  std::size_t used_ = 0;
  base::text_store texts_;
  trace::location found_;
};

}  // namespace memprof::records
