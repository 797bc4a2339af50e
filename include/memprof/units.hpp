// SPDX-License-Identifier: MIT
/// \file
/// Amounts of memory and sampling rates as types: `bytes`, `words`, `sampling_rate`, and literals.
///
///     using namespace memprof::literals;
///     memprof::bytes b = 5_kw;          // words convert to bytes: exact
///     auto w = memprof::ceil_to_words(100_B);   // bytes to words rounds: 13 words
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

#include "memprof/detail/export.hpp"

namespace memprof::inline v0 {

/// An amount of memory in machine words of 8 bytes, signed 64 bits.
///
/// All operations are constexpr and never throw. + - * overflow as std::int64_t does.
class words {
 public:
  constexpr words() noexcept = default;
  constexpr explicit words(std::int64_t count) noexcept : count_(count) {}

  [[nodiscard]] constexpr std::int64_t count() const noexcept { return count_; }

  friend constexpr auto operator<=>(words, words) noexcept = default;
  friend constexpr words operator+(words a, words b) noexcept { return words{a.count_ + b.count_}; }
  friend constexpr words operator-(words a, words b) noexcept { return words{a.count_ - b.count_}; }
  friend constexpr words operator*(words a, std::int64_t n) noexcept { return words{a.count_ * n}; }
  friend constexpr words operator*(std::int64_t n, words a) noexcept { return a * n; }
  friend constexpr words operator/(words a, std::int64_t n) noexcept { return words{a.count_ / n}; }
  friend constexpr std::int64_t operator/(words a, words b) noexcept { return a.count_ / b.count_; }
  constexpr words operator-() const noexcept { return words{-count_}; }
  constexpr words& operator+=(words other) noexcept { return *this = *this + other; }
  constexpr words& operator-=(words other) noexcept { return *this = *this - other; }

 private:
  std::int64_t count_ = 0;
};

/// An amount of memory in bytes, signed 64 bits.
///
/// `words` convert to `bytes` implicitly, because that is exact. A number of words that does not
/// fit becomes the largest (or smallest) `bytes`, which every limit function refuses.
class bytes {
 public:
  constexpr bytes() noexcept = default;
  constexpr explicit bytes(std::int64_t count) noexcept : count_(count) {}
  // NOLINTNEXTLINE(google-explicit-constructor): implicit by contract
  constexpr bytes(words w) noexcept : count_(from_words(w.count())) {}

  [[nodiscard]] constexpr std::int64_t count() const noexcept { return count_; }

  friend constexpr auto operator<=>(bytes, bytes) noexcept = default;
  friend constexpr bytes operator+(bytes a, bytes b) noexcept { return bytes{a.count_ + b.count_}; }
  friend constexpr bytes operator-(bytes a, bytes b) noexcept { return bytes{a.count_ - b.count_}; }
  friend constexpr bytes operator*(bytes a, std::int64_t n) noexcept { return bytes{a.count_ * n}; }
  friend constexpr bytes operator*(std::int64_t n, bytes a) noexcept { return a * n; }
  friend constexpr bytes operator/(bytes a, std::int64_t n) noexcept { return bytes{a.count_ / n}; }
  friend constexpr std::int64_t operator/(bytes a, bytes b) noexcept { return a.count_ / b.count_; }
  constexpr bytes operator-() const noexcept { return bytes{-count_}; }
  constexpr bytes& operator+=(bytes other) noexcept { return *this = *this + other; }
  constexpr bytes& operator-=(bytes other) noexcept { return *this = *this - other; }

 private:
  static constexpr std::int64_t from_words(std::int64_t n) noexcept {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    if (n > most / 8) return most;
    if (n < least / 8) return least;
    return n * 8;
  }

