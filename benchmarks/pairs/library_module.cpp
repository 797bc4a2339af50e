// SPDX-License-Identifier: MIT
// The library as it is in libmemprof-preload.so, from the same object files, with a way to switch
// it on and off from outside.
#include <atomic>
#include <dlfcn.h>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "memprof/memprof.hpp"

#include "engine/engine.hpp"
#include "module.hpp"
#include "override/next_malloc.hpp"

namespace {

using namespace pairs;

std::atomic<std::uint64_t> interrupts{0};
std::atomic<std::uint64_t> deepest_stack{0};
std::optional<memprof::profile> profile;
bool limited = false;
std::string error;

template <class Function>
void find_beneath(Function& function, char const* name) {
  if (void* const found = dlsym(RTLD_DEFAULT, name)) function = reinterpret_cast<Function>(found);
}

/// RTLD_NEXT means something else in a module: what comes after it among its own libraries, that is
/// glibc always. Here it shall be what the program has.
void use_allocator_of_the_program() {
  memprof::override::next_malloc_functions& real = memprof::override::next_malloc;
  find_beneath(real.malloc, "malloc");
  find_beneath(real.calloc, "calloc");
  find_beneath(real.realloc, "realloc");
  find_beneath(real.free, "free");
  find_beneath(real.posix_memalign, "posix_memalign");
  find_beneath(real.aligned_alloc, "aligned_alloc");
  find_beneath(real.memalign, "memalign");
  find_beneath(real.malloc_usable_size, "malloc_usable_size");
}

void note_depth(memprof::allocation const& a) {
  if (a.callstack.size() > deepest_stack.load(std::memory_order_relaxed)) {
    deepest_stack.store(a.callstack.size(), std::memory_order_relaxed);
  }
}

/// Shown each sample with its stack; keeps a number for it.
void start_counting(memprof::sampling_rate rate) {
  const auto allocated = [](memprof::allocation const& a) {
    note_depth(a);
    return std::optional{a.n_samples};
  };
  profile = memprof::start(rate, memprof::tracker<std::size_t, std::size_t>{
                                     .alloc_minor = allocated,
                                     .alloc_major = allocated,
                                     .promote = [](std::size_t n) { return std::optional{n}; }});
}

using stack_copy = std::vector<void*>;

void start_keeping(memprof::sampling_rate rate) {
  const auto allocated = [](memprof::allocation const& a) {
    note_depth(a);
    return std::optional{stack_copy(a.callstack.begin(), a.callstack.end())};
  };
  profile = memprof::start(
      rate, memprof::tracker<stack_copy, stack_copy>{
                .alloc_minor = allocated, .alloc_major = allocated, .promote = [](stack_copy s) {
                  return std::optional{std::move(s)};
                }});
}

// This module's own: the name `malloc` here would be the program's.
void* (*own_malloc)(std::size_t) = nullptr;

/// For this thread at once, and not at its next event.
void set_rate_now(memprof::sampling_rate rate) {
  memprof::set_process_sampling_rate(rate);
  memprof::engine::rearm();
}

/// Blocks that stay for good, each of them sampled; and major, as what has lived long is.
bool hold_samples(std::uint64_t count) {
  set_rate_now(memprof::sampling_rate{1.0});
  for (std::uint64_t i = 0; i < count; ++i) {
    if (own_malloc(16) == nullptr) return false;
  }
  const memprof::words usual = memprof::nursery();
  memprof::set_nursery(memprof::words{1});
  set_rate_now(memprof::sampling_rate{0.0});
  memprof::set_nursery(usual);
  return memprof::counters().tracked_blocks >= count;
}

char const* start(settings const& s) {
  try {
    set_rate_now(memprof::sampling_rate{0.0});
    memprof::engine::register_replacement();
    if (s.live_samples > 0 && !hold_samples(s.live_samples)) return "no memory";
    const memprof::sampling_rate rate{s.rate};
    switch (s.samples) {
      case consumer::none:
        set_rate_now(rate);
        break;
      case consumer::count:
        start_counting(rate);
        break;
      case consumer::keep:
        start_keeping(rate);
        break;
      case consumer::trace:
        memprof::start_tracing(s.trace_file, {.rate = rate, .context = {}, .callstack_size = {}});
        break;
    }
    limited = s.limits;
    if (limited) memprof::set_global_memory_limit(memprof::max_allocation_limit);
    return nullptr;
  } catch (std::exception const& e) {
    error = e.what();
    return error.c_str();
  }
}

void stop() {
  memprof::set_global_memory_limit(std::nullopt);
  memprof::stop_tracing();
  profile.reset();
  set_rate_now(memprof::sampling_rate{0.0});
}

void run(void (*task)(void*), void* context) {
  if (!limited) return task(context);
  const auto r =
      memprof::run_limited({.allocations = memprof::max_allocation_limit, .global_memory = true},
                           [&] { task(context); });
  if (!r) interrupts.fetch_add(1, std::memory_order_relaxed);
}

counts look() {
  return {.sampled_blocks = memprof::counters().sampled_blocks,
          .interrupts = interrupts.load(std::memory_order_relaxed),
          .deepest_stack = deepest_stack.load(std::memory_order_relaxed)};
}

constexpr module_controls controls{.start = &start, .stop = &stop, .run = &run, .look = &look};

}  // namespace

extern "C" __attribute__((visibility("default"))) module_controls const* memprof_pairs_module(
    allocator_functions const& /*beneath*/, allocator_functions const& own) {
  use_allocator_of_the_program();
  own_malloc = own.malloc;
  return &controls;
}
