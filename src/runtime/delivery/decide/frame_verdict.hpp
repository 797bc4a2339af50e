// SPDX-License-Identifier: MIT
/// \file
/// What an interrupt would do in one frame, all considered that does not change as long as its
/// module is loaded.
#pragma once

#include <cstdint>

#include "callstack/callstack.hpp"

namespace memprof::delivery {

enum class frame_verdict : std::uint8_t {
  pass,
  swallow,          ///< a handler of ordinary code may end it
  library_swallow,  ///< one of the standard library's streams, locales or futures may
  library_pass,     ///< one of these passes it on, and marks its stream or promise as broken
  translate,        ///< a handler throws something else instead
  terminate,        ///< std::terminate
  terminate_all,    ///< the same, for whatever is thrown in this function
  c_frame,          ///< C code with more to do: what it holds would be left behind, as by longjmp
  known_unsafe,     ///< its function is on the list of those that do not survive it
  tls_initialiser,  ///< would leave thread_local variables uninitialised for good
  signal_frame,
  no_tables,       ///< no unwind tables
  other_language,  ///< a personality that is neither C++'s nor C's
  unknown,         ///< code or tables that are not understood
  not_ready,       ///< the modules are not classified yet: a thread is at it, or lacked memory
  no_memory        ///< none to read the frame's code, or its module's file
};

/// It may be another one the next time.
constexpr bool is_passing(frame_verdict v) noexcept {
  return v == frame_verdict::not_ready || v == frame_verdict::no_memory;
}

/// The words for a report, a literal: "under a noexcept function or destructor".
char const* describe(frame_verdict v) noexcept;

/// The verdict at `pc` (a return address minus one), which `p` covers; `permanent`: it holds for
/// ever, as its module is never unloaded.
///
/// Tens of microseconds: tables and code are read, and the first time in a module that came with
/// dlopen its file. Any thread with a frame there; takes no lock, allocates pages at most.
frame_verdict verdict_in_frame(callstack::procedure const& p, std::uintptr_t pc,
                               bool& permanent) noexcept;

}  // namespace memprof::delivery
