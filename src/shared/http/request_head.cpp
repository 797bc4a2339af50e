// SPDX-License-Identifier: MIT
#include "http/request_head.hpp"

#include <algorithm>

#include "http/request_target.hpp"

namespace memprof::http {
namespace {

std::string_view next_line(std::string_view& head) {
  const std::size_t end = head.find('\n');
  std::string_view line = head.substr(0, end);
  head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// `name` in lower case.
bool is_named(std::string_view text, std::string_view name) {
  return std::ranges::equal(
      text, name, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; });
}

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

/// Whether a list, "keep-alive, TE", has `name`.
bool has_item(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (is_named(without_blanks(list.substr(0, comma)), name)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

std::size_t end_of_head(std::string_view text) noexcept {
  std::size_t end = std::string_view::npos;
  for (std::string_view const mark : {"\n\r\n", "\n\n"}) {
    const std::size_t at = text.find(mark);
    if (at != std::string_view::npos) end = std::min(end, at + mark.size());
  }
  return end == std::string_view::npos ? 0 : end;
}

/// \param is_old of HTTP/1.0, which knows no expectations.
void request_head::add(std::string_view name, std::string_view value, bool is_old) noexcept {
  if (is_named(name, "accept")) accept = value;
  if (is_named(name, "accept-encoding")) accept_encoding = value;
  if (is_named(name, "authorization")) authorization = value;
  if (is_named(name, "transfer-encoding")) refusal = 400;
  if (is_named(name, "host")) {
    if (has_host) refusal = 400;
    has_host = true;
    host = value;
  }
  if (is_named(name, "expect") && !is_old) {
    awaits_consent = is_named(value, "100-continue");
    if (!awaits_consent) refusal = 417;
  }
  if (is_named(name, "connection") && has_item(value, "close")) is_last = true;
  if (is_named(name, "content-length")) {
    const auto number = natural_number(value, longest_body);
    if (!number || has_length) refusal = 400;
    has_length = true;
    length = number.value_or(0);
  }
}

void request_head::take_host_of_target() noexcept {
  constexpr std::string_view scheme = "http://";
  if (!is_named(target.substr(0, scheme.size()), scheme)) return;
  target.remove_prefix(scheme.size());
  const std::size_t end = std::min(target.find_first_of("/?"), target.size());
  host = target.substr(0, end);
  target.remove_prefix(end);
  if (target.empty()) target = "/";
}

request_head request_head::of(std::string_view text) {
  request_head h;
  std::string_view line = next_line(text);
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  const std::string_view version = line.substr(std::min(last, line.size() - 1) + 1);
  if (first == std::string_view::npos || first == last || !version.starts_with("HTTP/1.")) {
    h.refusal = 400;
    return h;
  }
  const bool is_old = h.is_last = version == "HTTP/1.0";
  h.method = line.substr(0, first);
  h.target = line.substr(first + 1, last - first - 1);
  while (h.refusal != 400 && !text.empty() && !(line = next_line(text)).empty()) {
    const std::size_t colon = line.find(':');
    const std::string_view name = line.substr(0, colon);
    // A proxy before us may read such a line in another way, and see other requests than we do.
    if (colon == line.npos || name.find_first_of(" \t") != name.npos ||
        line.find('\r') != line.npos) {
      h.refusal = 400;
    } else {
      h.add(name, without_blanks(line.substr(colon + 1)), is_old);
    }
  }
  if (!h.has_host && !is_old) h.refusal = 400;
  h.take_host_of_target();
  return h;
}

}  // namespace memprof::http
