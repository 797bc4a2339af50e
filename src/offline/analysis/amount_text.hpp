// SPDX-License-Identifier: MIT
/// \file
/// Numbers for people to read: the one way in which reports, plots and tables write amounts.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace memprof::analysis {

/// "0 B", "812 B", "3.50 KiB", "51.6 MiB", "1.20 GiB": three significant digits in the largest IEC
/// unit that leaves 1 or more. Negative amounts have a sign in front; what is no number is "?".
[[nodiscard]] std::string bytes_text(double bytes);

/// The same with its sign, as differences are written: "+3.50 KiB".
[[nodiscard]] std::string signed_bytes_text(double bytes);

/// "12.3 %"; "-" if there is no whole to be a part of.
[[nodiscard]] std::string percent_text(double part, double whole);

/// "+-12 %": an error as a share of the value, rounded up to whole percent, at least 1. What is
/// printed is no smaller than the error, so it holds what the interval holds.
[[nodiscard]] std::string error_text(double share);

/// "1,234,567": counts.
[[nodiscard]] std::string count_text(double count);

/// "1 block", "1,234,567 blocks".
[[nodiscard]] std::string count_text(std::uint64_t count, std::string_view one);

/// "812 us", "3.50 ms", "8.06 s", "2 min 5 s".
[[nodiscard]] std::string duration_text(std::chrono::microseconds time);

}  // namespace memprof::analysis
