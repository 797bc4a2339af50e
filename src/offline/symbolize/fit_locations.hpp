// SPDX-License-Identifier: MIT
/// \file
/// Shortens the positions of a code to what the trace format can hold.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "memprof/trace/event.hpp"

namespace memprof::symbolize {

/// The format holds at most 255 positions for a code and 4096 bytes of them, and instead of more
/// than that holds nothing at all. This shortens the names of functions that are too long for their
/// codes (cut_name), then leaves calls in the middle out, until it fits.
///
/// A function is in many codes, with more or less room. So that it has one name in all of them, and
/// no two functions have the same, all codes are passed through it first:
///
///     location_fitter fitter;
///     do {
///       for (auto& code : codes()) fitter.fit(code);
///     } while (!fitter.settle());      // false at most once
class location_fitter {
 public:
  /// Makes the positions fit. The texts that are put in live as long as this.
  void fit(std::vector<trace::location>& positions);
  /// Call it after all codes. True: the results are final. False: names were too long; call
  /// `fit` again for the original positions.
  bool settle();

 private:
  struct cut {
    std::size_t longest = 0;
    std::string text;
  };
  void learn(std::vector<trace::location> const& positions);

  bool settled_ = false;
  std::unordered_map<std::string, cut> cuts_;  // by the whole name
};

}  // namespace memprof::symbolize
