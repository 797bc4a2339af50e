// SPDX-License-Identifier: MIT
/// \file
/// The golden traces: those of $MEMPROF_TRACES, or else the small ones of tests/data/traces.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "memprof/trace/reader.hpp"

namespace memprof::test {

inline std::filesystem::path traces_directory() {
  char const* const set = std::getenv("MEMPROF_TRACES");
  return set != nullptr && *set != '\0' ? std::filesystem::path(set)
                                        : std::filesystem::path(MEMPROF_TEST_DATA_DIR) / "traces";
}

/// The traces in `directory`, by name.
inline std::vector<std::filesystem::path> traces_in(std::filesystem::path const& directory) {
  std::vector<std::filesystem::path> found;
  for (auto const& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".ctf") found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

inline std::string contents(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// An event as the tool dump_trace prints it, with the end of the line.
inline std::string dump_line(memprof::trace::reader const& trace, memprof::trace::event const& e) {
  using memprof::trace::event_kind;
  auto const padded = [](std::string digits, std::size_t width, char fill) {
    return digits.size() < width ? std::string(width - digits.size(), fill) + digits : digits;
  };
  std::string line = padded(std::to_string(e.time.count()), 10, '0') + ' ' +
                     padded(std::to_string(e.object), 10, '0');
  if (e.kind == event_kind::promotion) return line + " promote\n";
  if (e.kind == event_kind::collection) return line + " collect\n";
  static char const* const kinds[] = {" alloc ", " alloc_major ", " alloc_ext "};
  line += kinds[static_cast<int>(e.source)] + std::to_string(e.n_samples) +
          " len=" + std::to_string(e.length) + " dom=" + std::to_string(e.domain) + ' ' +
          padded(' ' + std::to_string(e.common_prefix), 4, ' ') + ':';
  for (auto const code : e.backtrace) {
    auto const locations = trace.locations(code);
    if (locations.empty()) line += " $" + std::to_string(code);
    for (auto const& l : locations) {
      line += ' ';
      line += l.defname;
      line += '@';
      line += l.filename;
      line += ':' + std::to_string(l.line) + ':' + std::to_string(l.start_char) + '-' +
              std::to_string(l.end_char);
    }
  }
  return line + '\n';
}

}  // namespace memprof::test
