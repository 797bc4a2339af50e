// SPDX-License-Identifier: MIT
#include "memprof/interrupted.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <string_view>
#include <utility>

#include "memprof/callstack.hpp"

namespace memprof::inline v0 {
namespace {

/// "64 MiB", "1.25 GiB", "300 B": three significant digits are enough for a message.
std::string readable(bytes amount) {
  constexpr std::array<char const*, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(amount.count());
  std::size_t unit = 0;
  while (value >= 1024.0 && unit + 1 < units.size()) {
    value /= 1024.0;
    ++unit;
  }
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.4g %s", value, units[unit]);
  return text.data();
}

std::string readable_time(std::int64_t nanoseconds) {
  std::array<char, 40> text{};
  const auto value = static_cast<double>(nanoseconds);
  if (nanoseconds < 1'000'000) {
    std::snprintf(text.data(), text.size(), "%.4g us", value / 1e3);
  } else if (nanoseconds < 1'000'000'000) {
    std::snprintf(text.data(), text.size(), "%.4g ms", value / 1e6);
  } else {
    std::snprintf(text.data(), text.size(), "%.4g s", value / 1e9);
  }
  return text.data();
}

std::string times(std::uint64_t n) { return n == 1 ? "once" : std::to_string(n) + " times"; }

/// "std::vector<int, std::allocator<int> >::resize(...)": "std::vector::resize(...)".
std::string without_template_arguments(std::string_view name) {
  std::string text;
  int depth = 0;
  for (const char c : name) {
    const bool is_operator = text.ends_with("operator") || text.ends_with("operator<") ||
                             text.ends_with("operator>") || text.ends_with("operator-");
    if (c == '<' && !is_operator) {
      ++depth;
    } else if (c == '>' && depth > 0) {
      --depth;
    } else if (depth == 0) {
      text += c;
    }
  }
  return text;
}

/// "+-9 %": the wider side of the interval, rounded up, as reports of traces have it.
std::string error_of(estimate const& amount) {
  if (amount.lower == amount.upper) return "exact";
  const auto value = static_cast<double>(amount.value.count());
  const auto share_of = [&](bytes bound) {
    return value > 0 ? std::abs(static_cast<double>(bound.count()) - value) / value : 1.0;
  };
  const double share = std::max(share_of(amount.lower), share_of(amount.upper));
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "+-%.0f %%", std::max(1.0, std::ceil(share * 100.0)));
  return text.data();
}

/// "; most of it: 12.3 MiB (+-9 %) by parse_array(...)+0x1f (...)": the largest row of the memory
/// that the limit is about.
std::string largest_part(interrupted const& error) {
  const bool is_live =
      error.kind() == limit_kind::memory || error.kind() == limit_kind::global_memory;
  const std::span stacks = is_live ? error.live_stacks() : error.allocated_stacks();
  if (stacks.empty()) return {};
  stack_amount const& first = stacks.front();
  const auto value = static_cast<double>(first.amount.value.count());
  const bool is_most = error.kind() != limit_kind::global_memory &&
                       2 * value >= static_cast<double>(error.measured().count()) &&
                       error.measured().count() > 0;
  return (is_most ? "; most of it: " : "; the largest part: ") + readable(first.amount.value) +
         " (" + error_of(first.amount) + ") by " +
         (first.callstack.empty() ? "many stacks"
                                  : without_template_arguments(describe_origin(first.callstack)));
}

}  // namespace

bytes interrupted::limit() const noexcept {
  const bool amount = kind() != limit_kind::token && kind() != limit_kind::deadline;
  return bytes{amount ? record_.limit : 0};
}

bytes interrupted::measured() const noexcept {
  const bool amount = kind() != limit_kind::token && kind() != limit_kind::deadline;
  return bytes{amount ? record_.measured : 0};
}

std::string interrupted::message() const {
  std::string text;
  if (kind() == limit_kind::token) {
    text = "token set";
    if (reason() != nullptr) text += std::string(" (") + reason() + ")";
  } else if (kind() == limit_kind::deadline) {
    text = "deadline of " + readable_time(record_.limit) + " passed";
    if (record_.started) text += ", after " + readable_time(record_.measured);
  } else {
    // Where most of the amount was never granted, the request says more.
    const bool by_request = refused_request().count() > measured().count() / 2;
    text = std::string(to_string(kind())) + " limit of " + readable(limit()) + " reached" +
           (by_request ? " by a request for " + readable(refused_request())
                       : ", measured " + readable(measured()));
  }
  if (!record_.started) return text + "; the task was not run";
  if (deliveries() == 0) {
    text += "; never delivered";
  } else if (exception() == nullptr) {
    text += "; the task returned normally";
  }
  if (deliveries() > 1) text += "; raised " + times(deliveries());
  if (deferrals() > 0) {
    text += "; deferred " + times(deferrals()) + ", last " + last_deferral();
    if (last_deferral_place() != nullptr) {
      text += " (" + describe(static_cast<char const*>(last_deferral_place()) + 1) + ")";
    }
  }
  if (refusals() > 0) text += "; malloc refused " + times(refusals());
  if (overshoot().count() > 0) text += "; allocated " + readable(overshoot()) + " afterwards";
  return text + largest_part(*this);
}

}  // namespace memprof::inline v0
