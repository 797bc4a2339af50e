// SPDX-License-Identifier: MIT
// usage: pairs malloc|new COUNT
//
// COUNT pairs of an allocation of 64 bytes and its release, and nothing else: what the instructions
// of one pair are counted with. Built twice, with memprof::memprof and without.
#include <cstdlib>
#include <new>
#include <string_view>

namespace {

// So that no compiler removes the pair.
inline void keep(void*& block) { __asm__ volatile("" : "+r"(block) : : "memory"); }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::string_view const what = argv[1];
  long const count = std::strtol(argv[2], nullptr, 10);
  if (what == "malloc") {
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
