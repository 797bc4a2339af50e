// SPDX-License-Identifier: MIT
#include "endpoints/stack_rows.hpp"

#include <algorithm>
#include <cstring>
#include <sched.h>

#include "callstack/callstack.hpp"

namespace memprof::endpoints {

/// What an allocation looks for.
struct stack_rows::wanted {
  std::span<std::uintptr_t const> frames;
  std::uint64_t what;
  std::uint64_t hash;
};

/// f(pool) with the pool for stacks of this length.
template <class F>
void stack_rows::with_pool(pools& all, std::size_t length, F f) noexcept {
  if (length <= 8) return f(std::get<0>(all));
  if (length <= 16) return f(std::get<1>(all));
  if (length <= 32) return f(std::get<2>(all));
  if (length <= 64) return f(std::get<3>(all));
  f(std::get<4>(all));
}

bool stack_rows::begin() noexcept {
  if (rows_.load(relaxed) != nullptr) return true;
  void* const pages = base::map_pages(size() * sizeof(row));
  if (pages == nullptr) return false;
  rows_.store(static_cast<row*>(pages), std::memory_order_release);  // zeroed: uncommitted
  return true;
}

std::uintptr_t* stack_rows::frames_at(std::uint64_t stack) noexcept {
  std::uintptr_t* frames = nullptr;
  with_pool(pools_, stack >> 32,
            [&](auto& p) noexcept { frames = p[static_cast<std::uint32_t>(stack)].data(); });
  return frames;
}

/// False: there is no room.
bool stack_rows::keep_frames(row& r, std::span<std::uintptr_t const> frames) noexcept {
  std::uint32_t index = 0;
  with_pool(pools_, frames.size(), [&](auto& p) noexcept {
    constexpr std::size_t size = sizeof p[0];
    if (bytes_.fetch_add(size, relaxed) + size <= most_bytes_) index = p.acquire();
    if (index == 0) bytes_.fetch_sub(size, relaxed);
  });
  if (index == 0) return false;
  const std::uint64_t stack = std::uint64_t{frames.size()} << 32 | index;
  std::memcpy(frames_at(stack), frames.data(), frames.size_bytes());
  r.stack.store(stack, relaxed);
  return true;
}

void stack_rows::drop_frames(row& r) noexcept {
  const std::uint64_t stack = r.stack.exchange(0, relaxed);
  with_pool(pools_, stack >> 32, [&](auto& p) noexcept {
    bytes_.fetch_sub(sizeof p[0], relaxed);
    p.release(static_cast<std::uint32_t>(stack));
  });
}

/// Adds a live block if the row is that of `w`: nobody takes it away from then on.
bool stack_rows::take_part(row& r, wanted const& w) noexcept {
  std::uint64_t state = r.state.load(std::memory_order_acquire);
  do {
    if ((state & changing) != 0 || r.hash.load(relaxed) != w.hash) return false;
  } while (!r.state.compare_exchange_weak(state, (state + 1) | recent, std::memory_order_acq_rel));
  const std::uint64_t stack = r.stack.load(relaxed);
  if (r.hash.load(relaxed) == w.hash && r.what.load(relaxed) == w.what &&
      stack >> 32 == w.frames.size() &&
      std::memcmp(frames_at(stack), w.frames.data(), w.frames.size_bytes()) == 0) {
    return true;
  }
  r.state.fetch_sub(1, std::memory_order_release);
  return false;
}

/// Makes a free place the row of `w`, with one live block. False: another one's, or no room.
bool stack_rows::fill(row& r, wanted const& w) noexcept {
  std::uint64_t state = r.state.load(relaxed);
  if ((state & (changing | live_blocks)) != 0) return false;
  if (!r.state.compare_exchange_strong(state, state | changing, std::memory_order_acq_rel)) {
    return false;
  }
  if (r.hash.load(relaxed) >= least_hash || !keep_frames(r, w.frames)) {
    r.state.store(state, std::memory_order_release);
    return false;
  }
  r.what.store(w.what, relaxed);
  r.hash.store(w.hash, relaxed);
  used_.fetch_add(1, relaxed);
  const std::uint64_t generation = (state + live_blocks + 1) & generations;
  r.state.store(generation | recent | 1, std::memory_order_release);
  return true;
}

/// Two threads that look for the same new row at once may make one each: both are right.
std::uint32_t stack_rows::find(wanted const& w) noexcept {
  row* const rows = rows_.load(std::memory_order_acquire);
  const std::size_t first = w.hash >> (64 - bits_);
  const auto at = [&](std::size_t i) { return (first + i) & (places() - 1); };
  std::size_t free = longest_search;
  for (std::size_t i = 0; i < longest_search; ++i) {
    row& r = rows[at(i)];
    const std::uint64_t hash = r.hash.load(relaxed);
    if (hash == w.hash && take_part(r, w)) return static_cast<std::uint32_t>(at(i));
    if (hash < least_hash) free = std::min(free, i);
    if (hash == none) break;
  }
  // Half of the places at most, so that searches are short.
  for (; free < longest_search && used_.load(relaxed) < places() / 2; ++free) {
    row& r = rows[at(free)];
    if (r.hash.load(relaxed) < least_hash && fill(r, w)) {
      return static_cast<std::uint32_t>(at(free));
    }
  }
  return rest_of(w.what & live_blocks);
}

stack_rows::place stack_rows::allocate(std::span<std::uintptr_t const> frames, std::uint32_t labels,
                                       std::uint64_t words, std::uint64_t samples) noexcept {
  make_room();
  words = std::min(words, (std::uint64_t{1} << word_bits) - 1);
  labels = std::min(labels, (std::uint32_t{1} << label_bits) - 1);
  frames = frames.first(std::min(frames.size(), most_frames));
  const std::uint64_t what = std::uint64_t{labels} << 32 | words;
  const std::uint64_t hash =
      (callstack::hash_of(frames) ^ what * 0x9e37'79b9'7f4a'7c15u) * 0xff51'afd7'ed55'8ccdu;
  const std::uint32_t index = frames.empty()
                                  ? rest_of(words)
                                  : find({frames, what, std::max(hash, std::uint64_t{least_hash})});
  row& r = rows_.load(relaxed)[index];
  r.allocated.fetch_add(samples, relaxed);
  return {index, index < places() ? name_of(index, r.state.load(relaxed)) : 0};
}

void stack_rows::free(std::uint32_t index, std::uint64_t samples) noexcept {
  row& r = rows_.load(relaxed)[index];
  r.freed.fetch_add(samples, relaxed);
  if (index < places()) r.state.fetch_sub(1, std::memory_order_release);
}

void stack_rows::make_room() noexcept {
  const std::uint64_t full = places() / 2;
  if (used_.load(relaxed) < full / 4 * 3 && bytes_.load(relaxed) < most_bytes_ / 4 * 3) return;
  if (sweeping_.exchange(true, std::memory_order_seq_cst)) return;
  // Who begins to read later waits until the end of this; who reads already is seen here.
  if (readers_.load(std::memory_order_seq_cst) == 0) {
    for (std::uint32_t i = 0; i < swept_at_once; ++i) {
      sweep(hand_ = (hand_ + 1) & static_cast<std::uint32_t>(places() - 1));
    }
  }
  sweeping_.store(false, std::memory_order_release);
}

void stack_rows::sweep(std::uint32_t index) noexcept {
  row* const rows = rows_.load(relaxed);
  row& r = rows[index];
  std::uint64_t state = r.state.load(std::memory_order_acquire);
  if (r.hash.load(relaxed) < least_hash || (state & (changing | live_blocks)) != 0) return;
  if ((state & recent) != 0) {
    r.state.compare_exchange_strong(state, state & ~recent, relaxed);
    return;
  }
  if (!r.state.compare_exchange_strong(state, state | changing, std::memory_order_acq_rel)) return;
  row& rest = rows[rest_of(r.what.load(relaxed) & live_blocks)];
  rest.allocated.fetch_add(r.allocated.exchange(0, relaxed), relaxed);
  rest.freed.fetch_add(r.freed.exchange(0, relaxed), relaxed);
  drop_frames(r);
  r.hash.store(was_used, relaxed);
  used_.fetch_sub(1, relaxed);
  removed_.fetch_add(1, relaxed);
  r.state.store(state, std::memory_order_release);
}

profile_row stack_rows::copy_of(std::uint32_t index) const noexcept {
  row const& r = rows_.load(std::memory_order_acquire)[index];
  profile_row to{.index = index};
  const std::uint64_t state = r.state.load(std::memory_order_acquire);
  const std::uint64_t freed = r.freed.load(std::memory_order_acquire);
  to.allocated = r.allocated.load(relaxed);
  to.in_use = to.allocated - std::min(freed, to.allocated);
  if (index >= places()) {  // the middle of [2^(k - 1), 2^k)
    const std::uint64_t k = index - places();
    to.words = k < 2 ? 1 : (std::uint64_t{3} << (k - 2));
    return to;
  }
  const std::uint64_t what = r.what.load(relaxed);
  to.stack = name_of(index, state);
  to.labels = static_cast<std::uint32_t>(what >> 32);
  to.words = std::max<std::uint64_t>(1, what & live_blocks);
  const bool is_free = r.hash.load(std::memory_order_acquire) < least_hash;
  const std::uint64_t behind = r.state.load(relaxed);
  if (is_free || ((state | behind) & changing) != 0 || name_of(index, behind) != to.stack) {
    to.allocated = 0;  // it has just become another one's
  }
  return to;
}

std::span<std::uintptr_t const> stack_rows::frames_of(std::uint64_t name) noexcept {
  row* const rows = rows_.load(std::memory_order_acquire);
  const std::uint64_t index = (name & ((1u << index_bits) - 1)) - 1;
  if (rows == nullptr || index >= places()) return {};  // 0, too
  row& r = rows[index];
  const std::uint64_t state = r.state.load(std::memory_order_acquire);
  if ((state & changing) != 0 || name_of(static_cast<std::uint32_t>(index), state) != name) {
    return {};
  }
  const std::uint64_t stack = r.stack.load(relaxed);
  if (stack == 0) return {};
  return {frames_at(stack), static_cast<std::size_t>(stack >> 32)};
}

stack_rows::holding::holding(stack_rows& rows) noexcept : rows_(rows) {
  rows_.readers_.fetch_add(1, std::memory_order_seq_cst);
  while (rows_.sweeping_.load(std::memory_order_seq_cst)) sched_yield();
}

}  // namespace memprof::endpoints
