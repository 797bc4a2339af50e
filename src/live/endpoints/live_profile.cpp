// SPDX-License-Identifier: MIT
#include "endpoints/live_profile.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>
#include <pthread.h>

#include "memprof/process.hpp"
#include "memprof/sampling.hpp"

namespace memprof::endpoints {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

constexpr std::size_t frames_kept = stack_rows::most_frames;

struct state {
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
constinit stack_rows rows;
constinit block_lives lives;
/// Guards the start of the profile. A fork waits for it, so that it is not held in a child for
/// ever.
constinit std::mutex starting;
[[maybe_unused]] int const watching_fork_for_start =
    pthread_atfork([] { starting.lock(); }, [] { starting.unlock(); },
                   [] {
                     rows.forget_others();
                     starting.unlock();
                   });

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

constexpr std::uint8_t minor = 0, major = 1, external = 2;

std::optional<block> on_allocated(allocation const& a, std::uint8_t heap) noexcept {
  std::array<std::uintptr_t, frames_kept> frames;
  const std::size_t count = std::min(a.callstack.size(), frames.size());
  for (std::size_t i = 0; i < count; ++i) {
    frames[i] = reinterpret_cast<std::uintptr_t>(a.callstack[i]);
  }
  const auto words = static_cast<std::uint64_t>(a.size.count()) + 1;
  const stack_rows::place at = rows.allocate({frames.data(), count}, a.labels, words, a.n_samples);
  collected.allocated.fetch_add(a.n_samples, relaxed);
  if (at.stack == 0) collected.without_stack.fetch_add(a.n_samples, relaxed);
  if (a.source == allocation_source::external) heap = external;
  const kept_life life = lives.begin(
      {.words = words, .samples = a.n_samples, .stack = at.stack, .heap = heap}, time_of_lives());
  return block{.row = at.index, .samples = a.n_samples, .life = life};
}

std::optional<block> on_promoted(block const& b) noexcept {
  lives.promote(b.life, time_of_lives());
  return b;
}

void on_freed(block const& b) noexcept {
  lives.end(b.life, time_of_lives());
  rows.free(b.row, b.samples);
}

void start_profile(sampling_rate rate) {
  if (!rows.begin()) throw std::bad_alloc();
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
  result.rows.reserve(rows.used());
  rows.for_each([&](profile_row const& r) { result.rows.push_back(r); });
  return result;
}

stack_rows::holding hold_stacks() noexcept { return stack_rows::holding(rows); }

std::span<std::uintptr_t const> frames_of_stack(std::uint64_t stack) noexcept {
  return rows.frames_of(stack);
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
