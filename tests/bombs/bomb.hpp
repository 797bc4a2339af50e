// SPDX-License-Identifier: MIT
/// \file
/// Runs a task that would take gigabytes by malloc, under a limit whose malloc refuses.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include "memprof/memprof.hpp"

#include "check.hpp"

namespace bombs {

using namespace memprof::literals;

inline constexpr memprof::bytes limit = 48_MiB;

/// The most that was ever resident, bytes.
inline std::int64_t peak_resident() {
  std::FILE* const status = std::fopen("/proc/self/status", "r");
  CHECK(status != nullptr);
  char line[200];
  long kib = 0;
  while (std::fgets(line, sizeof line, status) != nullptr) {
    if (std::strncmp(line, "VmHWM:", 6) == 0) std::sscanf(line + 6, "%ld", &kib);
  }
  std::fclose(status);
  return kib * 1024;
}

/// The task ends by an error of the library, and the process is never over 1.5 times the limit;
/// where malloc does not refuse, 2 times. Lua's tables are the worst: 48 MiB of them, counted at a
/// rate of 1e-3, were 60 to 62 MiB resident in 12 runs (glibc takes 96 bytes for one that counts as
/// 88, and the array of all is moved as it grows). At the default rate 48 MiB have a standard
/// deviation of 4 % besides.
template <class F>
void defuse(char const* name, memprof::malloc_policy policy, F&& bomb) {
  const std::int64_t before = peak_resident();
  memprof::limits l{.memory = limit};
  l.malloc_after_hit = policy;
  std::array<char, 300> error{};
  auto const r = memprof::run_limited(l, [&] { bomb(error.data(), error.size()); });
  const std::int64_t grown = peak_resident() - before;
  CHECK(!r);
  std::printf("%s: %s\n  its own error: %s\n  resident: +%.1f MiB\n", name,
              r.error().message().c_str(), error.data(), static_cast<double>(grown) / (1 << 20));
  CHECK((r.error().refusals() > 0) == (policy == memprof::malloc_policy::refuse));
  CHECK(error[0] != '\0');
  if (policy == memprof::malloc_policy::refuse) CHECK(grown <= limit.count() * 3 / 2);
  CHECK(grown <= limit.count() * 2);
}

template <class F>
void defuse(char const* name, F&& bomb) {
  defuse(name, memprof::malloc_policy::refuse, std::forward<F>(bomb));
}

}  // namespace bombs
