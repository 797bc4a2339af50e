// SPDX-License-Identifier: MIT
/// \file
/// A short text that any thread may read while another replaces it, without a lock.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace memprof::base {

/// A text and a number beside it, under a version that grows by 2 with each change. Nobody waits:
/// a reader gets the whole text or none, and who would replace it while another does gives up.
///
/// \note Threads: any, also in signal handlers. Begins empty; zeroed memory is one, too.
class versioned_text {
 public:
  static constexpr std::size_t longest = 120;

  struct contents {
    std::uint32_t version;
    std::int64_t number;
    std::size_t length;
    std::array<char, longest> characters;

    [[nodiscard]] std::string_view text() const noexcept { return {characters.data(), length}; }
  };

  /// \param text beyond `longest` bytes the rest is left out.
  /// \return the new version; 0: another replaces it just now, and nothing was changed.
  std::uint32_t replace(std::string_view text, std::int64_t number) noexcept {
    std::uint32_t seen = version_.load(std::memory_order_relaxed);
    // Acquire: what follows is not seen before the odd version.
    if (seen % 2 != 0 ||
        !version_.compare_exchange_strong(seen, seen + 1, std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
      return 0;
    }
    text = text.substr(0, longest);
    // Each store is a release: a reader that finds it finds the odd version, too. (Fences would do
    // as well, but the thread sanitizer of g++ does not know them.)
    for (std::size_t i = 0; i * sizeof(word) < text.size(); ++i) {
      word w = 0;
      const std::string_view part = text.substr(i * sizeof(word), sizeof(word));
      std::memcpy(&w, part.data(), part.size());
      words_[i].store(w, std::memory_order_release);
    }
    length_.store(static_cast<std::uint32_t>(text.size()), std::memory_order_release);
    number_.store(number, std::memory_order_release);
    version_.store(seen + 2, std::memory_order_release);
    return seen + 2;
  }

  /// nullopt: it was replaced meanwhile, or is just now.
  [[nodiscard]] std::optional<contents> read() const noexcept {
    contents c{};
    c.version = version_.load(std::memory_order_acquire);
    if (c.version % 2 != 0) return std::nullopt;
    c.number = number_.load(std::memory_order_acquire);
    c.length = std::min<std::size_t>(length_.load(std::memory_order_acquire), longest);
    for (std::size_t i = 0; i * sizeof(word) < c.length; ++i) {
      const word w = words_[i].load(std::memory_order_acquire);
      std::memcpy(c.characters.data() + i * sizeof(word), &w, sizeof w);
    }
    if (version_.load(std::memory_order_relaxed) != c.version) return std::nullopt;
    return c;
  }

  [[nodiscard]] std::uint32_t version() const noexcept {
    return version_.load(std::memory_order_acquire);
  }

  /// In a forked child: a text that a thread of the parent was replacing is empty.
  void repair_after_fork() noexcept {
    const std::uint32_t seen = version_.load(std::memory_order_relaxed);
    if (seen % 2 == 0) return;
    length_.store(0, std::memory_order_release);
    version_.store(seen + 1, std::memory_order_release);
  }

 private:
  using word = std::uint64_t;
  static_assert(longest % sizeof(word) == 0);

  std::atomic<std::uint32_t> version_{0};  ///< odd while the rest changes
  std::atomic<std::uint32_t> length_{0};
  std::atomic<std::int64_t> number_{0};
  std::array<std::atomic<word>, longest / sizeof(word)> words_{};
};

}  // namespace memprof::base
