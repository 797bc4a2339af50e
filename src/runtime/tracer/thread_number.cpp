// SPDX-License-Identifier: MIT
#include "tracer/thread_number.hpp"

#include <algorithm>
#include <string_view>
#include <sys/prctl.h>
#include <unistd.h>

#include "memprof/trace/thread.hpp"

namespace memprof::tracer {

constinit thread_local thread_mark this_thread_mark;

namespace {

constinit std::atomic<std::uint32_t> last_number{0};

/// Those that come last share one number, and a trace stays bounded.
std::uint32_t next_number() noexcept {
  if (last_number.load(std::memory_order_relaxed) >= trace::most_threads) {
    return trace::most_threads;
  }
  return std::min(last_number.fetch_add(1, std::memory_order_relaxed) + 1, trace::most_threads);
}

std::uint32_t hash_of(named_thread const& t) noexcept {
  std::uint32_t hash = 2166136261U ^ t.id;  // FNV-1a
  for (const char c : t.name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

}  // namespace

bool look_at_this_thread(thread_mark& mark, std::uint32_t session, named_thread& found) noexcept {
  if (mark.number == 0) mark.number = next_number();
  found.number = mark.number;
  if (mark.number == trace::most_threads) {
    constexpr std::string_view name = "later threads";
    std::ranges::copy(name, found.name.begin());
  } else {
    found.id = static_cast<std::uint32_t>(gettid());
    prctl(PR_GET_NAME, found.name.data(), 0, 0, 0);
  }
  const std::uint32_t hash = hash_of(found);
  if (mark.known_to == session && mark.name == hash) return false;
  mark.known_to = session;
  mark.name = hash;
  return true;
}

}  // namespace memprof::tracer
