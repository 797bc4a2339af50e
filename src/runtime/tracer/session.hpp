// SPDX-License-Identifier: MIT
/// \file
/// A trace that this process writes itself, from its start to its end: the state that the program's
/// threads and the writing thread share. Records go to that thread as they go to a recorder:
/// relay_session.hpp.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pthread.h>

#include "relay/relay.hpp"
#include "tracer/relay_session.hpp"
#include "tracer/trace_file.hpp"

namespace memprof::tracer {

inline constexpr std::size_t longest_file_name = 4096;
inline constexpr std::size_t longest_context = 8192;

/// The options, stored in place: a trace may start inside malloc, in a forked child.
struct settings {
  std::array<char, longest_file_name> file{};  ///< with a zero; "%p" still in it
  std::array<char, longest_context + 1> context{};
  double rate = 0.0;
  std::size_t callstack_size = 0;
  bool for_each_process = false;  ///< there is a "%p"
};

/// idle ---> starting ---> running ---> stopping ---> idle
///              |             |
///              v             v
///             idle         failed ---> (stop or start) ---> idle
///
/// A recorder that attaches to this process (attachment.hpp) takes the place of a trace:
/// idle ---> starting ---> attached ---> stopping ---> idle
enum class phase : std::uint32_t { idle, starting, running, failed, stopping, attached };

struct counters {
  std::atomic<std::uint64_t> allocations{0};
  std::atomic<std::uint64_t> promotions{0};
  std::atomic<std::uint64_t> collections{0};
  std::atomic<std::uint64_t> dropped{0};
  std::atomic<std::uint64_t> bytes{0};
};

/// There is one, for ever.
struct session {
  settings wanted;  ///< written while `starting`
  std::atomic<phase> now{phase::idle};
  bool begins_alone = false;  ///< in a forked child: no thread waits until it has begun
  /// In a forked child: a trace of its own is to begin with the next allocation.
  std::atomic<bool> begin_in_child{false};
  std::atomic<bool> stop_asked{false};
  counters counts;
  /// The memory of this trace, and the channel in it; mapped until `thread` has ended.
  relay::mapped_area own;
  relay::channel* channel = nullptr;
  bool takes_records = false;  ///< else a recorder outside has them, and this trace stays empty
  relay_memory* published = nullptr;  ///< as the program's threads know it
  pthread_t thread{};
  pid_t process = 0;  ///< in which `thread` runs
  outcome begun;      ///< how it went; written before `has_begun`
  std::atomic<std::uint32_t> has_begun{0};
  outcome ended;      ///< what ended the trace, if something failed; read after the thread's end
  bool said = false;  ///< and reported to the user
};

extern constinit session the_session;

/// Starts to trace, and waits until the file is begun.
///
/// \return step::none with reason 0; a failure; or reason EALREADY of step::thread: there is a
///   trace.
outcome start(settings const& wanted) noexcept;

/// Of the trace that is written, or of the last one.
std::uint64_t dropped_so_far() noexcept;

/// The program's threads push no more for this trace.
void stop_pushing() noexcept;

/// Inside malloc, in a forked child: starts without waiting.
void start_in_child() noexcept;

/// Writes what is outstanding and closes the file, if there is a trace.
void stop() noexcept;

/// In a forked child, whose parent may write one: that is the parent's.
void session_in_child() noexcept;

/// Ends the trace by the very last function that the C library calls at exit, instead of the
/// last destructor of this module. Only a preloaded library can do that.
void finish_after_everything() noexcept;

}  // namespace memprof::tracer
