// SPDX-License-Identifier: MIT
/// \file
/// What /proc says of a process before anything is done with it.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace memprof::recorder {

///  - `state`: as in its status: 'R', 'Z'; 0: there is no such process, or it is hidden.
///  - `leader`: the process, of which `id` may be a thread.
///  - `parent`: as it is now.
///  - `inner`: its id as it sees itself, in its own pid namespace.
///  - `user`: its effective user id.
///  - `own_memory`: false: a thread of the kernel.
///  - `filtered`: it has a seccomp filter.
///  - `started`: clock ticks since the machine's start; 0: not known.
struct process_facts {
  char state = 0;
  pid_t leader = 0;
  pid_t parent = 0;
  pid_t inner = 0;
  uid_t user = 0;
  bool own_memory = false;
  bool filtered = false;
  std::uint64_t started = 0;
};
process_facts look_at_process(pid_t id);

/// Of this machine; empty: it does not say.
std::string host_name();

/// Since 1970, as programs note the times of their events.
std::uint64_t microseconds_now() noexcept;

/// /proc/PID/NAME
inline std::string file_of_process(pid_t process, char const* name) {
  return "/proc/" + std::to_string(process) + "/" + name;
}

/// Its arguments, a zero behind each.
std::string command_line_of(pid_t process);

/// Microseconds that it has run; 0: not known.
std::uint64_t age_of(process_facts const& facts);

/// Why this user may not debug that process, and what would help: the end of a sentence.
std::string why_no_permission(process_facts const& facts);

}  // namespace memprof::recorder
