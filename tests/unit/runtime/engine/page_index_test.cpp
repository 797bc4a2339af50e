// SPDX-License-Identifier: MIT
#include <cstdint>
#include <thread>
#include <vector>

#include "engine/engine.hpp"
#include "support/catch2.hpp"

using namespace memprof::engine;

namespace {

// In pages, the first address that no program has: mmap gives AArch64's programs what is just
// below.
constexpr std::uintptr_t end = std::uintptr_t{1} << (
#if defined(__aarch64__)
                                   48
#else
                                   47
#endif
                                   - 12);

void const* page(std::uintptr_t number) { return reinterpret_cast<void const*>(number << 12); }

}  // namespace

TEST_CASE("page_index: exactly what was entered is found, across leaves") {
  const std::vector<std::uintptr_t> pages{
      1, 2, (1u << 18) - 1, 1u << 18, 5u << 20, 0x7fff00000u, end - 0x200000, end - 1};
  for (std::size_t i = 0; i < pages.size(); ++i) {
    CHECK(find_page(page(pages[i])) == 0);
    CHECK(insert_page(page(pages[i]), static_cast<std::uint32_t>(i + 1)));
  }
  for (std::size_t i = 0; i < pages.size(); ++i) {
    CHECK(find_page(page(pages[i])) == i + 1);
    CHECK(find_page(page(pages[i] ^ 64)) == 0);
    erase_page(page(pages[i]));
    CHECK(find_page(page(pages[i])) == 0);
  }
  CHECK_FALSE(insert_page(page(end), 1));
  CHECK(find_page(page(end)) == 0);
}

TEST_CASE("page_index: threads that race for one leaf lose no entry") {
  std::vector<std::jthread> threads;
  for (std::uintptr_t t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (std::uintptr_t i = 0; i < 5'000; ++i) {
        const auto address = page((std::uintptr_t{77} << 18) + i * 4 + t);
        insert_page(address, static_cast<std::uint32_t>(i + 1));
      }
    });
  }
  threads.clear();
  std::size_t found = 0;
  for (std::uintptr_t i = 0; i < 20'000; ++i) {
    found += find_page(page((std::uintptr_t{77} << 18) + i)) == i / 4 + 1 ? 1 : 0;
  }
  CHECK(found == 20'000);
}
