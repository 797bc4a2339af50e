// SPDX-License-Identifier: MIT
/// \file
/// Selections as people write them: named texts, the same on the command line and in requests.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "memprof/units.hpp"

#include "analysis/selection.hpp"

namespace memprof::analysis {

/// "allocated-after" and "2s": an option of the command line without its dashes.
struct named_text {
  std::string name;
  std::string value;
  friend bool operator==(named_text const&, named_text const&) = default;
};

/// A text that cannot be meant so. what() begins with the parameter: "size-min: '12x' needs a ...".
class selection_error : public std::invalid_argument {
 public:
  selection_error(std::string_view parameter, std::string const& why)
      : std::invalid_argument(std::string(parameter) + ": " + why), parameter_(parameter) {}
  [[nodiscard]] std::string const& parameter() const noexcept { return parameter_; }

 private:
  std::string parameter_;
};

/// What `texts` say. Names may come more than once: patterns, heaps and domains add up, ranges
/// become narrower, of what there is one of the last counts.
///
///     allocated-after, allocated-before, live-after, live-before, collected-after,
///     collected-before, live-at, lifetime-min, lifetime-max      a time
///     size-min, size-max                                         an amount of memory
///     live-at-peak, live-at-end, never-collected                 "1", or "0" for no
///     function, not-function, file, not-file, hide               a name_pattern
///     heap, not-heap                                             minor,major,external
///     domain                                                     numbers: 0,3
///     freed-within                                               a size: 64KiB
///     thread                                                     patterns; one must match
///
/// \throws selection_error for a name that is none of the above, too.
[[nodiscard]] selection selection_of(std::vector<named_text> const& texts);

/// "12us", "1.5ms", "2s", "1min", "0.5h"; a number alone is seconds.
/// \throws selection_error for another text.
[[nodiscard]] std::chrono::microseconds parse_time(std::string_view parameter,
                                                   std::string const& text);

/// "64MiB", "1.5 GiB", "100kw", "512B": a decimal number and a unit, B KiB MiB GiB TiB (bytes) or
/// w kw Mw (words of 8 bytes). A fraction of a byte is rounded up.
/// \throws selection_error for another text.
[[nodiscard]] bytes parse_amount(std::string_view parameter, std::string const& text);

}  // namespace memprof::analysis
