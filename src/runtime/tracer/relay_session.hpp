// SPDX-License-Identifier: MIT
/// \file
/// A trace that a recorder outside of this process writes: `memprof record`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "relay/relay.hpp"
#include "tracer/announced_modules.hpp"
#include "tracer/traced_block.hpp"

namespace memprof::tracer {

/// There is one, for ever. No thread, no file, no destructor: what was pushed is the recorder's.
struct relay_session {
  relay::mapped_area area;
  double rate = 0.0;
  std::size_t callstack_size = 0;
  /// Of this process; null: it is not recorded.
  std::atomic<relay::channel*> channel{nullptr};
  /// Number of the recording in this process: one more in each forked child. A block that was
  /// recorded under another number is not known to the recorder of this one.
  std::atomic<std::uint32_t> number{0};
  late_list late;
  /// Microseconds that threads may still wait for a recorder that is stuck.
  std::atomic<std::int64_t> patience{0};
  announced_modules modules;
  /// In a page that the kernel zeroes in a child: 1 in the process that has `channel`. Null where
  /// the kernel cannot do that.
  std::atomic<std::uint32_t>* ours = nullptr;
};

extern constinit relay_session the_relay;

/// For the preload library, when it is loaded: begins to push what is sampled, if MEMPROF_RECORDER
/// names a recorder that can be reached, and this process is to be recorded.
///
/// returns     whether it is recorded.
bool start_relay(double rate, std::size_t callstack_size) noexcept;

/// In a child that was forked behind the C library's back, when its first event is seen. One
/// thread takes a channel; others find none until it has.
void relay_in_unseen_child() noexcept;

/// The channel of this process; null: none.
inline relay::channel* relay_channel() noexcept {
  relay_session& s = the_relay;
  if (s.ours != nullptr && s.ours->load(std::memory_order_relaxed) != 1) [[unlikely]] {
    relay_in_unseen_child();
    if (s.ours->load(std::memory_order_acquire) != 1) return nullptr;
  }
  relay::channel* const c = s.channel.load(std::memory_order_acquire);
  if (c == nullptr || s.area.shared->shared.closed.load(std::memory_order_relaxed) != 0) {
    return nullptr;
  }
  return c;
}

}  // namespace memprof::tracer
