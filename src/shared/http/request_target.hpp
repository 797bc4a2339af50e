// SPDX-License-Identifier: MIT
/// \file
/// The target of a request, taken apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memprof::http {

inline constexpr std::size_t longest_target = 8192;
inline constexpr std::uint32_t longest_body = 256 * 1024;

///  - `path`: up to '?'.
///  - `query`: after it, as it came: not decoded, since numbers are all that is looked for.
struct request_target {
  std::string_view path;
  std::string_view query;

  static request_target of(std::string_view target) noexcept {
    const std::size_t mark = target.find('?');
    if (mark == std::string_view::npos) return {target, {}};
    return {target.substr(0, mark), target.substr(mark + 1)};
  }

  /// The first value of a name in "a=1&b=2"; "" of a name without a value.
  [[nodiscard]] std::optional<std::string_view> value(std::string_view name) const noexcept;
};

/// `path` with its "%2f" as "/"; what is no such pair of digits stays as it is.
[[nodiscard]] std::string decoded_path(std::string_view path);

/// A number in decimal digits, nothing else, in [0, most].
[[nodiscard]] std::optional<std::uint32_t> natural_number(std::string_view text,
                                                          std::uint32_t most) noexcept;

/// Whether a header Accept asks for OpenMetrics 1.0 rather than for text: by the weights q.
[[nodiscard]] bool prefers_openmetrics(std::string_view accept) noexcept;

}  // namespace memprof::http
