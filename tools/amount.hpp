// SPDX-License-Identifier: MIT
/// \file
/// Amounts of memory, rates and probabilities on the command line.
#pragma once

#include <string>
#include <string_view>

#include "memprof/units.hpp"

#include "analysis/analysis.hpp"

namespace memprof::tools {

using analysis::parse_amount;

/// A number and nothing after it; the caller checks the range.
/// \throws std::invalid_argument that names `option` and the text.
double parse_number(std::string_view option, std::string const& text);

/// Four significant digits in the largest unit that leaves 1 or more: "51.63 MiB". Rounded towards
/// 0 if `down`, else away from it.
std::string readable(bytes amount, bool down);

/// "1e-09", "0.0035": three significant digits.
std::string readable(double number);

}  // namespace memprof::tools
