// SPDX-License-Identifier: MIT
/// \file
/// How the recorder reads words of the shared memory, which a hostile program may change at any
/// time: each once. The copy is what is checked and used.
#pragma once

#include <atomic>

namespace memprof::relay {

#ifdef MEMPROF_FUZZ_SHARED_MEMORY
/// Changes the memory just before a word is read: tests/fuzz/hostile_memory.hpp.
void fuzz_before_read() noexcept;
#else
inline void fuzz_before_read() noexcept {}
#endif

/// Inlined, so that no caller gets the copy of another one that is fuzzed.
template <class T>
[[gnu::always_inline]] inline T read_once(T const& word) noexcept {
  fuzz_before_read();
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}
template <class T>
[[gnu::always_inline]] inline T read_once(
    std::atomic<T> const& word, std::memory_order order = std::memory_order_relaxed) noexcept {
  fuzz_before_read();
  return word.load(order);
}

}  // namespace memprof::relay
