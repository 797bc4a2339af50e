// SPDX-License-Identifier: MIT
/// \file
/// The first line of a request and its headers, taken apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace memprof::http {

inline constexpr std::size_t longest_head = 16 * 1024;

/// Where the head of a request ends; 0: nowhere in `text`.
[[nodiscard]] std::size_t end_of_head(std::string_view text) noexcept;

/// What matters here. Parts of the text that it was made of.
///
///  - `refusal`: the status of what cannot be answered: 400 malformed, 417 another expectation than
///    that the body be asked for. 0: none.
///  - `host`: as the header Host has it, or a target "http://host/path" (RFC 9112, 3.2.2).
///  - `awaits_consent`: the body comes when "100 Continue" was sent.
///  - `is_last`: no other request follows: "Connection: close", or HTTP/1.0.
struct request_head {
  int refusal = 0;
  std::string_view method, target, accept, accept_encoding, host, authorization;
  bool has_host = false;
  bool awaits_consent = false;
  bool is_last = false;
  bool has_length = false;
  std::uint32_t length = 0;

  /// \param text up to end_of_head.
  static request_head of(std::string_view text);

 private:
  void add(std::string_view name, std::string_view value, bool is_old) noexcept;
  void take_host_of_target() noexcept;
};

}  // namespace memprof::http
