// SPDX-License-Identifier: MIT
//
// What feeds the sampler: the explicit sources in both builds, operator new and malloc in the one
// that replaces them. Nothing is counted twice.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <memory_resource>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
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

TEST_CASE("memory_resource counts each block once", "[limits][sources]") {
  exactly fixture;
  memory_resource resource;
  CHECK(resource.upstream() == std::pmr::new_delete_resource());
  CHECK(resource.is_equal(resource));
  CHECK_FALSE(resource.is_equal(memory_resource()));
  for (std::size_t size : sizes) {
    for (std::size_t alignment : {std::size_t{1}, alignof(std::max_align_t), std::size_t{256}}) {
      CAPTURE(size, alignment);
      void* block = nullptr;
      auto const after = amounts_of([&] { block = resource.allocate(size, alignment); });
      CHECK(reinterpret_cast<std::uintptr_t>(block) % alignment == 0);
      CHECK(after.allocated == counted_of(size));
      CHECK(after.live == counted_of(size));
      resource.deallocate(block, size, alignment);
      auto const pair = amounts_of(
          [&] { resource.deallocate(resource.allocate(size, alignment), size, alignment); });
      CHECK(pair.allocated == counted_of(size));
      CHECK(pair.live == bytes{0});
    }
  }
}

TEST_CASE("memory_resource passes on to its upstream", "[limits][sources]") {
  exactly fixture;
  alignas(std::max_align_t) std::byte arena[1024];
  std::pmr::monotonic_buffer_resource bounded(arena, sizeof arena,
                                              std::pmr::null_memory_resource());
  memory_resource resource(&bounded);
  CHECK(resource.upstream() == &bounded);
  bool inside = false;
  auto const r = amounts_of([&] {
    void* const block = resource.allocate(512);
    inside = block >= arena && block < arena + sizeof arena;
    resource.deallocate(block, 512);
  });
  CHECK(inside);
  CHECK(r.allocated == counted_of(512));
  CHECK(r.live == bytes{0});
  // What upstream throws comes out; a block that was not obtained is not live.
  std::optional<bool> refused;
  auto const failed = amounts_of([&] {
    try {
      static_cast<void>(resource.allocate(4096));
    } catch (std::bad_alloc const&) {
      refused = true;
    }
  });
  CHECK(refused == true);
  CHECK(failed.live == bytes{0});
}

TEST_CASE("pmr containers are limited and unwound", "[limits][sources]") {
  exactly fixture;
  memory_resource resource;
  auto const fill = [&](int n) {
    std::pmr::map<int, std::pmr::string> map(&resource);
    for (int i = 0; i < n; ++i) map.emplace(i, "a string too long to be kept in place");
    return map.size();
  };
  auto const ok = limit_memory(100_kw, [&] { return fill(1000); });
  REQUIRE(ok);
  CHECK(*ok == 1000);
  auto const greedy = amounts_of(
      [&] { return limit_memory(100_kw, [&] { return fill(1'000'000); }).has_value() ? 1 : 0; });
  CHECK(greedy.live == bytes{0});
  CHECK(greedy.allocated > bytes{100_kw - 30_w});  // without the refused block
  CHECK(greedy.allocated <= bytes{101_kw});
}

TEST_CASE("allocator<T> counts each block once, in containers, too", "[limits][sources]") {
  exactly fixture;
  STATIC_REQUIRE(std::allocator_traits<allocator<int>>::is_always_equal::value);
  CHECK(allocator<int>() == allocator<double>());
  for (std::size_t n : std::initializer_list<std::size_t>{1, 10, 100'000}) {
    double* block = nullptr;
    auto const after = amounts_of([&] { block = allocator<double>().allocate(n); });
    CHECK(after.allocated == counted_of(n * sizeof(double)));
    CHECK(after.live == counted_of(n * sizeof(double)));
    allocator<double>().deallocate(block, n);
  }
  struct alignas(64) aligned {
    char c[64];
  };
  auto const over_aligned = amounts_of([&] {
    aligned* const p = allocator<aligned>().allocate(3);
    if (reinterpret_cast<std::uintptr_t>(p) % 64 != 0) throw std::logic_error("not aligned");
    allocator<aligned>().deallocate(p, 3);
  });
  CHECK(over_aligned.allocated == counted_of(192));
  CHECK_THROWS_AS(allocator<double>().allocate(std::numeric_limits<std::size_t>::max() / 4),
                  std::bad_array_new_length);

  auto const vector = amounts_of([] {
    std::vector<std::int64_t, allocator<std::int64_t>> v;
    v.reserve(1000);
    v.resize(1000);
  });
  CHECK(vector.allocated == counted_of(8000));
  CHECK(vector.live == bytes{0});
  auto const grows = limit_allocations(10_kw, [] {
    std::vector<std::int64_t, allocator<std::int64_t>> v;
    for (;;) v.push_back(1);
  });
  CHECK_FALSE(grows);
  using pair = std::pair<int const, int>;
  auto const tree = limit_memory(10_kw, [] {
    std::map<int, int, std::less<>, allocator<pair>> m;
    for (int i = 0;; ++i) m[i] = i;
  });
  CHECK_FALSE(tree);
}

}  // namespace
}  // namespace memprof::test
