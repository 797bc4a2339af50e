// SPDX-License-Identifier: MIT
#include "base/page_memory.hpp"

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/auxv.h>
#include <vector>

#include "support/catch2.hpp"

using namespace memprof;

namespace {

constexpr std::size_t size = 400 << 10;

/// What the kernel says of the mapping around `memory`: the words behind "VmFlags:".
std::string flags_of(void* memory) {
  std::ifstream smaps("/proc/self/smaps");
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    std::istringstream words(line);
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    if (words >> std::hex >> begin >> dash >> end && dash == '-') {
      inside = begin <= address && address < end;
    } else if (inside && line.starts_with("VmFlags:")) {
      return line.substr(8) + ' ';
    }
  }
  return {};
}

}  // namespace

TEST_CASE("base: pages are zeroed, can be written and given back; errno is kept") {
  errno = 77;
  for (auto* map : {&base::map_pages, &base::map_sparse_pages}) {
    auto* const memory = static_cast<unsigned char*>(map(size));
    REQUIRE(memory != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(memory) % 4096 == 0);
    CHECK(memory[0] == 0);
    CHECK(memory[size - 1] == 0);
    memory[0] = memory[size - 1] = 1;
    base::unmap_pages(memory, size);
  }
  CHECK(base::map_pages(std::size_t{1} << 60) == nullptr);
  CHECK(base::map_sparse_pages(std::size_t{1} << 60) == nullptr);
  CHECK(errno == 77);
}

TEST_CASE("base: sizes are rounded up to whole pages of this kernel") {
  const auto page = static_cast<std::size_t>(getauxval(AT_PAGESZ));
  CHECK(base::whole_pages(0) == 0);
  CHECK(base::whole_pages(1) == page);
  CHECK(base::whole_pages(page) == page);
  CHECK(base::whole_pages(10 * page + 1) == 11 * page);
}

TEST_CASE("base: sparse pages are never made huge, whoever their neighbours are") {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) {
    WARN("a kernel without huge pages");
    return;
  }
  std::vector<void*> neighbours;
  for (int i = 0; i < 12; ++i) neighbours.push_back(base::map_sparse_pages(size));
  for (void* memory : neighbours) {
    CAPTURE(flags_of(memory));
    CHECK(flags_of(memory).find(" nh ") != std::string::npos);
    base::unmap_pages(memory, size);
  }
}
