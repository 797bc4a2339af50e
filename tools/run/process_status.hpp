// SPDX-License-Identifier: MIT
/// \file
/// What /proc says of a process while it runs.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace memprof::tools {

/// Bytes in memory; 0: it has ended, or is hidden. Some 5 us.
[[nodiscard]] std::uint64_t resident_of(pid_t process);
/// Those that are no file's and not shared memory; else the same.
[[nodiscard]] std::uint64_t anonymous_of(pid_t process);
/// The process's share of them: a page that n processes have counts as an n-th (Pss_Anon). Where
/// the kernel does not say, all of them. 35 ms for each GiB of 4 KiB pages.
[[nodiscard]] std::uint64_t anonymous_share_of(pid_t process);
/// Those of them that no other process has.
[[nodiscard]] std::uint64_t own_anonymous_of(pid_t process);

/// Whether it catches or ignores this signal. False also if it cannot be read.
[[nodiscard]] bool handles_signal(pid_t process, int signal);

}  // namespace memprof::tools
