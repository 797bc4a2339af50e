// SPDX-License-Identifier: MIT
// situations NAME: runs it. situations --list: "family name" of all, in the order of their names.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits.h>
#include <new>
#include <sys/wait.h>
#include <unistd.h>

#include "situation.hpp"

namespace situations {
namespace {

situation*& first() {
  static situation* head = nullptr;
  return head;
}

char program_path[PATH_MAX];

/// What the i-th byte of a block is.
unsigned char byte_of(std::uint32_t block, std::size_t i) {
  return static_cast<unsigned char>(block * 31 + i * 7);
}

struct block {
  unsigned char* bytes;
  std::uint32_t size;
  std::uint32_t kind;
};

block obtain(std::uint32_t kind, std::uint32_t size) {
  void* memory = nullptr;
  switch (kind) {
    case 0:
      memory = std::malloc(size);
      break;
    case 1:
      memory = std::calloc(size, 1);
      break;
    case 2:
      memory = ::operator new(size);
      break;
    case 3:
      memory = ::operator new (size, std::align_val_t{64});
      break;
    case 4:
      memory = std::realloc(std::malloc(size / 2 + 1), size);
      break;
    default:
      if (posix_memalign(&memory, 256, size) != 0) memory = nullptr;
  }
  if (memory == nullptr) _exit(97);
  return {static_cast<unsigned char*>(memory), size, kind};
}

void give_back(block const& b) {
  switch (b.kind) {
    case 2:
      ::operator delete(b.bytes);
      break;
    case 3:
      ::operator delete (b.bytes, std::align_val_t{64});
      break;
    default:
      std::free(b.bytes);
  }
}

}  // namespace

situation::situation(char const* f, char const* n, int (*r)())
    : family(f), name(n), run(r), next(nullptr) {
  situation** at = &first();
  while (*at != nullptr && std::strcmp((*at)->name, n) < 0) at = &(*at)->next;
  next = *at;
  *at = this;
}

void say(char const* format, ...) {
  char line[512];
  va_list values;
  va_start(values, format);
  int length = std::vsnprintf(line, sizeof line - 1, format, values);
  va_end(values);
  if (length > static_cast<int>(sizeof line) - 2) length = sizeof line - 2;
  line[length] = '\n';
  if (write(STDOUT_FILENO, line, static_cast<std::size_t>(length) + 1) < 0) _exit(96);
}

void check(bool holds, char const* what) {
  if (holds) return;
  say("does not hold: %s", what);
  _exit(99);
}

std::uint32_t work(std::uint32_t seed, int n) {
  constexpr int most = 64;
  block blocks[most] = {};
  std::uint32_t random = seed * 2654435761u + 1;
  std::uint32_t sum = 0;
  auto const let_go = [&](block& b) {
    if (b.bytes == nullptr) return;
    for (std::size_t i = 0; i < b.size; ++i) {
      if (b.bytes[i] != byte_of(b.size, i)) _exit(98);
      sum = sum * 33 + b.bytes[i];
    }
    give_back(b);
    b.bytes = nullptr;
  };
  for (int i = 0; i < n; ++i) {
    random = random * 1664525u + 1013904223u;
    block& b = blocks[(random >> 8) % most];
    let_go(b);
    std::uint32_t const size =
        (random >> 5) % 100 == 0 ? (random >> 9) % 60'000 : (random >> 9) % 700;
    b = obtain((random >> 3) % 6, size + 1);
    for (std::size_t k = 0; k < b.size; ++k) b.bytes[k] = byte_of(b.size, k);
  }
  for (block& b : blocks) let_go(b);
  return sum;
}

char const* own_path() { return program_path; }

int wait_for(int pid) {
  int status = 0;
  while (waitpid(pid, &status, __WALL) < 0) {
  }
  return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace situations

int main(int count, char** arguments) {
  using namespace situations;
  if (count != 2) {
    say("usage: situations NAME|--list");
    return 2;
  }
  if (readlink("/proc/self/exe", program_path, sizeof program_path - 1) < 0) {
    std::strncpy(program_path, arguments[0], sizeof program_path - 1);
  }
  bool const list = std::strcmp(arguments[1], "--list") == 0;
  for (situation const* s = first(); s != nullptr; s = s->next) {
    if (list) {
      say("%s %s", s->family, s->name);
    } else if (std::strcmp(s->name, arguments[1]) == 0) {
      return s->run();
    }
  }
  if (!list) say("there is no situation %s", arguments[1]);
  return list ? 0 : 2;
}
