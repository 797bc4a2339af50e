// SPDX-License-Identifier: MIT
/// \file
/// Lets failed Catch2 checks show amounts of memory.
#pragma once

#include <string>

#include "memprof/units.hpp"

#include "support/catch2.hpp"

namespace Catch {

template <>
struct StringMaker<memprof::words> {
  static std::string convert(memprof::words amount) {
    return std::to_string(amount.count()) + "_w";
  }
};

template <>
struct StringMaker<memprof::bytes> {
  static std::string convert(memprof::bytes amount) {
    return std::to_string(amount.count()) + "_B";
  }
};

}  // namespace Catch
