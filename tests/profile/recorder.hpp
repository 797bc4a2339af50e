// SPDX-License-Identifier: MIT
/// \file
/// A tracker that writes down what happens to each block, and finds what must not happen.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "memprof/process.hpp"
#include "memprof/sampling.hpp"

#include "support/allocate.hpp"

namespace memprof::test {

/// The steps of each block are kept in tables made before the profile, since nothing that a
/// callback does may depend on what is tested. `order` counts steps that came in a wrong order.
class recorder {
 public:
  enum class step : std::uint8_t { none, minor, major, promoted, dead };

  std::atomic<std::uint64_t> minors{0}, majors{0}, promotions{0}, minor_frees{0}, major_frees{0};
  std::atomic<std::uint64_t> samples{0}, samples_minor{0}, samples_major{0};
  std::atomic<std::int64_t> size_words{0};
  std::atomic<std::uint64_t> order{0}, nested{0};
  std::atomic<std::uint32_t> last_source{99};

  [[nodiscard]] std::uint64_t allocs() const { return minors + majors; }
  [[nodiscard]] std::uint64_t frees() const { return minor_frees + major_frees; }

  [[nodiscard]] memprof::tracker<std::uint32_t, std::uint32_t> tracker() {
    return {.alloc_minor = [this](allocation const& a) { return note(a, step::minor); },
            .alloc_major = [this](allocation const& a) { return note(a, step::major); },
            .promote =
                [this](std::uint32_t block) {
                  ++promotions;
                  move(block, step::minor, step::minor, step::promoted);
                  return std::optional{block};
                },
            .dealloc_minor =
                [this](std::uint32_t block) {
                  ++minor_frees;
                  move(block, step::minor, step::minor, step::dead);
                },
            .dealloc_major =
                [this](std::uint32_t block) {
                  ++major_frees;
                  move(block, step::major, step::promoted, step::dead);
                }};
  }

 private:
  static constexpr std::uint32_t room = 1u << 21;
  // Not constexpr: the compiler would make all these elements itself, which takes it longest.
  static std::size_t number_of_steps() { return room; }

  std::optional<std::uint32_t> note(allocation const& a, step first) {
    if (inside_) ++nested;
    inside_ = true;
    (first == step::minor ? minors : majors)++;
    (first == step::minor ? samples_minor : samples_major) += a.n_samples;
    samples += a.n_samples;
    size_words += a.size.count();
    last_source = static_cast<std::uint32_t>(a.source);
    const std::uint32_t block = next_++;
    if (block >= room) return std::nullopt;
    steps_[block] = first;
    inside_ = false;
    return block;
  }

  void move(std::uint32_t block, step from, step or_from, step to) {
    if (inside_) ++nested;
    const step before = steps_[block].exchange(to);
    if (before != from && before != or_from) ++order;
  }

  std::atomic<std::uint32_t> next_{0};
  std::unique_ptr<std::atomic<step>[]> steps_ =
      std::make_unique<std::atomic<step>[]>(number_of_steps());
  inline static thread_local bool inside_ = false;
};

/// The process's rate is 0: only consumers with a rate of their own get samples.
struct profile_alone : with_seed {
  explicit profile_alone(std::uint64_t seed = 1) : with_seed(seed) {
    set_process_sampling_rate(sampling_rate{0.0});
  }
};

}  // namespace memprof::test
