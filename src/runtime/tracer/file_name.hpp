// SPDX-License-Identifier: MIT
/// \file
/// Names of trace files: "%p" in them, and relative ones.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace memprof::tracer {

[[nodiscard]] bool has_process_id(char const* name) noexcept;

/// `name` with `process` for each "%p". False if that is longer than 4095 bytes.
bool expand_process_id(char const* name, pid_t process, char (&expanded)[4096]) noexcept;

/// Microseconds since 1970, UTC.
[[nodiscard]] std::uint64_t microseconds_now() noexcept;

}  // namespace memprof::tracer
