// SPDX-License-Identifier: MIT
/// \file
/// How programs find the shared memory: an environment variable names the recorder's process, the
/// memory's descriptor, and the cookie that is in it.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <system_error>

namespace memprof::relay {

inline constexpr char variable[] = "MEMPROF_RECORDER";

/// "PID:FD:COOKIE", decimal. The descriptor is inherited under this number; where a program has
/// closed it, the recorder's own is tried: /proc/PID/fd/FD.
struct invitation {
  std::int32_t recorder = 0;
  std::int32_t descriptor = -1;
  std::uint64_t cookie = 0;

  static bool parse(char const* text, invitation& read) noexcept {
    char const* const end = text + std::strlen(text);
    const auto number = [&](auto& into, char const* from, char after) {
      const auto [rest, error] = std::from_chars(from, end, into);
      if (error != std::errc{}) return static_cast<char const*>(nullptr);
      if (after == '\0') return rest == end ? rest : nullptr;
      return rest != end && *rest == after ? rest + 1 : nullptr;
    };
    char const* at = number(read.recorder, text, ':');
    if (at != nullptr) at = number(read.descriptor, at, ':');
    if (at != nullptr) at = number(read.cookie, at, '\0');
    return at != nullptr && read.recorder > 0 && read.descriptor >= 0;
  }

  using text = std::array<char, 64>;
  [[nodiscard]] text written() const noexcept {
    text into{};
    char* const end = into.data() + into.size();
    char* at = std::to_chars(into.data(), end, recorder).ptr;
    *at++ = ':';
    at = std::to_chars(at, end, descriptor).ptr;
    *at++ = ':';
    std::to_chars(at, end, cookie);
    return into;
  }
};

}  // namespace memprof::relay
