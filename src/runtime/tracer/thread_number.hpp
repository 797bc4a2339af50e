// SPDX-License-Identifier: MIT
/// \file
/// The number of the calling thread in traces, and when its name is written to one.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

#include "records/records.hpp"

namespace memprof::tracer {

using records::kernel_name;
using records::named_thread;

///  - `number`: 1, 2, ... in the order of their first samples, over all traces of the process. Ids
///    come again, numbers do not.
///  - `known_to`: the trace that knows of this thread (`traced_block::session`); 0: none.
///  - `samples`: in it, up to the last look.
///  - `name`: a hash of the name that it knows.
struct thread_mark {
  std::uint32_t number = 0;
  std::uint32_t known_to = 0;
  std::uint32_t samples = 0;
  std::uint32_t name = 0;
};

extern constinit thread_local thread_mark this_thread_mark;

/// Two system calls. False: the trace knows this name.
bool look_at_this_thread(thread_mark& mark, std::uint32_t session, named_thread& found) noexcept;

/// A thread's name is looked for at its samples 1, 2, 4, ... up to one of these: names are given
/// soon after its start, but a program under a recorder may filter its later system calls.
inline constexpr std::uint32_t first_sample = 1;
inline constexpr std::uint32_t first_samples = 128;

/// The number of this thread in the trace `session`, at one of its samples. If the trace does
/// not know it or its name yet, `announce(named_thread)` is called; false: there was no room.
///
/// \note Threads: any, signal-safe.
/// \note Cost: some loads, a store in the first 128 samples.
template <class Announce>
std::uint32_t number_in_trace(std::uint32_t session, std::uint32_t last_look,
                              Announce announce) noexcept {
  thread_mark& mark = this_thread_mark;
  if (mark.known_to != session) mark.samples = 0;
  if (mark.samples < last_look && std::has_single_bit(++mark.samples)) [[unlikely]] {
    named_thread found;
    if (look_at_this_thread(mark, session, found) && !announce(found)) mark.known_to = 0;
  }
  return mark.number;
}

}  // namespace memprof::tracer
