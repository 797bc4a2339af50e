// SPDX-License-Identifier: MIT
/// \file
/// The functions of codes as memtrace's `hotspots` sees them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/code_table.hpp"

namespace memprof::analysis {

/// A function is a name in a file. Each code stands for one, found out when it is first met.
class function_map {
 public:
  struct meaning {
    std::uint32_t function = 0;
    frame location;
    bool located = false;
  };

  /// \param outside the codes around it, innermost last.
  meaning const& of(trace::location_code code, std::span<trace::location_code const> outside,
                    code_table& codes, trace::reader const& reader) {
    const code_table::id id = codes.find(code, reader);
    if (id >= meanings_.size()) meanings_.resize(codes.size());
    if (!meanings_[id]) meanings_[id] = find(id, outside, codes, reader);
    return *meanings_[id];
  }
  [[nodiscard]] meaning const& of(code_table::id id) const { return *meanings_[id]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }
  [[nodiscard]] std::string const& name(std::uint32_t f) const { return names_[f].first; }
  [[nodiscard]] std::string const& file(std::uint32_t f) const { return names_[f].second; }

 private:
  meaning find(code_table::id id, std::span<trace::location_code const> outside, code_table& codes,
               trace::reader const& reader);
  std::uint32_t add(std::string name, std::string file);

  std::vector<std::optional<meaning>> meanings_;  // by code
  flat_index index_;
  std::vector<std::pair<std::string, std::string>> names_;
};

}  // namespace memprof::analysis
