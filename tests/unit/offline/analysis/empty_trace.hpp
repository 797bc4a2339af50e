// SPDX-License-Identifier: MIT
/// \file
/// A reader for builders that are given events which nobody wrote.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <unistd.h>

#include "memprof/trace/reader.hpp"
#include "memprof/trace/writer.hpp"

namespace memprof::test {

/// Of an empty trace of this rate, read to its end.
inline memprof::trace::reader empty_trace(double rate) {
  namespace trace = memprof::trace;
  const auto file = std::filesystem::temp_directory_path() /
                    ("memprof-empty-trace-" + std::to_string(::getpid()) + ".ctf");
  trace::info info;
  info.sample_rate = rate;
  trace::writer(file, info, [](trace::location_code) {
    return std::span<trace::location const>{};
  }).close();
  trace::reader reader(file);
  trace::event e;
  while (reader.next(e)) {
  }
  std::filesystem::remove(file);
  return reader;
}

}  // namespace memprof::test
