// SPDX-License-Identifier: MIT
#include "tracer/file_name.hpp"

#include <charconv>
#include <cstring>
#include <ctime>

namespace memprof::tracer {

bool has_process_id(char const* name) noexcept { return std::strstr(name, "%p") != nullptr; }

bool expand_process_id(char const* name, pid_t process, char (&expanded)[4096]) noexcept {
  char* at = expanded;
  char* const end = expanded + sizeof expanded - 1;
  while (*name != '\0') {
    if (name[0] == '%' && name[1] == 'p') {
      const auto [rest, error] = std::to_chars(at, end, process);
      if (error != std::errc{}) return false;
      at = rest;
      name += 2;
    } else {
      if (at == end) return false;
      *at++ = *name++;
    }
  }
  *at = '\0';
  return true;
}

std::uint64_t microseconds_now() noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

}  // namespace memprof::tracer
