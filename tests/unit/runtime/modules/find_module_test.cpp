// SPDX-License-Identifier: MIT
#include "modules/find_module.hpp"

#include <algorithm>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "modules/code_owner.hpp"
#include "support/catch2.hpp"

using namespace memprof::modules;

namespace {

[[gnu::noinline]] int code(int x) { return x * 3 + 1; }
const std::uintptr_t here = reinterpret_cast<std::uintptr_t>(&code);

}  // namespace

TEST_CASE("find module: the program, by its address and in the list") {
  CHECK(code(1) == 4);
  found_module found;
  REQUIRE(find_module(here, found));
  CHECK(found.range.contains(here));
  CHECK(std::string(found.name).empty());
  int listed = 0;
  visit_modules([&](dl_phdr_info const& info) noexcept {
    const auto image = loaded_image::of(info);
    if (!image.extent().contains(here)) return true;
    ++listed;
    CHECK(image.bias == found.bias);
    CHECK(image.extent().end >= found.range.end);
    CHECK(image.end_of_code_at(here - image.bias) > here - image.bias);
    CHECK(image.end_of_code_at(image.extent().end - image.bias) == 0);
    CHECK(std::ranges::equal(image.build_id(), found.image().build_id()));
    return false;  // it comes first
  });
  CHECK(listed == 1);
  const int local = 0;
  CHECK_FALSE(find_module(reinterpret_cast<std::uintptr_t>(&local), found));
}

TEST_CASE("find module: the segment around an address") {
  static int written = 1;
  static const char constant[] = "constant";
  for (auto const at :
       {here, reinterpret_cast<std::uintptr_t>(&written),
        reinterpret_cast<std::uintptr_t>(constant), reinterpret_cast<std::uintptr_t>(&::waitpid)}) {
    const address_range around = readable_around(at);
    CHECK(around.contains(at));
    CHECK(is_readable(at, around.end - at));
    CHECK_FALSE(is_readable(at, around.end - at + 1));
    CHECK_FALSE(is_readable(at, ~std::size_t{0}));
  }
  // The program's code and data are not in one segment.
  CHECK_FALSE(readable_around(here).contains(reinterpret_cast<std::uintptr_t>(&written)));
  const int local = 0;
  CHECK(readable_around(reinterpret_cast<std::uintptr_t>(&local)) == address_range{});
  CHECK(readable_around(0) == address_range{});
}

TEST_CASE("find module: the headers are not taken from what is no module") {
  alignas(page_size) static const unsigned char page[page_size] = {0x7f, 'E', 'L', 'F'};
  const auto image = loaded_image::at(reinterpret_cast<std::uintptr_t>(page), 0);
  CHECK(image.segments.empty());
  CHECK(image.extent() == address_range{});
  CHECK(image.build_id().empty());
}

TEST_CASE("find module: a forked child trusts nothing that could have been unloaded") {
  pid_t const child = fork();
  if (child == 0) _exit(unload_epoch() != unload_epoch() ? 0 : 1);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(unload_epoch() == unload_epoch());
}
