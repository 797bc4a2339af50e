// SPDX-License-Identifier: MIT
/// \file
/// The codes of several processes, as one trace has them.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "memprof/trace/event.hpp"

#include "recorder/live_blocks.hpp"

namespace memprof::recorder {

/// The same place in the same module has the same code, in whichever process.
class common_codes {
 public:
  trace::location_code code_of(live_blocks& of, trace::location_code code) {
    const auto [known, fresh] = known_.try_emplace({&of, code}, code);
    if (!fresh) return known->second;
    const auto found = of.locate(code);
    if (found.empty()) return code;  // in no module: a name for itself
    std::pair<std::string, std::string> meaning{found[0].filename, found[0].defname};
    const auto [place, is_new] = codes_.try_emplace(std::move(meaning), first + locations_.size());
    if (is_new) {
      locations_.push_back(found[0]);
      locations_.back().filename = place->first.first;
      locations_.back().defname = place->first.second;
    }
    return known->second = place->second;
  }
  [[nodiscard]] std::span<trace::location const> locate(trace::location_code code) const {
    if (code < first || code - first >= locations_.size()) return {};
    return {&locations_[code - first], 1};
  }

 private:
  /// Above all codes of module_table.
  static constexpr trace::location_code first = std::uint64_t{1} << 60;

  std::map<std::pair<live_blocks*, trace::location_code>, trace::location_code> known_;
  std::map<std::pair<std::string, std::string>, trace::location_code> codes_;
  std::deque<trace::location> locations_;
};

}  // namespace memprof::recorder
