// SPDX-License-Identifier: MIT
//
// operator new and malloc as sources.

#include <cstddef>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <stdlib.h>
#include <string>
#include <vector>

#include "memprof/memprof.hpp"

#include "limits/amounts.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

constexpr std::size_t sizes[]{0, 1, 8, 9, 100, 4096, 1'000'001};

TEST_CASE("every form of operator new counts the same", "[limits][sources]") {
  exactly fixture;
  constexpr std::align_val_t alignment{64};
  for (std::size_t n : sizes) {
    CAPTURE(n);
    auto const check = [n](auto take, auto give) {
      void* block = nullptr;
      auto const r = amounts_of([&] { block = take(n); });
      give(block);
      CHECK(r.allocated == counted_of(n));
      CHECK(r.live == counted_of(n));
    };
    check([](std::size_t s) { return ::operator new(s); }, [](void* p) { ::operator delete(p); });
    check([](std::size_t s) { return ::operator new[](s); },
          [](void* p) { ::operator delete[](p); });
    check([](std::size_t s) { return ::operator new(s, alignment); },
          [](void* p) { ::operator delete(p, alignment); });
    check([](std::size_t s) { return ::operator new[](s, alignment); },
          [](void* p) { ::operator delete[](p, alignment); });
    check([](std::size_t s) { return ::operator new(s, std::nothrow); },
          [](void* p) { ::operator delete(p, std::nothrow); });
    check([](std::size_t s) { return ::operator new[](s, std::nothrow); },
          [](void* p) { ::operator delete[](p, std::nothrow); });
    check([](std::size_t s) { return ::operator new(s, alignment, std::nothrow); },
          [](void* p) { ::operator delete(p, alignment, std::nothrow); });
    check([](std::size_t s) { return ::operator new[](s, alignment, std::nothrow); },
          [](void* p) { ::operator delete[](p, alignment, std::nothrow); });
  }
}

TEST_CASE("so does every function of the malloc family", "[limits][sources]") {
  exactly fixture;
  for (std::size_t n :
       {std::size_t{1}, std::size_t{100}, std::size_t{4096}, std::size_t{1'000'001}}) {
    CAPTURE(n);
    auto const check = [n](auto take) {
      void* volatile block = nullptr;
      auto const r = amounts_of([&] { block = take(n); });
      std::free(block);
      REQUIRE(block != nullptr);
      CHECK(r.allocated == counted_of(n));
      CHECK(r.live == counted_of(n));
    };
    check([](std::size_t s) { return std::malloc(s); });
    check([](std::size_t s) { return std::calloc(1, s); });
    check([](std::size_t s) { return std::calloc(s, 1); });
    check([](std::size_t s) { return std::realloc(nullptr, s); });
    check([](std::size_t s) { return ::reallocarray(nullptr, 1, s); });
    check([](std::size_t s) { return ::memalign(64, s); });
    check([](std::size_t s) { return ::valloc(s); });
    check([](std::size_t s) {
      void* block = nullptr;
      return ::posix_memalign(&block, 64, s) == 0 ? block : nullptr;
    });
  }
  void* volatile block = nullptr;
  CHECK(amounts_of([&] { block = std::aligned_alloc(64, 640); }).live == counted_of(640));
  std::free(block);
}

TEST_CASE("realloc: one live block, of its new size", "[limits][sources]") {
  exactly fixture;
  for (std::size_t to : {std::size_t{8}, std::size_t{1000}, std::size_t{2'000'000}}) {
    void* volatile block = nullptr;
    auto const r = amounts_of([&] {
      block = std::malloc(1000);
      block = std::realloc(block, to);
    });
    CAPTURE(to);
    CHECK(r.live == counted_of(to));
    std::free(block);
  }
}

TEST_CASE("malloc never throws: charged, and interrupted at the next operator new",
          "[limits][sources]") {
  exactly fixture;
  bool got_all = false;
  words granted{};
  auto const r = limit_allocations(10_kw, [&] {
    bool all = true;
    for (int i = 0; i < 100; ++i) {
      void* volatile block = std::malloc(8'000);
      all = all && block != nullptr;
      std::free(block);
    }
    got_all = all;
    churn_until(1_kw, granted);
  });
  REQUIRE_FALSE(r);
  CHECK(got_all);
  CHECK(granted == 0_w);
  CHECK(r.error().deliveries() == 1);

  bool survived = false;
  auto const polled = limit_allocations(10_kw, [&] {
    void* volatile block = std::malloc(800'000);
    std::free(block);
    cancellation_point();
    survived = true;
  });
  CHECK_FALSE(polled);
  CHECK_FALSE(survived);

  auto const never = limit_allocations(10_kw, [] {
    void* volatile block = std::malloc(800'000);
    std::free(block);
    return 1;
  });
  REQUIRE_FALSE(never);
  CHECK(never.error().deliveries() == 0);
}

TEST_CASE("nothrow new never throws, and is granted", "[limits][sources]") {
  exactly fixture;
  bool got = false;
  words granted{};
  auto const r = limit_allocations(1_kw, [&] {
    void* const block = ::operator new(80'000, std::nothrow);
    got = block != nullptr;
    ::operator delete(block, std::nothrow);
    churn_until(1_kw, granted);
  });
  REQUIRE_FALSE(r);
  CHECK(got);
  CHECK(granted == 0_w);
}

TEST_CASE("ordinary containers and strings are limited", "[limits][sources]") {
  exactly fixture;
  auto const strings = limit_memory(1_MiB, [] {
    std::vector<std::string> v;
    for (;;) v.emplace_back(100, 'x');
  });
  CHECK_FALSE(strings);
  auto const one = limit_allocations(1_MiB, [] { return std::string(10'000'000, 'x'); });
  CHECK_FALSE(one);
  CHECK(limit_allocations(1_MiB, [] { return std::string(1000, 'x'); }).value().value.size() ==
        1000);
}

}  // namespace
}  // namespace memprof::test
