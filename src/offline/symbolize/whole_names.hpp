// SPDX-License-Identifier: MIT
/// \file
/// Whole names of functions, as notes of a trace: its codes hold what fits (fit_locations.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "memprof/trace/event.hpp"
#include "memprof/trace/writer.hpp"

#include "trace/trace.hpp"

namespace memprof::symbolize {

/// The name of the notes; `memprof/trace/note.hpp` describes them.
inline constexpr std::string_view name_note = "name";

/// Longer names are not noted, and stay cut.
inline constexpr std::size_t longest_noted_name = std::size_t{1} << 16;

/// Notes that `cut` stands for `whole`. Readers have them before the events that are put next.
void note_name(trace::writer& to, std::string_view cut, std::string_view whole);

/// The names that the notes of a trace complete.
class whole_names {
 public:
  /// The locations with whole names instead of those that were cut, as far as the notes that were
  /// read up to now have them.
  ///
  /// \param legend the same each time, or one of the same trace.
  /// \return `cut` itself if no name in it was cut; else a span that is valid until the next call,
  ///   and its names as long as this.
  std::span<trace::location const> complete(std::span<trace::location const> cut,
                                            trace::legend legend);

 private:
  struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const noexcept {
      return std::hash<std::string_view>{}(s);
    }
  };
  ///  - `size`: of the whole name.
  struct name {
    std::size_t size = 0;
    std::string text;
  };
  void read(std::string_view note);

  std::unordered_map<std::string, name, text_hash, std::equal_to<>> names_;
  std::size_t notes_read_ = 0;
  std::vector<trace::location> completed_;
};

}  // namespace memprof::symbolize
