// SPDX-License-Identifier: MIT
// A sampled block that is freed twice, or an address inside of one
// that is freed, ends the program with a sentence, as glibc does for its own blocks. What is
// written past the end of a block damages at most its neighbours' contents.
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include "memprof/memprof.hpp"

#include "check.hpp"

namespace {

/// Hides what the compiler knows of a pointer.
template <class T>
T* hidden(T* pointer) {
  __asm__ volatile("" : "+r"(pointer));
  return pointer;
}

/// What a child that runs `misuse` writes to standard error, when it is ended by SIGABRT.
template <class Misuse>
bool aborts_saying(std::string_view expected, Misuse misuse) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    misuse();
    _exit(0);
  }
  close(ends[1]);
  std::array<char, 1000> text{};
  std::size_t length = 0;
  while (length < text.size()) {
    const ssize_t n = read(ends[0], text.data() + length, text.size() - length);
    if (n <= 0) break;
    length += static_cast<std::size_t>(n);
  }
  close(ends[0]);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  const std::string_view said{text.data(), length};
  if (said != expected) std::fprintf(stderr, "%.*s", static_cast<int>(length), text.data());
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && said == expected;
}

constexpr std::string_view twice =
    "memprof: free(): this sampled block was freed before (double free)\n";

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
    CHECK(aborts_saying(twice, [&] {
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
