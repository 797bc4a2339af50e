// SPDX-License-Identifier: MIT
/// \file
/// A recorder attaches to this process while it runs, and leaves it again: `memprof record --pid`.
/// relay/attach_request.hpp draws what the two say to each other.
///
/// No thread waits for a recorder. One that asks writes a word (engine/outside_call.hpp), and the
/// thread that has the next event does the rest, inside malloc:
///
/// - One thread: the word and `asked` are each taken by a compare-exchange. It is one with the
///   process id that the recorder asked for: a child of vfork, in its parent's memory, leaves the
///   request to the parent.
/// - No lock, neither of ours nor of the C library. Fork handlers are registered with the engine,
///   not by pthread_atfork, and no handler of exit is registered: both take a lock, and may be what
///   allocates. So what came too late for a full ring is pushed by a destructor of this module, and
///   the end of `main` is marked in preloaded programs only. Modules were listed when this library
///   was loaded.
/// - One trace at a time: the phase of the session (session.hpp) excludes `start_tracing`, and
///   another recorder. A program that begins a trace of its own sends the recorder away.
/// - Cancellation is off meanwhile. No system call here is a cancellation point anyway.
/// - A signal handler that allocates finds its thread muted. If one does not return here, the
///   recorder stops waiting for an answer as for a program that is idle: when its user ends it.
/// - Fork in the middle of it, by another thread or a handler of this one: the child is idle, and
///   what it inherited is closed. Forks while a recorder is attached: relay_session.cpp.
/// - The recorder may die at any time. Before it has accepted, that costs a thread half a second,
///   once. Later it costs what a stuck recorder costs (room_wait.hpp), and when the ring was full
///   for three seconds, the process goes on without.
#pragma once

#include <cstdint>

#include "relay/relay.hpp"

namespace memprof::tracer {

/// A process that a recorder started says so to others that would attach.
void note_recorder(std::int32_t recorder) noexcept;

/// Ends what a recorder records that has closed its memory. Called when a thread finds it so.
void leave_closed_recorder() noexcept;

/// The same for a recorder that has attached and does not take anything any more.
///
/// \param c which was full just now.
void leave_dead_recorder(relay::channel const& c) noexcept;

/// Before this process begins a trace of its own: waits for a recorder that is just attaching (at
/// most half a second), and ends what it records. Not inside malloc.
void leave_attached_recorder() noexcept;

/// In a forked child.
///
/// \param goes_on it is recorded.
void attachment_in_child(bool goes_on) noexcept;

}  // namespace memprof::tracer
