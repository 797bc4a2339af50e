// SPDX-License-Identifier: MIT
#include "base/size_classes.hpp"

#include <cstddef>
#include <cstdint>

#include "support/catch2.hpp"

namespace size_classes = memprof::base::size_classes;

static_assert(size_classes::class_of(0) == 0);
static_assert(size_classes::size_of(size_classes::class_of(100)) == 112);
static_assert(size_classes::size_of(28) == 5120 && size_classes::class_of(5000) == 28);
static_assert(size_classes::size_of(79) == std::size_t{32} << 20);
static_assert(size_classes::size_of(80) == std::size_t{64} << 20);

TEST_CASE("size_classes: each class is the least that has room") {
  for (unsigned c = 0; c < size_classes::count; ++c) {
    const std::size_t size = size_classes::size_of(c);
    CHECK(size_classes::class_of(size) == c);
    CHECK(size_classes::class_of(size + 1) == c + 1);
    CHECK(size % 16 == 0);
    if (size > 64 << 10) CHECK(size % (16 << 10) == 0);
  }
  for (std::size_t size = 1; size < 200'000; ++size) {
    const std::size_t room = size_classes::size_of(size_classes::class_of(size));
    CHECK_FALSE((room < size || room > size + size / 4 + 16));
  }
}

TEST_CASE("size_classes: what is larger than the largest has none") {
  const std::size_t largest = size_classes::size_of(size_classes::count - 1);
  for (const std::size_t size : {largest + 1, 2 * largest + 1, 3 * largest, SIZE_MAX}) {
    CHECK(size_classes::class_of(size) == size_classes::count);
    CHECK(size_classes::class_of(size, 4096) == size_classes::count);
  }
}

TEST_CASE("size_classes: slots are aligned as requested") {
  for (std::size_t alignment = 1; alignment <= std::size_t{1} << 30; alignment *= 2) {
    for (std::size_t size : {1UL, 100UL, 4097UL, 70'000UL, 1'000'000UL}) {
      const std::size_t room = size_classes::size_of(size_classes::class_of(size, alignment));
      CHECK(room >= size);
      CHECK(room % alignment == 0);
    }
  }
}
