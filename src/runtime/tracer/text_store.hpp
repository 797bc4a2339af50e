// SPDX-License-Identifier: MIT
/// \file
/// Texts that stay for the rest of the process, in mapped pages.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

#include "base/base.hpp"

namespace memprof::tracer {

/// threads     one at a time.
class text_store {
 public:
  /// A copy; empty without memory.
  std::string_view keep(std::string_view text) noexcept {
    if (text.empty() || (text.size() > left_ && !more(text.size()))) return {};
    std::memcpy(at_, text.data(), text.size());
    const std::string_view kept(at_, text.size());
    at_ += text.size();
    left_ -= text.size();
    return kept;
  }

 private:
  static constexpr std::size_t chunk = std::size_t{1} << 16;

  bool more(std::size_t size) noexcept {
    const std::size_t wanted = size > chunk ? size : chunk;
    auto* const fresh = static_cast<char*>(base::map_pages(wanted));
    if (fresh == nullptr) return false;
    at_ = fresh;
    left_ = wanted;
    return true;
  }

  char* at_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace memprof::tracer
