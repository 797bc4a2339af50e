// SPDX-License-Identifier: MIT
/// \file
/// Shortens the positions of a code to what the trace format can hold.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "memprof/trace/event.hpp"

namespace memprof::symbolize {

/// Longer names of functions are cut to this, in bytes.
inline constexpr std::size_t longest_kept_name = 320;

/// The format holds at most 255 positions for a code and 4096 bytes of them, and instead of more
/// than that holds nothing at all. This cuts names of functions that are longer than
/// longest_kept_name (cut_name.hpp, with a mark), each in the same way everywhere: a function
/// has one name in all codes of all traces, so that traces can be compared. If the positions of a
/// code do not fit then, inlined calls are left out of its middle, those of the C++ standard
/// library first.
class location_fitter {
 public:
  /// Makes the positions fit. The texts that are put in live as long as this.
  void fit(std::vector<trace::location>& positions);

  struct cut_pair {
    std::string_view whole, cut;
  };
  /// The names that were cut since the last call. They live as long as this.
  std::vector<cut_pair> take_new_cuts() { return std::exchange(new_cuts_, {}); }

 private:
  std::string_view cut(std::string_view name);

  std::unordered_map<std::string, std::string> cuts_;  // by the whole name
  std::vector<cut_pair> new_cuts_;
};

}  // namespace memprof::symbolize
