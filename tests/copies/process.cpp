// SPDX-License-Identifier: MIT
// usage: process (local|global|foreign|inactive) PLUG-IN...
//
// local, global: loads the plug-ins. All of them and the program, if it has a copy of the library
// work as one; also after the first plug-in has been closed.
// foreign: prints why the plug-in's limits are refused.
// inactive: nothing feeds the sampler. The copy that works for all is in the first plug-in, which
// outlives its dlclose: the others call it. Where there are no others it is gone then.
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

#include "copies/side.hpp"
#include "programs/check.hpp"

using memprof::test::side;

namespace {

/// Each with each, in both directions.
void test(std::vector<side const*> const& sides) {
  for (side const* a : sides) {
    for (side const* b : sides) {
      if (a != b) a->test_with(*b);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  CHECK(argc >= 3);
  const int scope = std::strcmp(argv[1], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
  std::vector<side const*> sides;
#ifdef MEMPROF_TEST_LINKED
  sides.push_back(memprof_test_side());
#endif
  void* first = nullptr;
  for (int i = 2; i < argc; ++i) {
    void* const module = dlopen(argv[i], RTLD_NOW | scope);
    if (module == nullptr) std::fprintf(stderr, "%s\n", dlerror());
    CHECK(module != nullptr);
    if (first == nullptr) first = module;
    auto* const of_module = reinterpret_cast<side const* (*)()>(dlsym(module, "memprof_test_side"));
    sides.push_back(of_module());
  }
  if (std::strcmp(argv[1], "foreign") == 0) {
    CHECK(!sides.back()->is_active());
    std::printf("refused: %s\n", sides.back()->refusal().c_str());
    return 0;
  }
  if (std::strcmp(argv[1], "inactive") == 0) {
    dlclose(first);
    sides.erase(sides.begin());
    CHECK((dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD) == nullptr) == sides.empty());
    for (side const* s : sides) {
      CHECK(!s->is_active());
      CHECK(s->refusal().find("nothing feeds the sampler") != std::string::npos);
      bool is_masked = false;
      s->masked([&] { is_masked = s->is_masked(); });
      CHECK(is_masked && !s->is_masked());
      s->cancellation_point();
      CHECK(!s->is_interrupted());
      CHECK(s->live_memory() == 0);
    }
    return 0;
  }
  test(sides);
  const std::size_t of_first = sides.size() - static_cast<std::size_t>(argc - 2);
  sides.erase(sides.begin() + static_cast<std::ptrdiff_t>(of_first));
  dlclose(first);
  test(sides);
  if (!sides.empty()) CHECK(sides.back()->refusal().empty());
}
