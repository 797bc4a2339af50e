// SPDX-License-Identifier: MIT
/// \file
/// Allocation as the tests of the limits need it: counted, never elided, the same in both programs.
///
/// Tests of `tests/limits` and others are linked twice. With memprof::memprof, `allocate` calls
/// `::operator new` (source/replaced.cpp). With memprof::core alone nothing is replaced, and
/// `allocate` takes from a `memprof::memory_resource` that lives as long as the process
/// (source/explicit.cpp).
///
/// A task of a test must not contain Catch2 assertions: they allocate, and in the first program
/// that is charged to the task. Keep what was seen in variables, and check after the task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "memprof/limits.hpp"
#include "memprof/process.hpp"
#include "memprof/units.hpp"

namespace memprof::test {

/// Whether operator new and malloc feed the sampler.
extern bool const replaced;

/// A block that counts 8 words: what most tests allocate.
inline constexpr std::size_t small_block = 56;
inline constexpr words small_words = block_words(bytes{56});
/// A block that counts 8192 words: major at once.
inline constexpr std::size_t major_block = 65'536 - 8;

/// A delivery point. Out of line, so that no compiler elides or merges it.
void* allocate(std::size_t size);
/// Gives back what `allocate(size)` returned; null: nothing.
void release(void* block, std::size_t size) noexcept;

/// Allocates exactly `total` counted words in blocks of `size` bytes (the last one may be smaller),
/// and frees each at once.
void churn(words total, std::size_t size = small_block);

/// Allocates and frees one block of `size` bytes after the other, adding to `granted` the words of
/// each one it got, until it is interrupted or `granted` is `most` or more.
void churn_until(words most, words& granted, std::size_t size = small_block);

/// Keeps blocks live until it is destroyed. Needs no memory besides them.
class holder {
 public:
  holder() noexcept = default;
  ~holder() { clear(); }
  holder(holder const&) = delete;
  holder& operator=(holder const&) = delete;

  /// One block more. size >= 16.
  void add(std::size_t size);
  /// Blocks of `size` bytes until they count `total` words or more.
  void fill(words total, std::size_t size = small_block);
  /// Counted words of all that it keeps.
  [[nodiscard]] words held() const noexcept { return held_; }
  void clear() noexcept;

 private:
  struct link {
    link* next;
    std::size_t size;
  };
  link* first_ = nullptr;
  words held_{};
};

/// Runs `f` in a thread of its own; gives its result, or throws what it threw.
template <class F>
auto in_thread(F&& f) -> std::invoke_result_t<F> {
  using value_type = std::invoke_result_t<F>;
  std::exception_ptr failure;
  if constexpr (std::is_void_v<value_type>) {
    std::thread([&] {
      try {
        std::forward<F>(f)();
      } catch (...) {
        failure = std::current_exception();
      }
    }).join();
    if (failure) std::rethrow_exception(failure);
  } else {
    std::optional<value_type> value;
    std::thread([&] {
      try {
        value.emplace(std::forward<F>(f)());
      } catch (...) {
        failure = std::current_exception();
      }
    }).join();
    if (failure) std::rethrow_exception(failure);
    return *std::move(value);
  }
}

/// Runs f(0) ... f(n - 1) in threads of their own, at the same time.
template <class F>
void in_threads(std::size_t n, F const& f) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < n; ++i) threads.emplace_back([&f, i] { f(i); });
  for (auto& thread : threads) thread.join();
}

/// A replayable test: seeds this thread, sets the rate at which limits count, and puts all that is
/// process-wide back at its end.
class with_seed {
 public:
  explicit with_seed(std::uint64_t seed, sampling_rate limits = default_sampling_rate);
  ~with_seed();
  with_seed(with_seed const&) = delete;
  with_seed& operator=(with_seed const&) = delete;

 private:
  sampling_rate process_rate_ = process_sampling_rate();
  words nursery_ = nursery();
};

/// Every word is sampled, so that all counts and estimates of what is allocated from now on are
/// exact.
struct exactly : with_seed {
  exactly() : with_seed(1, sampling_rate{1.0}) { set_process_sampling_rate(sampling_rate{1.0}); }
};

}  // namespace memprof::test
