// SPDX-License-Identifier: MIT
#include "endpoints/live_profile.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <mutex>
#include <new>
#include <pthread.h>

#include "memprof/process.hpp"
#include "memprof/sampling.hpp"

#include "base/base.hpp"
#include "callstack/callstack.hpp"

namespace memprof::endpoints {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

/// key         | stack: 23 | labels: 10 | words: 31 |; 0: free. Published by a compare-exchange
/// before anything
///             is added; `allocated` and `freed` order nothing.
struct row {
  std::atomic<std::uint64_t> key{0};
  std::atomic<std::uint64_t> allocated{0};
  std::atomic<std::uint64_t> freed{0};
};

constexpr std::size_t row_bits = 17;
constexpr std::size_t hashed_rows = std::size_t{1} << row_bits;
constexpr std::size_t longest_search = 64;
constexpr unsigned word_bits = 31;
constexpr unsigned label_bits = 10;
constexpr std::uint64_t most_words = (std::uint64_t{1} << word_bits) - 1;
constexpr std::uint64_t most_labels = (std::uint64_t{1} << label_bits) - 1;
/// Behind the hashed rows one for each power of two.
constexpr std::size_t all_rows = hashed_rows + 33;
constexpr std::uint32_t stack_chunks = 64;  // 64 MiB
static_assert(std::uint64_t{stack_chunks} * callstack::stack_table::chunk_words <=
              std::uint64_t{1} << (64 - word_bits - label_bits));
constexpr std::size_t frames_kept = 128;

struct state {
  std::atomic<row*> rows{nullptr};
  std::atomic<std::uint32_t> used{0};  ///< hashed rows
  std::atomic<double> per_word{0};
  std::atomic<std::uint64_t> allocated{0};
  std::atomic<std::uint64_t> without_stack{0};
  std::atomic<bool> collecting{false};  ///< publishes `began`
  std::chrono::system_clock::time_point began;
  std::chrono::steady_clock::time_point steady_began;
  /// Never destroyed: blocks are freed until the very end of the process.
  profile const* sampling = nullptr;
};

constinit state collected;
constinit callstack::stack_table stacks{stack_chunks};
constinit block_lives lives;
/// Guards the start of the profile. A fork waits for it, so that it is not held in a child for
/// ever.
constinit std::mutex starting;
[[maybe_unused]] int const watching_fork_for_start =
    pthread_atfork([] { starting.lock(); }, [] { starting.unlock(); }, [] { starting.unlock(); });

/// What is kept for a tracked block.
struct block {
  std::uint32_t row = 0;
  std::uint64_t samples = 0;
  kept_life life;
};
static_assert(sizeof(block) <= 32, "else each has a block of the heap");

/// Microseconds since collecting began.
std::int64_t time_of_lives() noexcept {
  const auto passed = std::chrono::steady_clock::now() - collected.steady_began;
  return std::chrono::duration_cast<std::chrono::microseconds>(passed).count();
}

std::uint32_t row_of_rest(std::uint64_t words) noexcept {
  return static_cast<std::uint32_t>(hashed_rows) +
         static_cast<std::uint32_t>(std::bit_width(words));
}

/// Half of a table of rows at most, so that searches are short.
std::uint32_t find_row(std::uint32_t stack, std::uint64_t labels, std::uint64_t words) noexcept {
  words = std::min(words, most_words);
  const std::uint64_t key = std::uint64_t{stack} << (word_bits + label_bits) |
                            std::min(labels, most_labels) << word_bits | words;
  std::size_t at = (key * 0x9e37'79b9'7f4a'7c15U) >> (64 - row_bits);
  row* const rows = collected.rows.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < longest_search; ++i, at = (at + 1) % hashed_rows) {
    std::uint64_t seen = rows[at].key.load(relaxed);
    if (seen == 0) {
      if (stack == 0 || collected.used.load(relaxed) >= hashed_rows / 2) break;
      if (rows[at].key.compare_exchange_strong(seen, key, relaxed)) {
        collected.used.fetch_add(1, relaxed);
        return static_cast<std::uint32_t>(at);
      }
    }
    if (seen == key) return static_cast<std::uint32_t>(at);
  }
  return row_of_rest(words);
}

constexpr std::uint8_t minor = 0, major = 1, external = 2;

std::optional<block> on_allocated(allocation const& a, std::uint8_t heap) noexcept {
  std::array<std::uintptr_t, frames_kept> frames;
  const std::size_t count = std::min(a.callstack.size(), frames.size());
  for (std::size_t i = 0; i < count; ++i) {
    frames[i] = reinterpret_cast<std::uintptr_t>(a.callstack[i]);
  }
  const std::uint32_t stack = stacks.intern({frames.data(), count});
  const auto words = static_cast<std::uint64_t>(a.size.count()) + 1;
  const std::uint32_t index = find_row(stack, a.labels, words);
  collected.rows.load(relaxed)[index].allocated.fetch_add(a.n_samples, relaxed);
  collected.allocated.fetch_add(a.n_samples, relaxed);
  if (index >= hashed_rows) collected.without_stack.fetch_add(a.n_samples, relaxed);
  if (a.source == allocation_source::external) heap = external;
  const kept_life life = lives.begin(
      {.words = words, .samples = a.n_samples, .stack = stack, .heap = heap}, time_of_lives());
  return block{.row = index, .samples = a.n_samples, .life = life};
}

std::optional<block> on_promoted(block const& b) noexcept {
  lives.promote(b.life, time_of_lives());
  return b;
}

void on_freed(block const& b) noexcept {
  lives.end(b.life, time_of_lives());
  collected.rows.load(relaxed)[b.row].freed.fetch_add(b.samples, relaxed);
}

void start_profile(sampling_rate rate) {
  if (collected.rows.load(relaxed) == nullptr) {
    void* const pages = base::map_pages(all_rows * sizeof(row));
    if (pages == nullptr) throw std::bad_alloc();
    collected.rows.store(new (pages) row[all_rows], std::memory_order_release);
  }
  collected.per_word.store(rate.per_word(), relaxed);
  collected.began = std::chrono::system_clock::now();
  collected.steady_began = std::chrono::steady_clock::now();
  collected.sampling = new profile(
      start(rate,
            tracker<block, block>{
                .alloc_minor = [](allocation const& a) { return on_allocated(a, minor); },
                .alloc_major = [](allocation const& a) { return on_allocated(a, major); },
                .promote = on_promoted,
                .dealloc_minor = on_freed,
                .dealloc_major = on_freed,
            },
            frames_kept));
}

}  // namespace

