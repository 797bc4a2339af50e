// SPDX-License-Identifier: MIT
/// \file
/// Amounts of memory, rates and probabilities on the command line.
#pragma once

#include <string>
#include <string_view>

#include "memprof/units.hpp"

namespace memprof::tools {

/// "64MiB", "1.5 GiB", "100kw", "512B": a decimal number and a unit, B KiB MiB GiB TiB (bytes) or
/// w kw Mw (words). A fraction of a byte is rounded up.
/// throws      std::invalid_argument that names `option` and the text.
bytes parse_amount(std::string_view option, std::string const& text);

/// A number and nothing after it; the range is the business of who uses it.
/// throws      std::invalid_argument that names `option` and the text.
double parse_number(std::string_view option, std::string const& text);

/// Four significant digits in the largest unit that leaves 1 or more: "51.63 MiB". Rounded towards
/// 0 if `down`, else away from it.
std::string readable(bytes amount, bool down);

/// "1e-09", "0.0035": three significant digits.
std::string readable(double number);

}  // namespace memprof::tools
