// SPDX-License-Identifier: MIT
/// \file
/// The name of a code in the trace: its module and the address in it. Functions and lines are found
/// afterwards, from the module's file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "memprof/trace/event.hpp"

#include "tracer/module_list.hpp"
#include "tracer/text_store.hpp"
#include "tracer/thread_book.hpp"

namespace memprof::tracer {

/// One location for each code of a module, none for others: `encoding::code_name`, with the
/// module's path as `filename`. Where modules come and go for ever, what comes after 786 432 codes
/// (32 MiB, and their names) has none.
///
/// threads     one at a time.
class code_names {
 public:
  explicit code_names(module_list& modules) noexcept : modules_(modules) {}

  /// The same for a code each time. Valid until the next call; the texts stay.
  std::span<trace::location const> locate(trace::location_code code) noexcept;

 private:
  static constexpr std::size_t most_codes = std::size_t{1} << 20;  ///< three quarters are used
  struct known_code {
    trace::location_code code;  ///< 0: this entry is free
    module_list::module const* in;
    char const* name;
    std::size_t length;
  };

  known_code* find(trace::location_code code) noexcept;
  bool grow() noexcept;
  void name(known_code& entry) noexcept;

  module_list& modules_;
  known_code* table_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  text_store texts_;
  trace::location found_;
};

/// The names of codes: of modules, the same in all traces of a process, and of threads.
struct code_book {
  module_list modules;
  code_names names{modules};
  thread_book threads;
};

}  // namespace memprof::tracer
