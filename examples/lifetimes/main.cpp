// SPDX-License-Identifier: MIT
// For each block allocated under FUNCTION: when (s), and how long it lived (s; "-": to the end).
#include <cstdio>
#include <string_view>
#include <unordered_map>

#include "memprof/trace/reader.hpp"

int main(int argc, char** argv) try {
  if (argc != 3) return std::fputs("usage: lifetimes TRACE FUNCTION\n", stderr), 2;
  memprof::trace::reader trace(argv[1]);
  const auto under = [&](auto const& backtrace) {
    for (auto const code : backtrace)
      for (auto const& location : trace.locations(code))
        if (location.defname == std::string_view(argv[2])) return true;
    return false;
  };
  std::unordered_map<memprof::trace::object_id, double> born;
  for (memprof::trace::event e; trace.next(e);) {
    const double now = static_cast<double>(e.time.count()) / 1e6;
    if (e.kind == memprof::trace::event_kind::allocation && under(e.backtrace))
      born[e.object] = now;
    if (e.kind != memprof::trace::event_kind::collection || !born.contains(e.object)) continue;
    std::printf("%.6f %.6f\n", born[e.object], now - born[e.object]);
    born.erase(e.object);
  }
  for (auto const& [object, time] : born) std::printf("%.6f -\n", time);
} catch (std::exception const& e) {
  return std::fprintf(stderr, "lifetimes: %s\n", e.what()), 1;
}
