// SPDX-License-Identifier: MIT
// How many limit scopes a thread is in, or was in. How deep its call stack is.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <pthread.h>

#include "library.hpp"
#include "measure.hpp"

namespace growth {

namespace {

/// Runs `f` on a thread with a stack large enough for any depth here.
template <class F>
void on_large_stack(F&& f) {
  pthread_attr_t attributes;
  pthread_t thread;
  const auto run = [](void* work) -> void* {
    (*static_cast<F*>(work))();
    return nullptr;
  };
  if (pthread_attr_init(&attributes) != 0 ||
      pthread_attr_setstacksize(&attributes, std::size_t{2} << 30) != 0 ||
      pthread_create(&thread, &attributes, run, &f) != 0 || pthread_join(thread, nullptr) != 0) {
    std::abort();
  }
  pthread_attr_destroy(&attributes);
}

/// Calls itself `frames` times, then `f`.
template <class F>
[[gnu::noinline]] void at_depth(std::int64_t frames, F& f) {
  if (frames <= 0) {
    f();
  } else {
    at_depth(frames - 1, f);
  }
  asm volatile("" : : : "memory");  // no tail call
}

template <class F>
void nest(std::int64_t count, F& f) {
  if (count == 0) {
    f();
  } else {
    in_scope([&] { nest(count - 1, f); });
  }
}

double per(std::int64_t ns, std::int64_t count) {
  return static_cast<double>(ns) / static_cast<double>(count);
}

}  // namespace

findings nested(std::int64_t count) {
  findings found;
  on_large_stack([&] {
    mixture load;
    std::int64_t inside = 0, left = 0;
    const std::int64_t first = thread_ns();
    in_scope([] {});
    found.emplace_back("first scope us", static_cast<double>(thread_ns() - first) / 1000);
    in_scope([&] { load.run(1000); });
    const std::int64_t before = resident_bytes();
    const std::int64_t start = thread_ns();
    auto innermost = [&] {
      inside = thread_ns();
      found.emplace_back("bytes per scope", per(resident_bytes() - before, count));
      found.emplace_back("pair ns", load.ns_per_pair());
      // So many samples that each stretch has the same number, nearly: 9 words of 1e-2.
      sample_at(1e-2);
      found.emplace_back("pair ns at 1e-2", ns_per_pair_of(64, 2'000));
      sample_at(1e-4);
      left = thread_ns();
    };
    nest(count, innermost);
    found.emplace_back("enter ns", per(inside - start, count));
    found.emplace_back("leave ns", per(thread_ns() - left, count));
  });
  return found;
}

findings sequential(std::int64_t count) {
  findings found;
  const auto one = [] { ::operator delete(keep(::operator new(64))); };
  for (int i = 0; i < 10; ++i) in_scope(one);
  const std::int64_t before = resident_bytes();
  const std::int64_t start = thread_ns();
  for (std::int64_t i = 0; i < count; ++i) in_scope(one);
  found.emplace_back("scope with a pair ns", per(thread_ns() - start, count));
  found.emplace_back("bytes per scope", per(resident_bytes() - before, count));
  mixture load;
  found.emplace_back("pair ns", load.ns_per_pair());
  return found;
}

findings depth(std::int64_t frames) {
  findings found;
  on_large_stack([&] {
    auto deep = [&] {
      found.emplace_back("pair ns", ns_per_pair_of(64, 40'000));
      {
        const taking_stacks whole(1, 4096);
        found.emplace_back("sampled pair ns", ns_per_pair_of(64, 500));
      }
      const taking_stacks innermost(1, 32);
      found.emplace_back("sampled pair ns, 32 frames", ns_per_pair_of(64, 5'000));
    };
    at_depth(frames, deep);
    auto allocating = [] { allocate_until_interrupted(); };
    const auto interrupt = [&](std::int64_t times) {
      for (; times > 0; --times) {
        if (!interrupted([&] { at_depth(frames, allocating); })) std::abort();
      }
    };
    interrupt(2);
    const std::int64_t times = std::clamp<std::int64_t>(100'000 / frames, 3, 200);
    const std::int64_t start = thread_ns();
    interrupt(times);
    found.emplace_back("interrupt us", per(thread_ns() - start, times) / 1000);
  });
  return found;
}

}  // namespace growth
