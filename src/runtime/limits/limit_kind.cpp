// SPDX-License-Identifier: MIT
// What the kinds of limits are called.
#include <string_view>

#include "memprof/interrupted.hpp"

namespace memprof::inline v0 {

std::string_view to_string(limit_kind kind) noexcept {
  switch (kind) {
    case limit_kind::allocations:
      return "allocations";
    case limit_kind::memory:
      return "memory";
    case limit_kind::global_memory:
      return "global memory";
    case limit_kind::token:
      return "token";
    case limit_kind::deadline:
      return "deadline";
  }
  return "unknown";
}

char const* limit_exceeded::what() const noexcept {
  switch (kind_) {
    case limit_kind::allocations:
      return "memprof: allocation limit reached";
    case limit_kind::memory:
      return "memprof: memory limit reached";
    case limit_kind::global_memory:
      return "memprof: global memory limit reached";
    case limit_kind::token:
      return "memprof: token set";
    case limit_kind::deadline:
      return "memprof: deadline passed";
  }
  return "memprof: limit reached";
}

}  // namespace memprof::inline v0
