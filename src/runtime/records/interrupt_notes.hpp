// SPDX-License-Identifier: MIT
/// \file
/// Interrupts on their way into the file, until their packet is written.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "encoding/encoding.hpp"
#include "records/code_names.hpp"

namespace memprof::records {

/// \note Threads: one at a time. Nothing is allocated.
class interrupt_notes {
 public:
  /// Of its stack the innermost frames are kept: the format has little room for them.
  static constexpr std::size_t most_frames = 32;

  /// \param frames return addresses, innermost first.
  /// \return the code under which it is announced.
  trace::location_code add(trace::interrupt const& what, std::span<std::uint64_t const> frames,
                           module_table const& modules) noexcept {
    entry& e = waiting_[count_ % waiting_.size()];
    e.depth = std::min(frames.size(), most_frames);
    for (std::size_t i = 0; i < e.depth; ++i) e.codes[i] = modules.code_of(frames[i]);
    e.length = encoding::interrupt_text(what, e.text).size();
    return encoding::first_interrupt_code + count_++;
  }

  [[nodiscard]] bool has(trace::location_code code) const noexcept {
    return code - encoding::first_interrupt_code < count_;
  }

  /// Its stack and its note. Valid until the next call.
  std::span<trace::location const> locate(trace::location_code code, code_names& names) noexcept {
    const std::size_t number = code - encoding::first_interrupt_code;
    entry const& e = waiting_[number % waiting_.size()];
    std::size_t found = 0;
    for (std::size_t i = e.depth; i-- > 0;) {
      if (e.codes[i] == 0) continue;
      const auto location = names.locate(e.codes[i]);
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
  struct entry {
    std::size_t depth;
    std::size_t length;
    std::array<trace::location_code, most_frames> codes;
    std::array<char, encoding::longest_interrupt_note> text;
  };
  /// More than a packet announces; and the encoder's table of names refers to the last 31 texts.
  /// Not zeroed: pages that nothing touches.
  std::array<entry, 2 * encoding::code_log::flush_above> waiting_;
  std::size_t count_ = 0;
  std::array<trace::location, most_frames + 1> locations_{};
};

}  // namespace memprof::records
