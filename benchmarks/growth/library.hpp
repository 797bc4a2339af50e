// SPDX-License-Identifier: MIT
/// \file
/// What the subjects ask of memprof. In the bare program, which has none of it, it is nothing, so
/// that both do the same otherwise.
#pragma once

#include <cstddef>
#include <new>

#ifndef GROWTH_BARE
#include "memprof/memprof.hpp"
#endif

namespace growth {

#ifdef GROWTH_BARE

inline constexpr bool bare = true;
inline void sample_at(double) noexcept {}
inline double live_samples() noexcept { return 0; }

/// The callstacks of samples, up to `frames` of them, are taken while this lives.
struct taking_stacks {
  taking_stacks(double, std::size_t) noexcept {}
};

/// `f` under a limit that it does not reach.
template <class F>
void in_scope(F&& f) {
  f();
}

/// `f`, which is interrupted at an allocation; here: throws by itself.
template <class F>
bool interrupted(F&& f) {
  try {
    f();
    return false;
  } catch (std::bad_alloc const&) {
    return true;
  }
}
inline void allocate_until_interrupted() {
  bool volatile always = true;  // or the compiler sees that no call ever returns
  if (always) throw std::bad_alloc();
}

#else

inline constexpr bool bare = false;
inline void sample_at(double rate) noexcept {
  memprof::set_process_sampling_rate(memprof::sampling_rate{rate});
}
inline double live_samples() noexcept {
  return static_cast<double>(memprof::counters().tracked_blocks);
}

class taking_stacks {
 public:
  taking_stacks(double rate, std::size_t frames)
      : profile_(memprof::start(
            memprof::sampling_rate{rate},
            memprof::tracker<int, int>{.alloc_minor =
                                           [](memprof::allocation const& a) {
                                             return std::optional{
                                                 static_cast<int>(a.callstack.size())};
                                           }},
            frames)) {}

 private:
  memprof::profile profile_;
};

template <class F>
void in_scope(F&& f) {
  if (!memprof::limit_allocations(memprof::max_allocation_limit, f)) throw std::bad_alloc();
}

template <class F>
bool interrupted(F&& f) {
  using namespace memprof::literals;
  return !memprof::run_limited({.allocations = 64_KiB, .count = memprof::counting::exact}, f);
}
inline void allocate_until_interrupted() {
  for (int i = 0; i < 64; ++i) ::operator delete(::operator new(4096));
}

#endif

}  // namespace growth
