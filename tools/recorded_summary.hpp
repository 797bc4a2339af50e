// SPDX-License-Identifier: MIT
/// \file
/// What `record` says of a trace when it is complete: its size, and what to do next.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "memprof/trace/info.hpp"

namespace memprof::tools {

struct recorded_summary {
  trace::info info;
  std::uint64_t events = 0;
  std::uint64_t samples = 0;
  std::uint64_t in_use = 0;  // samples that were not freed
  std::uint64_t file_size = 0;
};

/// \throws trace::format_error if the file is damaged.
/// \throws std::system_error if it cannot be read.
/// \note Memory: some 50 bytes for each sampled block that is in use at one time.
[[nodiscard]] recorded_summary summarize(std::filesystem::path const& file);

/// "1234 events, 56 samples, 8.1 KiB"
[[nodiscard]] std::string summary_text(recorded_summary const& s);

/// A rate at which there would be enough samples, if there are few: "9 samples (+-72 %), 5 of them
/// in use at the end (+-108 %): --rate 1e-4 would take some 900". Empty if there are enough, or no
/// more can be had.
[[nodiscard]] std::string better_rate(recorded_summary const& s);

}  // namespace memprof::tools
