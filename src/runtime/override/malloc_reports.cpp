// SPDX-License-Identifier: MIT
// What glibc reports of malloc's memory: sampled blocks are none that it knows, so they are added.
// (Guarded ones are not, and neither are those of the next allocator that begin a page: it knows
// these.)
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <malloc.h>

#include "base/base.hpp"
#include "override/tracked_memory.hpp"

#define MEMPROF_EXPORT extern "C" __attribute__((visibility("default")))

// In a static program they have these names, too.
extern "C" {
[[gnu::weak]] struct mallinfo __libc_mallinfo() noexcept;
[[gnu::weak]] struct mallinfo2 __libc_mallinfo2() noexcept;
[[gnu::weak]] int __malloc_info(int options, FILE* file) noexcept;
[[gnu::weak]] void __malloc_stats() noexcept;
extern int const memprof_override_anchor_reports;
int const memprof_override_anchor_reports = 1;
}

namespace {

namespace base = memprof::base;

template <class Function>
Function next(char const* name, Function of_static_program) noexcept {
  void* const found = dlsym(RTLD_NEXT, name);
  return found != nullptr ? reinterpret_cast<Function>(found) : of_static_program;
}

/// Their memory is like one more arena: some of it in use, the rest kept for the next ones. (All of
/// glibc's hblkhd is in use: programs add it to uordblks.)
template <class Information, class Number>
Information with_sampled(Information all, Number Information::*) noexcept {
  const auto sampled = memprof::override::count_packed();
  const auto add = [](Number& sum, std::size_t more) {
    using wide = unsigned long long;
    const auto most = sizeof(Number) == sizeof(int) ? wide{INT_MAX} : wide{ULLONG_MAX};
    sum = static_cast<Number>(std::min(static_cast<wide>(sum) + more, most));
  };
  add(all.arena, sampled.mapped);
  add(all.uordblks, sampled.in_use);
  add(all.fordblks, sampled.mapped - std::min(sampled.mapped, sampled.in_use));
  return all;
}

}  // namespace

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
MEMPROF_EXPORT struct mallinfo mallinfo() noexcept {
  auto const of_next = next("mallinfo", &__libc_mallinfo);
  struct mallinfo all {};
  if (of_next != nullptr) all = of_next();
  return with_sampled(all, &mallinfo::uordblks);
}
#pragma GCC diagnostic pop

MEMPROF_EXPORT struct mallinfo2 mallinfo2() noexcept {
  auto const of_next = next("mallinfo2", &__libc_mallinfo2);
  struct mallinfo2 all {};
  if (of_next != nullptr) all = of_next();
  return with_sampled(all, &mallinfo2::uordblks);
}

MEMPROF_EXPORT void malloc_stats() noexcept {
  if (auto const of_next = next("malloc_stats", &__malloc_stats)) of_next();
  const auto sampled = memprof::override::count_packed();
  char text[160];
  base::bounded_text said{text};
  (said << "Sampled blocks (memprof):\nsystem bytes     = ").number(sampled.mapped);
  (said << "\n"
        << "in use bytes     = ")
          .number(sampled.in_use)
      << "\n";
  std::fputs(text, stderr);
}

MEMPROF_EXPORT int malloc_info(int options, FILE* file) noexcept {
  auto const of_next = next("malloc_info", &__malloc_info);
  if (of_next == nullptr || options != 0)
    return of_next != nullptr ? of_next(options, file) : ENOSYS;
  char* text = nullptr;
  std::size_t size = 0;
  FILE* const memory = open_memstream(&text, &size);
  if (memory == nullptr) return of_next(options, file);
  const int status = of_next(options, memory);
  std::fclose(memory);
  char* const end = text != nullptr ? std::strstr(text, "</malloc>") : nullptr;
  if (status != 0 || end == nullptr) {
    std::free(text);
    return status != 0 ? status : of_next(options, file);
  }
  const auto sampled = memprof::override::count_packed();
  *end = '\0';
  char total[160];
  base::bounded_text said{total};
  (said << "<total type=\"memprof\" count=\"").number(sampled.blocks);
  (said << "\" size=\"").number(sampled.in_use) << "\"/>\n</malloc>\n";
  std::fputs(text, file);
  std::fputs(total, file);
  std::free(text);
  return 0;
}
