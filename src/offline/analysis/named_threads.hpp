// SPDX-License-Identifier: MIT
/// \file
/// The threads of a trace by their numbers, while its events are read.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "memprof/trace/reader.hpp"

namespace memprof::analysis {

class named_threads {
 public:
  ///  - `name`: without control characters.
  struct named {
    std::uint64_t id = 0;
    std::string name;
  };

  /// As the reader has named it last; without a name if it never has. Valid until the next call.
  named const& find(std::uint32_t number, trace::reader const& reader) {
    for (const auto known = reader.threads(); read_ < known.size(); ++read_) {
      trace::thread const& t = known[read_];
      std::string name(t.name);
      std::ranges::replace_if(
          name, [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
      threads_[t.number] = {t.id, std::move(name)};
    }
    return threads_[number];
  }
  /// Those that were looked for or named, by number.
  [[nodiscard]] std::map<std::uint32_t, named> const& all() const noexcept { return threads_; }

 private:
  std::map<std::uint32_t, named> threads_;
  std::size_t read_ = 0;
};

}  // namespace memprof::analysis
