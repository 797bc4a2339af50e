// SPDX-License-Identifier: MIT
// The first scope of a process reads no file. The symbol tables of its modules are read when the
// first interrupt is to be raised.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

namespace {

/// Bytes that this process has read (proc(5), io); below 0 if the kernel does not say.
long bytes_read() {
  char text[500] = {};
  const int file = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  char const* const value = std::strstr(text, "rchar: ");
  return length > 0 && value != nullptr ? std::atol(value + 7) : -1;
}

}  // namespace

int main() {
  const long at_start = bytes_read();
  if (at_start < 0) return 0;
  CHECK(memprof::limit_allocations(1_MiB, [] { return 1; }));
  const long after_first = bytes_read();
  CHECK(after_first - at_start < 1000);
  auto const r =
      memprof::run_limited({.allocations = 4_KiB, .count = memprof::counting::exact}, [] {
        while (true) ::operator delete(::operator new(100));
      });
  CHECK(!r && r.error().deliveries() == 1);
  CHECK(bytes_read() - after_first > 10'000);
  return 0;
}
