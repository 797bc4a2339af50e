// SPDX-License-Identifier: MIT
/// \file
/// Numbers in the place of names: the same name, the same number.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "memprof/trace/reader.hpp"

namespace memprof::tools {

/// Codes become 1, 2, ... in the order in which they are met; functions f1, f2, ..., files file1,
/// ... A line becomes the number of the different position within its function.
class pseudonyms {
 public:
  trace::location_code code(trace::location_code secret, trace::reader const& reader) {
    const auto [place, is_new] = codes_.try_emplace(secret, codes_.size() + 1);
    if (is_new) add(reader.locations(secret));
    return place->second;
  }
  /// Of a code that code() gave.
  [[nodiscard]] std::span<trace::location const> locations(trace::location_code code) const {
    return code == 0 || code > locations_.size() ? std::span<trace::location const>{}
                                                 : locations_[code - 1];
  }

 private:
  using names = std::unordered_map<std::string, std::string>;

  void add(std::span<trace::location const> secret) {
    std::vector<trace::location>& to = locations_.emplace_back();
    for (trace::location const& l : secret) {
      trace::location known;
      known.filename = name(files_, l.filename, "file");
      known.defname = name(functions_, l.defname, "f");
      auto& positions = positions_[known.defname];
      known.line = positions
                       .try_emplace({known.filename, l.line, l.start_char, l.end_char},
                                    static_cast<std::uint32_t>(positions.size() + 1))
                       .first->second;
      to.push_back(known);
    }
  }
  /// The view lives as long as this.
  static std::string_view name(names& all, std::string_view secret, char const* prefix) {
    return all.try_emplace(std::string(secret), prefix + std::to_string(all.size() + 1))
        .first->second;
  }

  std::unordered_map<trace::location_code, trace::location_code> codes_;
  std::deque<std::vector<trace::location>> locations_;
  names files_, functions_;
  std::map<std::string_view,
           std::map<std::tuple<std::string_view, std::uint32_t, std::uint32_t, std::uint32_t>,
                    std::uint32_t>>
      positions_;
};

}  // namespace memprof::tools