  std::int64_t count_ = 0;
};

/// Whole words in `amount`, rounded towards minus infinity.
[[nodiscard]] constexpr words floor_to_words(bytes amount) noexcept {
  return words{(amount.count() >= 0 ? amount.count() : amount.count() - 7) / 8};
}

/// Least number of words that hold `amount`, for amount >= 0.
[[nodiscard]] constexpr words ceil_to_words(bytes amount) noexcept {
  return words{amount.count() / 8 + (amount.count() % 8 > 0 ? 1 : 0)};
}

/// The words that a block of `size` bytes counts for: ceil(size / 8) + 1; the 1 is for its header.
///
/// `new` of zero bytes counts 1, and counts do not depend on the allocator.
[[nodiscard]] constexpr words block_words(bytes size) noexcept {
  return ceil_to_words(size) + words{1};
}

/// Probability p per word with which an allocation is sampled.
///
///     memprof::sampling_rate r{1e-4};  // one sample in 10 000 words on average
///     auto q = memprof::sampling_rate::every(memprof::words{10'000});  // by its mean interval
class sampling_rate {
 public:
  /// \param per_word in [0, 1]. 0: nothing is sampled. 1: every word is, and all counts are exact.
  /// \throws std::invalid_argument if outside, or not a number.
  constexpr explicit sampling_rate(double per_word) : per_word_(per_word) {
    if (!(per_word >= 0.0 && per_word <= 1.0)) throw_out_of_range(per_word);
  }

  /// The rate with one sample every `interval` on average.
  ///
  /// \param interval at least 8 bytes (one word).
  /// \throws std::invalid_argument if shorter.
  static constexpr sampling_rate every(bytes interval) {
    return sampling_rate{8.0 / static_cast<double>(interval.count())};
  }

  [[nodiscard]] constexpr double per_word() const noexcept { return per_word_; }

  /// S = 1/p, to the nearest word; the largest `words` at rate 0.
  [[nodiscard]] constexpr words mean_interval() const noexcept {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    if (per_word_ <= 1.0 / 9.0e18) return words{most};
    return words{static_cast<std::int64_t>(1.0 / per_word_ + 0.5)};
  }

  friend constexpr auto operator<=>(sampling_rate, sampling_rate) noexcept = default;

 private:
  [[noreturn]] MEMPROF_API static void throw_out_of_range(double per_word);

  double per_word_;
};

/// One sample in 10 000 words (80 kB): no measurable cost in real programs.
inline constexpr sampling_rate default_sampling_rate{1e-4};

namespace detail {

// Not constexpr on purpose: reaching it makes a literal that does not fit a compile error.
void literal_out_of_range();

consteval std::int64_t scaled_literal(unsigned long long n, std::int64_t unit) {
  const auto most = static_cast<unsigned long long>(std::numeric_limits<std::int64_t>::max());
  if (n > most / static_cast<unsigned long long>(unit)) literal_out_of_range();
  return static_cast<std::int64_t>(n) * unit;
}

}  // namespace detail

/// `64_B 10_KiB 10_MiB 2_GiB` are `bytes`; `500_w 100_kw 5_Mw` are `words` (1 kw = 1000 words).
inline namespace literals {

consteval bytes operator""_B(unsigned long long n) { return bytes{detail::scaled_literal(n, 1)}; }
consteval bytes operator""_KiB(unsigned long long n) {
  return bytes{detail::scaled_literal(n, std::int64_t{1} << 10)};
}
consteval bytes operator""_MiB(unsigned long long n) {
  return bytes{detail::scaled_literal(n, std::int64_t{1} << 20)};
}
consteval bytes operator""_GiB(unsigned long long n) {
  return bytes{detail::scaled_literal(n, std::int64_t{1} << 30)};
}
consteval words operator""_w(unsigned long long n) { return words{detail::scaled_literal(n, 1)}; }
consteval words operator""_kw(unsigned long long n) {
  return words{detail::scaled_literal(n, 1'000)};
}
consteval words operator""_Mw(unsigned long long n) {
  return words{detail::scaled_literal(n, 1'000'000)};
}

}  // namespace literals
}  // namespace memprof::inline v0