void begin_collecting(std::optional<sampling_rate> rate) {
  if (collected.collecting.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(starting);
  if (collected.collecting.load(relaxed)) return;
  sampling_rate chosen = rate.value_or(process_sampling_rate());
  if (!rate && chosen.per_word() <= 0) chosen = default_sampling_rate;
  start_profile(chosen);
  collected.collecting.store(true, std::memory_order_release);
}

std::optional<collected_samples> samples_collected() noexcept {
  if (!collected.collecting.load(std::memory_order_acquire)) return std::nullopt;
  return collected_samples{.per_word = collected.per_word.load(relaxed),
                           .allocated = collected.allocated.load(relaxed),
                           .without_stack = collected.without_stack.load(relaxed)};
}

profile_snapshot take_snapshot() {
  profile_snapshot result{.per_word = collected.per_word.load(relaxed),
                          .began = collected.began,
                          .taken = std::chrono::system_clock::now(),
                          .rows = {}};
  result.rows.reserve(collected.used.load(relaxed) + (all_rows - hashed_rows));
  row const* const rows = collected.rows.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < all_rows; ++i) {
    profile_row to{.index = static_cast<std::uint32_t>(i)};
    const std::uint64_t freed = rows[i].freed.load(std::memory_order_acquire);
    to.allocated = rows[i].allocated.load(relaxed);
    if (to.allocated == 0) continue;
    to.in_use = to.allocated - std::min(freed, to.allocated);
    if (i < hashed_rows) {
      const std::uint64_t key = rows[i].key.load(relaxed);
      to.stack = static_cast<std::uint32_t>(key >> (word_bits + label_bits));
      to.labels = static_cast<std::uint32_t>(key >> word_bits & most_labels);
      to.words = std::max<std::uint64_t>(1, key & most_words);
    } else {  // the middle of [2^(k - 1), 2^k)
      const std::uint64_t k = i - hashed_rows;
      to.words = k < 2 ? 1 : (std::uint64_t{3} << (k - 2));
    }
    result.rows.push_back(to);
  }
  return result;
}

std::span<std::uintptr_t const> frames_of_stack(std::uint32_t stack) noexcept {
  return stacks.frames_of(stack);
}

void watch_blocks(std::chrono::microseconds for_another) noexcept {
  const std::int64_t now = time_of_lives();
  static_cast<void>(lives.watch(now, now + for_another.count()));
}

block_snapshot take_block_snapshot(std::chrono::microseconds for_another) {
  watch_blocks(for_another);
  const std::int64_t now = time_of_lives();
  return {.per_word = collected.per_word.load(relaxed),
          .began = collected.began,
          .taken = now,
          .lives = lives.snapshot(now)};
}

std::uint64_t block_changes() noexcept { return lives.changes(); }

}  // namespace memprof::endpoints
