// SPDX-License-Identifier: MIT
/// \file
/// Where the records of this process go: into memory that it shares with a recorder outside
/// (`memprof record`), or, for a trace that it writes itself (session.hpp), into memory of its own.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "relay/relay.hpp"
#include "tracer/announced_modules.hpp"
#include "tracer/traced_block.hpp"

namespace memprof::tracer {

/// Memory that records are pushed into, and who uses it.
///
///     free (no area) ---> current ---> retired, until nobody uses it ---> free
///
/// A recorder that attached to a running process leaves it again, and a trace ends. Its memory is
/// then unmapped: threads that use it are counted, and whoever finds the last of them gone unmaps
/// it. Nobody waits for them. One that left our code by a longjmp stays counted, and the memory
/// mapped.
struct relay_memory {
  std::atomic<relay::area*> area{nullptr};
  std::size_t channels = 0;  ///< of it, that are mapped
  std::atomic<std::uint32_t> users{0};
  std::atomic<bool> retired{false};
};

/// There is one, for ever. No thread, no file, no destructor: what was pushed is the reader's.
struct relay_session {
  std::array<relay_memory, 4> memories;
  std::atomic<relay_memory*> current{nullptr};  ///< published last; null: no recorder
  /// Set before the first recorder attaches or the first trace begins, and never unset: uses are
  /// counted. The memory of a process that a recorder started stays mapped.
  std::atomic<bool> detachable{false};
  double rate = 0.0;
  std::atomic<std::size_t> callstack_size{0};
  std::atomic<std::uint32_t> last_look{0};  ///< thread_number.hpp
  /// Of this process; null: it is not recorded.
  std::atomic<relay::channel*> channel{nullptr};
  /// Number of the recording in this process: one more in each forked child, at each attach and for
  /// each trace. A block that was recorded under another number is not known to this one.
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

/// The memory in use by the calling thread, which may not be unmapped meanwhile. Nests.
///
/// \note Threads: any, signal-safe.
/// \note Cost: loads; where a recorder may detach, two locked additions.
class relay_use {
 public:
  relay_use() noexcept;
  ~relay_use() {
    if (counted_ != nullptr) leave(*counted_);
  }
  relay_use(relay_use const&) = delete;
  relay_use& operator=(relay_use const&) = delete;

  /// Null: there is no recorder.
  [[nodiscard]] relay::area* area() const noexcept { return area_; }
  /// The channel of this process; null: it is not recorded, or not any more.
  [[nodiscard]] relay::channel* channel() const noexcept { return channel_; }
  /// If there is a channel.
  [[nodiscard]] relay_target target() const noexcept { return {area_->shared, *channel_}; }
  /// The recorder has ended, the program has not.
  [[nodiscard]] bool closed() const noexcept {
    return area_ != nullptr && area_->shared.closed.load(std::memory_order_relaxed) != 0;
  }

 private:
  static void enter(relay_memory& m) noexcept;
  static void leave(relay_memory& m) noexcept;

  relay::area* area_ = nullptr;
  relay::channel* channel_ = nullptr;
  relay_memory* counted_ = nullptr;
};

/// For the preload library, when it is loaded: begins to push what is sampled, if MEMPROF_RECORDER
/// names a recorder that can be reached, and this process is to be recorded.
///
/// \return whether it is recorded.
bool start_relay(double rate, std::size_t callstack_size) noexcept;

/// How a process is recorded; `last_look`: thread_number.hpp.
struct relay_settings {
  double rate = 0.0;
  std::size_t callstack_size = 0;
  std::uint32_t last_look = 0;
};

/// Once, before the first channel is opened.
void watch_forks() noexcept;
/// Takes a channel for this process, says who it is, and announces its modules. Null: there is
/// none. Inside malloc, as the next two.
relay::channel* open_channel(relay::mapped_area const& in, double rate) noexcept;
/// Begins to push what is sampled into this channel.
relay_memory& publish(relay::mapped_area const& to, relay::channel& c,
                      relay_settings const& how) noexcept;

/// One use more, that no thread of the program has: its reader's. `let_go` ends it.
void hold(relay_memory& m) noexcept;
void let_go(relay_memory& m) noexcept;

/// The recorder is gone or does not want more: this process goes on without. The memory of one that
/// had attached is unmapped with its last use. One call at a time.
void leave_recorder() noexcept;
/// The same of one that had started this process, whose memory stays mapped, unused.
void forget_starting_recorder() noexcept;

/// In a child that was forked behind the C library's back, when its first event is seen. One
/// thread takes a channel; others find none until it has.
void relay_in_unseen_child() noexcept;

inline relay_use::relay_use() noexcept {
  relay_session& s = the_relay;
  if (s.ours != nullptr && s.ours->load(std::memory_order_relaxed) != 1) [[unlikely]] {
    relay_in_unseen_child();
    if (s.ours->load(std::memory_order_acquire) != 1) return;
  }
  relay_memory* const m = s.current.load(std::memory_order_acquire);
  if (m == nullptr) return;
  if (s.detachable.load(std::memory_order_relaxed)) {
    enter(*m);
    counted_ = m;
    // Either this thread is counted before the memory is retired, or it sees that it was.
    if (s.current.load(std::memory_order_seq_cst) != m) return;
  }
  area_ = m->area.load(std::memory_order_acquire);
  if (!closed()) channel_ = s.channel.load(std::memory_order_acquire);
}

}  // namespace memprof::tracer
