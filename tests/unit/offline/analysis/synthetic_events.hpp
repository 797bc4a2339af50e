// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

#include "memprof/trace/event.hpp"

namespace memprof::test {

/// Events of a trace that nobody wrote. An allocation is one of the major heap unless said.
inline memprof::trace::event allocation(std::int64_t time, memprof::trace::object_id id,
                                        std::uint64_t length, std::uint64_t samples = 1,
                                        memprof::trace::heap heap = memprof::trace::heap::major) {
  memprof::trace::event e;
  e.time = std::chrono::microseconds{time};
  e.object = id;
  e.length = length;
  e.n_samples = samples;
  e.source = heap;
  return e;
}

inline memprof::trace::event later(memprof::trace::event_kind kind, std::int64_t time,
                                   memprof::trace::object_id id) {
  memprof::trace::event e;
  e.kind = kind;
  e.time = std::chrono::microseconds{time};
  e.object = id;
  return e;
}

inline memprof::trace::event collection(std::int64_t time, memprof::trace::object_id id) {
  return later(memprof::trace::event_kind::collection, time, id);
}

}  // namespace memprof::test
