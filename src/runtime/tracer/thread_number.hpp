// SPDX-License-Identifier: MIT
/// \file
/// The number of the calling thread in traces, and when its name is written to one.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace memprof::tracer {

/// A name as the kernel has it: 15 bytes, and zeros.
using kernel_name = std::array<char, 16>;

/// What a trace says of a thread.
struct named_thread {
  std::uint32_t number = 0;
  std::uint32_t id = 0;
  kernel_name name{};
};

/// number      1, 2, ... in the order of their first samples, over all traces of the process. Ids
///             come again, numbers do not.
/// known_to    the trace that knows of this thread (`traced_block::session`); 0: none.
/// samples     in it, up to `last_look`.
/// name        a hash of the name that it knows.
struct thread_mark {
  std::uint32_t number = 0;
  std::uint32_t known_to = 0;
  std::uint32_t samples = 0;
  std::uint32_t name = 0;

  /// Names are given soon after a thread's start: looked for at samples 1, 2, 4, ... up to this.
  static constexpr std::uint32_t last_look = 128;
};

extern constinit thread_local thread_mark this_thread_mark;

/// Two system calls. False: the trace knows this name.
bool look_at_this_thread(thread_mark& mark, std::uint32_t session, named_thread& found) noexcept;

/// When a thread's name is looked for: at its first sample alone, for a program whose later system
/// calls may be filtered, or soon after, too.
enum class name_look : std::uint8_t { first_sample, first_samples };

/// The number of this thread in the trace `session`, at one of its samples. If the trace does
/// not know it or its name yet, `announce(named_thread)` is called; false: there was no room.
///
/// threads     any, signal-safe. cost: some loads, a store in the first 128 samples.
template <class Announce>
std::uint32_t number_in_trace(std::uint32_t session, name_look when, Announce announce) noexcept {
  thread_mark& mark = this_thread_mark;
  if (mark.known_to != session) mark.samples = 0;
  const std::uint32_t last = when == name_look::first_sample ? 1 : thread_mark::last_look;
  if (mark.samples < last && std::has_single_bit(++mark.samples)) [[unlikely]] {
    named_thread found;
    if (look_at_this_thread(mark, session, found) && !announce(found)) mark.known_to = 0;
  }
  return mark.number;
}

}  // namespace memprof::tracer
