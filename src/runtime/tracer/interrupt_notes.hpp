// SPDX-License-Identifier: MIT
/// \file
/// Interrupts on their way into the file, from the queue until their packet is written.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "callstack/callstack.hpp"
#include "encoding/encoding.hpp"
#include "tracer/code_names.hpp"

namespace memprof::tracer {

/// threads     only the writing thread.
class interrupt_notes {
 public:
  /// The code under which it is announced.
  trace::location_code add(trace::interrupt const& what, callstack::stack_id stack) noexcept {
    entry& e = waiting_[count_ % waiting_.size()];
    e.stack = stack;
    e.length = encoding::interrupt_text(what, e.text).size();
    return encoding::first_interrupt_code + count_++;
  }

  [[nodiscard]] bool has(trace::location_code code) const noexcept {
    return code - encoding::first_interrupt_code < count_;
  }

  /// Its stack and its note. Valid until the next call.
  std::span<trace::location const> locate(trace::location_code code, code_book& codes) noexcept {
    const std::size_t number = code - encoding::first_interrupt_code;
    entry const& e = waiting_[number % waiting_.size()];
    const auto frames = callstack::frames_of(e.stack);
    const std::size_t depth = std::min(frames.size(), most_frames);
    std::size_t found = 0;
    for (std::size_t i = depth; i-- > 0;) {
      const auto location = codes.names.locate(codes.modules.code_of(frames[i]));
      if (!location.empty()) locations_[found++] = location.front();
    }
    const trace::location note{.filename = encoding::interrupt_file,
                               .defname = std::string_view(e.text.data(), e.length)};
    const std::span<trace::location> stack(locations_.data(), found);
    const std::size_t fits = encoding::fitting_stack(stack, note);
    locations_[found] = note;
    return std::span<trace::location const>(locations_).subspan(found - fits, fits + 1);
  }

 private:
  static constexpr std::size_t most_frames = 32;

  struct entry {
    callstack::stack_id stack = 0;
    std::size_t length = 0;
    std::array<char, encoding::longest_interrupt_note> text{};
  };
  /// More than a packet announces; and the encoder's table of names refers to the last 31 texts.
  std::array<entry, 2 * encoding::code_log::flush_above> waiting_{};
  std::size_t count_ = 0;
  std::array<trace::location, most_frames + 1> locations_{};
};

}  // namespace memprof::tracer
