// SPDX-License-Identifier: MIT
/// \file
/// Code that runs in a destructor.
#pragma once

namespace memprof::test {

/// Calls its function when it is destroyed, as destructors that log do.
template <class F>
struct at_exit {
  F f;
  ~at_exit() { f(); }
};
template <class F>
at_exit(F) -> at_exit<F>;

}  // namespace memprof::test
