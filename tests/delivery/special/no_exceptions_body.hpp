// SPDX-License-Identifier: MIT
/// \file
/// What both files without exceptions consist of: a lock with a guard.
#pragma once

namespace {

bool volatile locked = false;

class guard {
 public:
  guard() noexcept { locked = true; }
  ~guard() { locked = false; }
  guard(guard const&) = delete;
  guard& operator=(guard const&) = delete;
};

inline void call_guarded(void (*f)()) {
  guard const g;
  f();
}

}  // namespace
