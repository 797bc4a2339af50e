// SPDX-License-Identifier: MIT
/// \file
/// The threads of a traced program.
#pragma once

#include <cstdint>
#include <string_view>

namespace memprof::inline v0::trace {

/// A thread that allocated (`event::thread`). memtrace's format has none: in the file it is the
/// first entry of a backtrace, which other readers show as a frame ("NAME ID" in "memprof:thread").
///
///  - `number`: 1, 2, ... in the order in which the threads of the program were first seen. The
///    number `most_threads` stands for all that came later.
///  - `id`: the kernel's, which may have been another thread's before; 0: not known.
///  - `name`: that the thread had at its last sample that was looked at (the first, second, fourth,
///    ... 128th). Control characters are as they were. The view lives as long as the reader.
struct thread {
  std::uint32_t number = 0;
  std::uint64_t id = 0;
  std::string_view name;

  friend bool operator==(thread const&, thread const&) = default;
};

inline constexpr std::uint32_t most_threads = 65535;

}  // namespace memprof::inline v0::trace
