// SPDX-License-Identifier: MIT
// Compiled twice: MEMPROF_PAIRS_LOOPS is the name of the table that it defines.
#include "work.hpp"

#include <cstring>
#include <ctime>
#include <unwind.h>

namespace pairs {
namespace {

double thread_time() {
  std::timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

/// The compiler must not know what happens to the block.
inline void use(void* block) { asm volatile("" : : "r"(block) : "memory"); }

/// Runs `body(functions, pairs)` against the clock. The functions are a copy, which the compiler
/// can keep in registers: all variants are called by the same instructions.
template <class Body>
void measure(turn& t, Body body) {
  const allocator_functions functions = *t.functions;
  const double begin = thread_time();
  body(functions, t.pairs);
  t.nanoseconds = thread_time() - begin;
}

template <std::size_t Size, bool Write>
void fixed(turn& t) {
  measure(t, [](allocator_functions const& f, std::uint64_t pairs) {
    for (std::uint64_t i = 0; i < pairs; ++i) {
      void* const block = f.malloc(Size);
      if constexpr (Write) std::memset(block, static_cast<int>(i), Size);
      use(block);
      f.free(block);
    }
  });
}

void batches(turn& t) {
  measure(t, [](allocator_functions const& f, std::uint64_t pairs) {
    for (std::uint64_t i = 0; i < pairs; i += 8) {
      void* blocks[8];
      for (void*& block : blocks) block = f.malloc(64);
      for (void* const block : blocks) f.free(block);
    }
  });
}

/// xorshift64*, the upper half: fast, and the same for all variants.
inline std::uint32_t next(std::uint64_t& state) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return static_cast<std::uint32_t>((state * 0x2545f4914f6cdd1d) >> 32);
}

/// A number in [0, n): the bias is below 1e-5 for the n here.
inline std::uint32_t below(std::uint64_t& state, std::uint64_t n) {
  return static_cast<std::uint32_t>((next(state) * n) >> 32);
}

template <int Reads>
void random_victim(turn& t) {
  live_blocks& live = *t.live;
  std::uint64_t random = live.random;
  std::uint64_t random_reads = live.random_reads;
  measure(t, [&](allocator_functions const& f, std::uint64_t pairs) {
    void** const blocks = live.blocks.data();
    const std::uint64_t count = live.blocks.size();
    for (std::uint64_t i = 0; i < pairs; ++i) {
      void*& victim = blocks[below(random, count)];
      f.free(victim);
      victim = f.malloc(16 + below(random, 497));
      use(victim);
      if constexpr (Reads > 0) {
        std::uint64_t sum = 0;
        for (int r = 0; r < Reads; ++r) {
          sum += memory_to_read[below(random_reads, memory_to_read.size())];
        }
        asm volatile("" : : "r"(sum));
      }
    }
  });
  live.random = random;
  live.random_reads = random_reads;
}

void new_delete(turn& t) {
  measure(t, [](allocator_functions const& f, std::uint64_t pairs) {
    for (std::uint64_t i = 0; i < pairs; ++i) {
      void* const block = f.operator_new(64);
      use(block);
      f.operator_delete(block, 64);
    }
  });
}

void unwind(turn& t) {
  measure(t, [&](allocator_functions const&, std::uint64_t times) {
    for (std::uint64_t i = 0; i < times; ++i) {
      std::size_t frames = 0;
      _Unwind_Backtrace(
          [](_Unwind_Context* context, void* to) {
            use(reinterpret_cast<void*>(_Unwind_GetIP(context)));
            ++*static_cast<std::size_t*>(to);
            return _URC_NO_REASON;
          },
          &frames);
    }
  });
}

// Eight functions that call each other, with frames of different sizes, so that neither return
// addresses nor rules are all the same. Nothing here can be a tail call.
template <int N>
[[gnu::noinline]] void descend(turn& t, int more) {
  char some[16 + 8 * N];
  asm volatile("" : : "r"(some) : "memory");
  if (more <= 0) {
    t.work(t);
  } else {
    descend<(N + 1) % 8>(t, more - 1);
  }
  asm volatile("");
}

void take_turn(turn& t) { descend<0>(t, t.depth); }

}  // namespace

constinit const loops MEMPROF_PAIRS_LOOPS{
    .pairs_16 = &fixed<16, false>,
    .pairs_64 = &fixed<64, false>,
    .pairs_512 = &fixed<512, false>,
    .pairs_4k = &fixed<4096, false>,
    .pairs_64k = &fixed<65536, false>,
    .pairs_64k_written = &fixed<65536, true>,
    .pairs_1m = &fixed<1048576, false>,
    .batches_64 = &batches,
    .random_victim = &random_victim<0>,
    .random_and_reads = &random_victim<4>,
    .new_delete_64 = &new_delete,
    .unwind = &unwind,
    .take_turn = &take_turn,
};

}  // namespace pairs
