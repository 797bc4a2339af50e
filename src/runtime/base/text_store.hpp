// SPDX-License-Identifier: MIT
/// \file
/// Texts that stay as long as their store, in mapped pages.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <string_view>

#include "base/page_memory.hpp"

namespace memprof::base {

/// \note Threads: one at a time.
class text_store {
 public:
  text_store() noexcept = default;
  ~text_store() {
    while (chunk_ != nullptr) {
      chunk const old = *chunk_;
      unmap_pages(chunk_, old.size);
      chunk_ = old.before;
    }
  }
  text_store(text_store const&) = delete;
  text_store& operator=(text_store const&) = delete;

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
  /// At the begin of each, before its texts.
  struct chunk {
    chunk* before;
    std::size_t size;
  };
  static constexpr std::size_t usual_size = std::size_t{1} << 16;

  bool more(std::size_t size) noexcept {
    const std::size_t wanted =
        size + sizeof(chunk) > usual_size ? whole_pages(size + sizeof(chunk)) : usual_size;
    void* const fresh = map_pages(wanted);
    if (fresh == nullptr) return false;
    chunk_ = ::new (fresh) chunk{.before = chunk_, .size = wanted};
    at_ = static_cast<char*>(fresh) + sizeof(chunk);
    left_ = wanted - sizeof(chunk);
    return true;
  }

  chunk* chunk_ = nullptr;
  char* at_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace memprof::base
