// SPDX-License-Identifier: MIT
/// \file
/// The functions of codes as memtrace's `hotspots` sees them.
#pragma once

#include <cstdint>
#include <cstdio>
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

  /// outside     the codes around it, innermost last.
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
               trace::reader const& reader) {
    // A code without locations passes for one of the two calls outside it, the first time and for
    // good.
    code_table::id near = id;
    for (std::size_t i = 0;; ++i) {
      const auto frames = codes.frames(near);
      if (!frames.empty()) {
        frame const& f = frames.back();
        std::uint32_t& place = index_.find(f.function, f.file);
        if (place == flat_index::none) {
          place = add(codes.functions().text(f.function), codes.files().text(f.file));
        }
        return {place, f, true};
      }
      if (i == 2 || i == outside.size()) break;
      near = codes.find(outside[outside.size() - 1 - i], reader);
    }
    char text[32];
    std::snprintf(text, sizeof text, "#%llx", static_cast<unsigned long long>(codes.code(id)));
    return {add(text, "??"), {}, false};
  }
  std::uint32_t add(std::string name, std::string file) {
    names_.emplace_back(std::move(name), std::move(file));
    return static_cast<std::uint32_t>(names_.size() - 1);
  }

  std::vector<std::optional<meaning>> meanings_;  // by code
  flat_index index_;
  std::vector<std::pair<std::string, std::string>> names_;
};

}  // namespace memprof::analysis
