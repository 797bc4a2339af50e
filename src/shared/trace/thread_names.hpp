// SPDX-License-Identifier: MIT
/// \file
/// The threads of a trace that is written: their codes and names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "memprof/trace/event.hpp"
#include "memprof/trace/thread.hpp"

#include "encoding/encoding.hpp"

namespace memprof::inline v0::trace {

class thread_names {
 public:
  /// A new name of a thread has a code of its own: the locations of one may not change.
  void name(thread const& t) {
    std::string text(t.name.substr(0, std::min(t.name.find('\0'), most_bytes)));
    text += ' ' + std::to_string(t.id);
    auto const [at, is_new] = codes_.try_emplace(t.number);
    std::uint32_t const naming = is_new ? 0 : at->second.naming + 1;
    if (!is_new && (texts_.at(at->second.code) == text || naming >= encoding::most_namings)) return;
    at->second = {encoding::thread_code(t.number, naming), naming};
    texts_.emplace(at->second.code, std::move(text));
  }

  /// As the first of `backtrace`. Valid until the next call.
  std::span<location_code const> in_front(std::uint32_t number,
                                          std::span<location_code const> backtrace) {
    if (number != last_number_) {
      if (!codes_.contains(number)) name({.number = number, .id = 0, .name = {}});
      last_number_ = number;
    }
    whole_.assign(1, codes_.at(number).code);
    whole_.insert(whole_.end(), backtrace.begin(), backtrace.end());
    return whole_;
  }

  /// Null if the code is no thread's. Lives as long as this.
  [[nodiscard]] std::string const* text_of(location_code code) const {
    if (!encoding::is_thread_code(code)) return nullptr;
    auto const found = texts_.find(code);
    return found == texts_.end() ? nullptr : &found->second;
  }

 private:
  static constexpr std::size_t most_bytes = 64;
  struct current {
    location_code code = 0;
    std::uint32_t naming = 0;
  };
  std::unordered_map<std::uint32_t, current> codes_;
  std::unordered_map<location_code, std::string> texts_;
  std::vector<location_code> whole_;
  std::uint32_t last_number_ = 0;
};

}  // namespace memprof::inline v0::trace
