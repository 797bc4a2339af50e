// SPDX-License-Identifier: MIT
/// \file
/// What a recorder and a running program that it attaches to say to each other before they share
/// memory: `memprof record --pid`.
///
/// It lies in the program's data. The recorder finds it by an ELF note of the module that has a
/// copy of the library, and reads and writes it through /proc/PID/mem, so whoever may not debug the
/// program cannot ask either. The program makes the shared memory, because the recorder may open
/// descriptors of the program, but not always the other way round: a recorder that is root's, or
/// outside of the program's container.
///
///     recorder                                   a thread of the program
///     writes what it wants, `asked`, call ---->  at its next event: `taken`
///                                                makes and maps the memory: `offered`, and waits
///     takes the descriptor, maps, accepts ---->  closes the descriptor; `attached`: pushes
///     `closed` in the memory, call        ---->  at its next event: `idle`, unmaps
///
/// If the recorder does not accept in time, the program takes everything back: `idle`. Anything
/// that the program cannot do is `refused`, which the next recorder replaces.
#pragma once

#include <atomic>
#include <cstdint>

#include "relay/area.hpp"

namespace memprof::relay {

enum class attach_state : std::uint32_t { idle, asked, taken, offered, attached, refused };

/// Why a program refused.
///
///  - `recorded`: it is recorded by another recorder.
///  - `tracing`: it writes a trace itself: MEMTRACE or start_tracing.
///  - `busy`: a trace begins or ends just now: ask again.
///  - `no_memory`: it could not make or map the memory: `error` is why.
///  - `bad_request`: what was asked for makes no sense.
enum class attach_refusal : std::uint32_t { none, recorded, tracing, busy, no_memory, bad_request };

/// Which copy of the library this is. In a program that is linked with the replacement of malloc,
/// that one sees all blocks first, also under the preload library; other copies are not used.
enum class attach_role : std::uint32_t { none, preloaded, linked };

/// The type of the note, whose owner is "memprof" and whose text is the distance to the request.
inline constexpr std::uint32_t attach_note_type = 2;

/// How long a thread of the program waits at most for the recorder to accept.
inline constexpr std::int64_t attach_patience_ns = 500'000'000;

/// A recorder: its process, and when that started, in clock ticks; 0: not known.
struct recorder_identity {
  std::int32_t process = 0;
  std::uint32_t unused = 0;
  std::uint64_t started = 0;
  bool operator==(recorder_identity const&) const = default;
};

struct attach_request {
  /// First of all in every version: `relay::magic` of the program.
  std::uint64_t layout = magic;
  /// The word that makes threads look here.
  std::atomic<std::uint32_t>* call;
  /// Set when the library is loaded. A process may have several copies.
  std::atomic<attach_role> role{attach_role::none};
  std::atomic<attach_state> state{attach_state::idle};

  // By the recorder, before `asked`.
  std::uint64_t cookie = 0;          ///< random: identifies this request
  double rate = 0.0;                 ///< in (0, 1]
  std::uint32_t callstack_size = 0;  ///< frames
  std::uint32_t children = 0;        ///< 1: forked children are recorded, too
  std::uint64_t pid_namespace = 0;   ///< the recorder's (inode)
  std::int32_t process = 0;          ///< whom it asks, as that one sees itself
  std::int32_t replaces = 0;         ///< the process of a recorder that was here, and has died
  recorder_identity asking;

  // By the program, before `offered` or `refused`.
  std::int32_t descriptor = -1;
  attach_refusal refusal = attach_refusal::none;
  std::int32_t error = 0;
  /// By whom it is recorded; process 0: by nobody.
  recorder_identity recording;
};

}  // namespace memprof::relay
