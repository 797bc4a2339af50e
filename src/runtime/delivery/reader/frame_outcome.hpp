// SPDX-License-Identifier: MIT
/// \file
/// What a `limit_exceeded` that arrives in a frame would do there, read from the frame's exception
/// table and from the code of its landing pad.
#pragma once

#include <cstdint>
#include <string_view>

#include "callstack/callstack.hpp"

namespace memprof::delivery {

/// What becomes of the exception in one frame.
enum class outcome : std::uint8_t {
  pass,       ///< it leaves the frame, whatever is cleaned up on the way
  swallow,    ///< a handler may end it
  translate,  ///< a handler throws something else
  terminate,  ///< std::terminate
  unknown,    ///< not understood
  no_memory   ///< not read: the kernel gives no memory for it now
};

/// Functions of the C++ runtime that mean something to the reader of landing pads.
enum class runtime_function : std::uint8_t {
  none,
  resume,       ///< _Unwind_Resume
  begin_catch,  ///< __cxa_begin_catch
  end_catch,    ///< __cxa_end_catch
  rethrow,      ///< __cxa_rethrow
  throw_new,    ///< __cxa_throw, std::rethrow_exception, std::__throw_*, _Unwind_RaiseException ...
  terminate,    ///< std::terminate, __cxa_call_unexpected, __clang_call_terminate ...
  exit,         ///< abort, exit, __assert_fail ...: terminate only if there is no other end
  ignored,      ///< __stack_chk_fail and the like
  thread_destructor,  ///< std::thread::~thread: terminates if joinable
  unclear,            ///< leaves in a way that is not followed: longjmp, pthread_exit
  harmless            ///< returns; what happens inside need not be read: operator delete
};

/// By (mangled) name; a version suffix (@...) must have been cut off.
runtime_function runtime_function_named(std::string_view name) noexcept;

/// By address, from what was found in the symbol tables of the loaded modules.
/// (runtime_addresses.cpp)
runtime_function runtime_function_at(std::uintptr_t address) noexcept;

/// The outcome in the frame of `p` at `pc`: the return address minus one, or, for a frame that was
/// interrupted, the exact pc. `p` has an LSDA and the personality of C++ or C.
///
/// Where several ends are possible the gravest counts: terminate, unknown, swallow, translate,
/// pass. abort and the like count as terminate only if there is no other end. What is assumed of
/// functions called from a landing pad: callee_reader.hpp.
///
/// A pure function of pc as long as the module stays loaded, `no_memory` excepted.
///
/// \note Threads: any, signal handlers too; takes no lock, allocates nothing but its own pages.
/// \note Stack: below 4 KiB (optimised); what is bigger lies in those pages (frame_scratch.hpp).
/// \note Cost: without a landing pad 0.5 us, with one usually 10 to 30 us; bounded by the number of
///   instructions it reads: some milliseconds for a handler that calls enormous functions.
outcome outcome_in_frame(callstack::procedure const& p, std::uintptr_t pc) noexcept;

/// Whether no exception leaves `p`, wherever in it it begins: a noexcept function, or a destructor.
/// (A call of a function that is noexcept looks like the code of one: no record covers it.)
/// Functions without a table, which have nothing to end, are none. Cost: that of outcome_in_frame
/// for each record, until one says no.
bool ends_every_exception(callstack::procedure const& p) noexcept;

}  // namespace memprof::delivery
