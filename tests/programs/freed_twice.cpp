// SPDX-License-Identifier: MIT
// A sampled block that is freed twice, or an address inside of one
// that is freed, ends the program with a sentence, as glibc does for its own blocks. What is
// written past the end of a block damages at most its neighbours' contents.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <string_view>

#include "memprof/memprof.hpp"

#include "check.hpp"
#include "ended_child.hpp"

namespace {

/// Hides what the compiler knows of a pointer.
template <class T>
T* hidden(T* pointer) {
  __asm__ volatile("" : "+r"(pointer));
  return pointer;
}

/// Whether a child that runs `misuse` is ended by SIGABRT, and writes this to standard error.
template <class Misuse>
bool aborts_saying(std::string_view expected, Misuse misuse) {
  const ended_child child = child_doing(misuse);
  if (child.said != expected) std::fputs(child.said.c_str(), stderr);
  return child.ended_by(SIGABRT) && child.said == expected;
}

constexpr std::string_view twice =
    "memprof: free(): this sampled block was freed before (double free)\n";
constexpr std::string_view deleted_twice =
    "memprof: operator delete(): this sampled block was freed before (double free)\n";

}  // namespace

int main() {
  memprof::set_process_sampling_rate(memprof::sampling_rate{1.0});
  std::free(hidden(static_cast<char*>(std::malloc(100))));
  if (memprof::counters().aligned_blocks != 0) return 0;  // not packed: as under QEMU
  for (std::size_t size : {std::size_t{10}, std::size_t{3000}, std::size_t{200'000}}) {
    CHECK(aborts_saying(twice, [&] {
      char* const block = hidden(static_cast<char*>(std::malloc(size)));
      char* const again = hidden(block);
      std::free(block);
      std::free(again);
    }));
    CHECK(aborts_saying(deleted_twice, [&] {
      char* const block = hidden(static_cast<char*>(::operator new(size)));
      char* const again = hidden(block);
      ::operator delete(block);
      ::operator delete(again);
    }));
    CHECK(aborts_saying("memprof: free(): no block begins at this address\n",
                        [&] { std::free(hidden(static_cast<char*>(std::malloc(size)) + 8)); }));
    CHECK(aborts_saying("memprof: realloc(): this sampled block was freed before (double free)\n",
                        [&] {
                          char* const block = hidden(static_cast<char*>(std::malloc(size)));
                          char* const again = hidden(block);
                          std::free(block);
                          CHECK(std::realloc(again, 10) == nullptr);
                        }));
  }
  // Past the end, far enough to reach several neighbours. They and the block stay what they are.
  char* blocks[64];
  for (char*& block : blocks) block = hidden(static_cast<char*>(std::malloc(100)));
  const std::size_t room = malloc_usable_size(blocks[0]);
  std::memset(hidden(blocks[10]), 'x', 500);
  for (char* block : blocks) CHECK(malloc_usable_size(block) == room);
  for (char* block : blocks) std::free(block);
  CHECK(memprof::counters().tracked_blocks < 20);
  return 0;
}
