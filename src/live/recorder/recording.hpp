// SPDX-License-Identifier: MIT
/// \file
/// Records a program and, if wanted, those that it starts: a thread takes what they push, and
/// writes a trace for each process.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "recorder/process_sink.hpp"

namespace memprof::recorder {

/// So long the recorder's thread sleeps while nothing happens.
inline constexpr std::chrono::milliseconds longest_sleep{64};

///  - `children`: processes that the first one starts are recorded, too.
///  - `attached`: a process that runs already, and has made the shared memory: its id, the memory's
///    descriptor, which is closed, and the microseconds that it had run.
///  - `command`: what is run, for the first process's trace.
///  - `file_of`: where the trace of a process goes: its id in decimal, or "ID.2" and so on for a
///    later process with the same id.
///  - `file_is_there`: it is a pipe or device, which the user named.
///  - `sink_of`: instead of a trace: what takes the records of a process, which is visible if its
///    id is surely one of the program's here. It lives as long as the recording.
///  - `after_look`: called by the recorder's thread after each look at all processes, which are the
///    visible ones that live; returns how long it may sleep at most. May be empty. Throws nothing.
struct recording_options {
  bool children = false;
  struct attached_process {
    pid_t process = 0;
    int memory = -1;
    std::uint64_t age = 0;
  };
  std::optional<attached_process> attached;
  std::string command;
  std::string context;
  std::function<std::string(std::string const& process)> file_of;
  bool file_is_there = false;
  std::function<std::unique_ptr<process_sink>(pid_t process, bool visible)> sink_of;
  std::function<std::chrono::milliseconds(std::vector<pid_t> const& living)> after_look;
};

/// The trace of a process.
struct recorded_process {
  pid_t process = 0;  ///< as it sees itself
  std::string name;   ///< what `file_of` was asked for
  std::string file;
  std::uint64_t dropped = 0;  ///< sampled blocks and interrupts that found no room
  bool sampled = false;       ///< there is anything in its trace
  std::string failure;        ///< why the trace ends before the process; empty: it does not
};

///  - `others`: processes that were not recorded because `children` is not set.
///  - `others_at_least`: there may be more of them.
///  - `no_room`: processes that were not recorded because so many ran at once.
///  - `could_not_map`: errno of a process that could not map the shared memory; 0: none.
struct recording_result {
  std::vector<recorded_process> processes;
  std::size_t others = 0;
  bool others_at_least = false;
  std::uint32_t no_room = 0;
  int could_not_map = 0;
};

class recording {
 public:
  /// \throws std::system_error if there can be no shared memory.
  explicit recording(recording_options options);
  /// Ends it, if `finish` was not called.
  ~recording();
  recording(recording const&) = delete;
  recording& operator=(recording const&) = delete;

  /// Name and value of the environment variable by which programs find us.
  [[nodiscard]] std::pair<std::string, std::string> environment() const;

  /// In the forked child that is about to execute the program.
  void enter_first_process() const noexcept;
  /// When there is such a child, or a process is attached to, `first`: starts the thread.
  ///
  /// \throws std::system_error if there can be none.
  void begin(pid_t first);
  /// The program has ended: from now on the recording ends with its last process.
  ///
  /// \param how for its trace.
  /// \param resident bytes in memory, at its peak; 0: not known.
  void first_process_ended(std::string const& how, std::uint64_t resident);

  /// Waits until it has ended. False: that is not yet so.
  bool wait_for(std::chrono::milliseconds duration);
  /// Ids of the processes that are still recorded.
  [[nodiscard]] std::vector<pid_t> living() const;

  /// From now on programs get null for sampled requests of more than so many bytes; 0: for none.
  void refuse_requests_over(std::uint64_t bytes) noexcept;
  /// How many requests that were, and the size of one of the last of them.
  struct refused_requests {
    std::uint64_t number = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] refused_requests refused() const noexcept;

  /// How many processes found no channel so far, because so many ran at once.
  [[nodiscard]] std::uint32_t without_room() const noexcept;

  /// Ends it, whoever still runs: those go on without.
  recording_result finish();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace memprof::recorder
