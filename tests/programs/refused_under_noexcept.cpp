// SPDX-License-Identifier: MIT
// malloc_policy::refuse: malloc does not return null where the std::bad_alloc that C++ makes of it
// would meet std::terminate; elsewhere it does.
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

namespace {

void* volatile sink;

[[gnu::noinline]] void* obtain_or_throw(std::size_t size) {
  void* const block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

/// A constructor that promises too much.
struct zone {
  [[gnu::noinline]] zone() noexcept : block(obtain_or_throw(8192)) {}
  ~zone() { std::free(block); }
  zone(zone const&) = delete;
  zone& operator=(zone const&) = delete;
  void* block;
};

[[gnu::always_inline]] inline void* obtain_or_throw_here(std::size_t size) {
  void* const block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

/// The same in one function.
[[gnu::noinline]] void one_function() noexcept {
  std::string const text(100, 'x');
  void* const block = obtain_or_throw_here(8192);
  sink = block;
  std::memcpy(block, text.data(), text.size());
  std::free(block);
}

[[gnu::noinline]] void calls_through_c() noexcept {
  // strdup returns null, as libraries in C do.
  static std::string const text(8000, 'x');
  struct local {
    [[gnu::noinline]] static char* copy() {
      char* const block = strdup(text.c_str());
      if (block == nullptr) throw std::bad_alloc();
      return block;
    }
  };
  std::free(local::copy());
}

template <class F>
auto run_refusing(F&& f) {
  return memprof::run_limited({.allocations = 4_MiB,
                               .count = memprof::counting::exact,
                               .malloc_after_hit = memprof::malloc_policy::refuse},
                              [&] {
                                for (int i = 0; i < 2000; ++i) f();
                              });
}

template <class F>
void check_deferred(F&& f) {
  const auto r = run_refusing(f);
  CHECK(!r && r.error().refusals() == 0 && r.error().deferrals() > 0);
  CHECK(r.error().last_deferral() != nullptr);
  CHECK(std::string(r.error().last_deferral()) == "under a noexcept function or destructor");
  CHECK(r.error().last_deferral_place() != nullptr);
}

/// A member function that throws, with something to clean up: nothing is noexcept.
[[gnu::noinline]] void may_throw() {
  std::string const text(100, 'x');
  sink = obtain_or_throw(8192);
  std::free(sink);
}

[[gnu::noinline]] int returns_error() noexcept {
  try {
    may_throw();
  } catch (...) {
    return -1;
  }
  return 0;
}

}  // namespace

int main() {
  check_deferred([] { zone const z; });
  check_deferred(&one_function);
  check_deferred(&calls_through_c);

  const auto thrown = run_refusing(&may_throw);
  CHECK(!thrown && thrown.error().refusals() == 1);
  int failed = 0;
  const auto handled = run_refusing([&] { failed += returns_error() != 0 ? 1 : 0; });
  CHECK(!handled && failed > 0);
  const auto by_c = run_refusing([&] {
    char* const copy = strdup("a text for a function of C");
    if (copy == nullptr) ++failed;
    std::free(copy);
  });
  static_cast<void>(by_c);
}
