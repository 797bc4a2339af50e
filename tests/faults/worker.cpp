// SPDX-License-Identifier: MIT
// What runs while calls fail: works in all sizes, on two threads, in a
// child and with a module, survives every refused request, and prints what must not depend on any
// fault: contents, descriptors, threads.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <new>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

/// Blocks that were refused are left out.
bool work(std::uint32_t seed, int n) {
  constexpr int most = 48;
  struct {
    unsigned char* at;
    std::size_t size;
    bool by_new;
  } blocks[most] = {};
  std::uint32_t random = seed;
  bool good = true;
  for (int i = 0; i < n + most; ++i) {
    random = random * 1664525u + 1013904223u;
    auto& b = blocks[i < n ? (random >> 8) % most : static_cast<unsigned>(i - n)];
    if (b.at != nullptr) {
      for (std::size_t k = 0; k < b.size; ++k)
        good &= b.at[k] == static_cast<unsigned char>(b.size + k);
      if (b.by_new) {
        ::operator delete(b.at);
      } else {
        std::free(b.at);
      }
      b.at = nullptr;
    }
    if (i >= n) continue;
    b.size = (random >> 9) % 40 == 0 ? (random >> 5) % 300'000 : (random >> 9) % 900 + 1;
    b.by_new = (random >> 4) % 2 == 0;
    void* p = nullptr;
    if (b.by_new) {
      p = ::operator new(b.size, std::nothrow);
    } else if ((random >> 3) % 3 == 0) {
      void* const small = std::malloc(b.size / 2 + 1);
      p = std::realloc(small, b.size);
      if (p == nullptr && b.size != 0) std::free(small);
    } else {
      p = std::malloc(b.size);
    }
    b.at = static_cast<unsigned char*>(p);
    for (std::size_t k = 0; b.at != nullptr && k < b.size; ++k)
      b.at[k] = static_cast<unsigned char>(b.size + k);
  }
  return good;
}

/// A block that grows to some MiB.
bool grow() {
  std::size_t size = 100'000;
  auto* at = static_cast<unsigned char*>(std::malloc(size));
  if (at == nullptr) return true;
  for (std::size_t k = 0; k < size; ++k) at[k] = static_cast<unsigned char>(k / 4096 + k);
  bool good = true;
  for (int i = 0; i < 24; ++i) {
    std::size_t const larger = size + size / 6;
    void* const grown = std::realloc(at, larger);
    if (grown == nullptr) continue;
    at = static_cast<unsigned char*>(grown);
    for (std::size_t k = 0; k < size; k += 509)
      good &= at[k] == static_cast<unsigned char>(k / 4096 + k);
    for (std::size_t k = size; k < larger; ++k) at[k] = static_cast<unsigned char>(k / 4096 + k);
    size = larger;
  }
  std::free(at);
  return good;
}

}  // namespace

int main() {
  bool const first = work(1, 1500);
  bool second = false;
  try {
    std::thread([&second] { second = work(2, 1500); }).join();
  } catch (...) {
    second = true;  // no memory for a thread: that is the program's business
  }
  pid_t const child = fork();
  if (child == 0) _exit(work(3, 500) ? 7 : 8);
  int status = 0;
  waitpid(child, &status, 0);
  second &= grow();  // last: after that more memory is kept, and less is given back
  int open_files = 0;
  for (int i = 0; i < 256; ++i) open_files += fcntl(i, F_GETFD) >= 0;
  char line[128];
  int const length = std::snprintf(line, sizeof line, "%d %d %d %d\n", first, second,
                                   WEXITSTATUS(status), open_files);
  return write(STDOUT_FILENO, line, static_cast<std::size_t>(length)) == length ? 0 : 1;
}
