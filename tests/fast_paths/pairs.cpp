// SPDX-License-Identifier: MIT
// usage: pairs malloc|new|page COUNT
//
// COUNT pairs of an allocation of 64 bytes and its release, and nothing else: what the instructions
// of one pair are counted with. page: the block is an ordinary one that starts a page, as those do
// that memprof tracks where it cannot pack them. Built twice, with memprof::memprof and without.
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string_view>

namespace {

// So that no compiler removes the pair.
inline void keep(void*& block) { __asm__ volatile("" : "+r"(block) : : "memory"); }

/// From here on malloc(64) gives an ordinary block that starts a page, the last one freed. (One
/// that is sampled may start a page, too, but does not come back so often.) Those before it stay.
void find_page() {
  for (std::uintptr_t freed = 0;;) {
    void* block = std::malloc(64);
    keep(block);
    auto const address = reinterpret_cast<std::uintptr_t>(block);
    bool const again = address == freed;
    if (address % 4096 != 0) continue;
    freed = address;
    std::free(block);
    if (again) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::string_view const what = argv[1];
  long const count = std::strtol(argv[2], nullptr, 10);
  if (what == "page") find_page();
  if (what == "malloc" || what == "page") {
    for (long i = 0; i < count; ++i) {
      void* block = std::malloc(64);
      keep(block);
      std::free(block);
    }
  } else if (what == "new") {
    for (long i = 0; i < count; ++i) {
      void* block = ::operator new(64);
      keep(block);
      ::operator delete(block, 64);
    }
  } else {
    return 2;
  }
  return 0;
}
