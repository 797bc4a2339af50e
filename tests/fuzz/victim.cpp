// SPDX-License-Identifier: MIT
//
// The module whose tables loaded_fuzz.cpp damages: each kind of thing that an exception table says.
#include <new>
#include <stdexcept>

extern "C" {

int outside(int);
[[gnu::weak]] int outside(int x) { return x + 1; }

struct counted {
  int& count;
  ~counted() { count = outside(count); }
};

[[gnu::visibility("default")]] int catches(int x) {
  try {
    return outside(x);
  } catch (std::bad_alloc const&) {
    return 1;
  } catch (std::runtime_error const&) {
    return outside(2);
  } catch (...) {
    return 3;
  }
}

[[gnu::visibility("default")]] int cleans_up(int x) {
  int n = 0;
  counted const first{n};
  {
    counted const second{x};
    outside(x);
  }
  return outside(n);
}

[[gnu::visibility("default")]] int promises(int x) noexcept { return outside(x); }

[[gnu::visibility("default")]] int rethrows(int x) {
  counted const c{x};
  try {
    return outside(x);
  } catch (std::exception const&) {
    outside(x);
    throw;
  }
}
}
