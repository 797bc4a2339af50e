// SPDX-License-Identifier: MIT
/// \file
/// Refuses arguments that a bound is not defined for. In a constant expression the compiler reports
/// an error that names the function here.
#pragma once

#include <stdexcept>
#include <string>

#include "memprof/units.hpp"

namespace memprof::inline v0::detail::statistics {

[[noreturn]] inline void refuse(char const* function, std::string const& what) {
  throw std::domain_error("memprof::" + std::string(function) + ": " + what);
}

[[noreturn]] inline void refuse_number(char const* function, char const* what, double value,
                                       char const* wanted) {
  refuse(function,
         std::string("the ") + what + ", " + std::to_string(value) + ", is not " + wanted);
}

[[noreturn]] inline void refuse_negative(char const* function, char const* what, long long count) {
  refuse(function, std::string("the ") + what + " is negative: " + std::to_string(count));
}

constexpr void check_risk(char const* function, double t) {
  if (!(t > 0.0 && t < 1.0)) refuse_number(function, "risk", t, "in (0, 1)");
}

constexpr void check_confidence(char const* function, double confidence) {
  if (!(confidence > 0.0 && confidence < 1.0)) {
    refuse_number(function, "confidence", confidence, "in (0, 1)");
  }
}

template <class Amount>
constexpr void check_not_negative(char const* function, char const* what, Amount amount) {
  if (amount.count() < 0) refuse_negative(function, what, amount.count());
}

/// For results that do not exist if no sample is ever taken.
constexpr void check_samples(char const* function, sampling_rate rate) {
  if (!(rate.per_word() > 0.0)) refuse(function, "at rate 0 no sample is ever taken");
}

}  // namespace memprof::inline v0::detail::statistics
