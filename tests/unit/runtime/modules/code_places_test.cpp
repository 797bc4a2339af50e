// SPDX-License-Identifier: MIT
#include "modules/code_places.hpp"

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "modules/code_location.hpp"
#include "modules/find_module.hpp"
#include "support/catch2.hpp"

using namespace memprof::modules;

namespace {

[[gnu::noinline]] int function_of_code_places_test(int n) { return n * 3 + std::abs(n); }

}  // namespace

TEST_CASE("code places: as locate says, many at once") {
  const auto own = reinterpret_cast<std::uintptr_t>(&function_of_code_places_test) + 1;
  const auto library = reinterpret_cast<std::uintptr_t>(&std::abort) + 1;
  const std::vector<std::uintptr_t> addresses{library, own, 1, own + 1};
  const code_places found = find_code_places(addresses, true);
  REQUIRE(found.places.size() == 4);
  for (std::size_t i : {0U, 1U, 3U}) {
    const code_location one = locate(addresses[i]);
    CHECK(found.places[i].function == one.function);
    REQUIRE(found.places[i].segment < found.segments.size());
    code_segment const& s = found.segments[found.places[i].segment];
    CHECK(s.path == one.module);
    CHECK(s.begin <= addresses[i]);
    CHECK(addresses[i] < s.end);
  }
  CHECK(found.places[1].function.find("function_of_code_places_test") != std::string::npos);
  CHECK(found.places[2].segment == code_place::nowhere);
  CHECK(found.places[1].segment == found.places[3].segment);
  CHECK(found.segments[0].path == locate(own).module);  // the program's first

  for (code_place const& p : find_code_places(addresses, false).places) CHECK(p.function.empty());
}

TEST_CASE("code places: segments are those of /proc/self/maps") {
  const auto address = reinterpret_cast<std::uintptr_t>(&std::abort) + 1;
  const code_places found = find_code_places({address}, false);
  code_segment const& s = found.segments.at(found.places.at(0).segment);
  std::ifstream maps("/proc/self/maps");
  std::string range, flags, offset, rest;
  bool seen = false;
  while (maps >> range >> flags >> offset && std::getline(maps, rest)) {
    const std::uintptr_t begin = std::stoull(range, nullptr, 16);
    const std::uintptr_t end = std::stoull(range.substr(range.find('-') + 1), nullptr, 16);
    if (address < begin || address >= end) continue;
    seen = true;
    CHECK(s.begin == begin);
    CHECK(s.end == end);
    CHECK(s.file_offset == std::stoull(offset, nullptr, 16));
  }
  CHECK(seen);
  CHECK(s.build_id.size() >= 16);
}

TEST_CASE("code places: a segment from its first address to its last") {
  int segments = 0;
  visit_modules([&segments](dl_phdr_info const& info) noexcept {
    const auto image = loaded_image::of(info);
    for (ElfW(Phdr) const& s : image.segments) {
      if (s.p_type != PT_LOAD || (s.p_flags & PF_X) == 0) continue;
      const std::uintptr_t first = image.bias + s.p_vaddr;
      const std::uintptr_t last = first + s.p_memsz - 1;
      if (std::string_view{info.dlpi_name}.find("vdso") != std::string_view::npos) continue;
      ++segments;
      for (const std::uintptr_t address : {first, last}) {
        const code_places found = find_code_places({address}, false);
        code_segment const& of = found.segments.at(found.places.at(0).segment);
        CHECK(of.begin <= first);
        CHECK(of.begin + page_size > first);
        CHECK(of.end > last);
        CHECK(of.end <= last + page_size);
      }
      if (!image.extent().contains(last + 1)) continue;
      const code_places behind = find_code_places({last + 1}, false);
      if (behind.places.at(0).segment == code_place::nowhere) continue;
      code_segment const& of = behind.segments.at(behind.places.at(0).segment);
      CHECK((of.begin > last || of.end <= first));
    }
    return true;
  });
  CHECK(segments >= 3);  // the program, libc, the loader
}
