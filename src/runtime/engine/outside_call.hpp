// SPDX-License-Identifier: MIT
/// \file
/// How another process calls into this one: it writes 1 into a word here (by /proc/PID/mem), and
/// the next thread that has an event answers. No signal, no thread that waits, no system call; the
/// fast paths know nothing of it. A thread has an event at each sample, and after 8 MiB at the
/// latest (`hand_over_interval`); a program that does not allocate never answers, and has nothing
/// to show either.
#pragma once

#include <atomic>
#include <cstdint>

namespace memprof::engine {

/// 1: somebody outside has called. Written by that process and here.
extern constinit std::atomic<std::uint32_t> outside_call;

/// Who answers. Called by one thread for a call: muted, at the end of an event, so inside malloc,
/// but inside no lock of ours or of the allocator beneath. It keeps errno.
void on_outside_call(void (*answer)() noexcept) noexcept;

/// For `close_event`, if the word is not 0.
void answer_outside_call() noexcept;

}  // namespace memprof::engine
