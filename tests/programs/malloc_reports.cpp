// SPDX-License-Identifier: MIT
// What mallinfo2, mallinfo, malloc_info and malloc_stats say grows and shrinks with the program's
// blocks, sampled or not.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <vector>

#include "memprof/memprof.hpp"

#include "check.hpp"
#include "ended_child.hpp"

namespace {

std::size_t in_use() { return mallinfo2().uordblks; }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
std::size_t in_use_by_int() { return static_cast<std::size_t>(mallinfo().uordblks); }
#pragma GCC diagnostic pop

std::size_t sampled_by_xml() {
  char* text = nullptr;
  std::size_t size = 0;
  FILE* const file = open_memstream(&text, &size);
  CHECK(malloc_info(0, file) == 0);
  std::fclose(file);
  char const* const total = std::strstr(text, "<total type=\"memprof\" count=\"");
  CHECK(total != nullptr && std::strstr(total, "</malloc>") != nullptr);
  std::size_t count = 0;
  std::size_t bytes = 0;
  CHECK(std::sscanf(total, "<total type=\"memprof\" count=\"%zu\" size=\"%zu\"/>", &count,
                    &bytes) == 2);
  std::free(text);
  return bytes;
}

}  // namespace

int main() {
  constexpr std::size_t blocks = 1000, size = 1000, all = blocks * size;
  for (double rate : {0.0, 1.0}) {
    memprof::set_process_sampling_rate(memprof::sampling_rate{rate});
    if (memprof::counters().aligned_blocks != 0) return 0;  // the next allocator's, as under QEMU
    std::vector<void*> kept(blocks);
    const std::size_t before = in_use(), by_int = in_use_by_int(), by_xml = sampled_by_xml();
    for (void*& block : kept) block = std::malloc(size);
    CHECK(in_use() - before >= all && in_use() - before < all * 5 / 4);
    CHECK(in_use_by_int() - by_int >= all && in_use_by_int() - by_int < all * 5 / 4);
    CHECK((sampled_by_xml() - by_xml >= all) == (rate == 1.0));
    const ended_child stats = child_doing([] { malloc_stats(); });
    CHECK(stats.said.find("Sampled blocks (memprof):\nsystem bytes") != std::string::npos);
    for (void* block : kept) std::free(block);
    CHECK(in_use() < before + all / 10);
    CHECK(sampled_by_xml() < by_xml + all / 10);
  }
}
