// SPDX-License-Identifier: MIT
// Plug-ins that are loaded with RTLD_DEEPBIND, whose calls of free find the C library's first, and
// the program end each other's blocks: sampled ones and others, bound at once or at the first call.
// Where the program may look for a plug-in (DT_RUNPATH) and what dlopen says of it are as ever.
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <string>

#include "memprof/memprof.hpp"

#include "check.hpp"

namespace {

template <class Function>
Function find(void* plug_in, char const* name) {
  void* const found = dlsym(plug_in, name);
  CHECK(found != nullptr);
  return reinterpret_cast<Function>(found);
}

template <class T>
T* hidden(T* pointer) {
  asm volatile("" : "+r"(pointer) : : "memory");
  return pointer;
}

void exchange_blocks(void* plug_in) {
  const auto free_there = find<void (*)(void*)>(plug_in, "plug_in_free");
  const auto realloc_there = find<void* (*)(void*, std::size_t)>(plug_in, "plug_in_realloc");
  const auto copy_there = find<char* (*)(char const*)>(plug_in, "plug_in_copy");
  const auto delete_there = find<void (*)(void*)>(plug_in, "plug_in_delete");
  const auto delete_array_there = find<void (*)(void*)>(plug_in, "plug_in_delete_array");
  const auto new_there = find<void* (*)(std::size_t)>(plug_in, "plug_in_new");
  for (std::size_t i = 0; i < 2000; ++i) {
    const std::size_t size = 20 + i % 300;
    free_there(hidden(std::malloc(size)));
    auto* const text = static_cast<char*>(hidden(std::malloc(size)));
    std::strcpy(text, "contents");
    auto* const grown = static_cast<char*>(realloc_there(text, 3 * size));
    CHECK(std::strcmp(grown, "contents") == 0);
    std::free(grown);
    std::free(copy_there("a text"));
    delete_there(hidden(::operator new(size)));
    delete_array_there(hidden(::operator new[](size)));
    ::operator delete(new_there(size));
  }
}

}  // namespace

int main() {
  const std::string file = std::string(std::getenv("MEMPROF_TEST_MODULES")) + "/deep_plug_in.so";
  CHECK(dlopen((file + ".none").c_str(), RTLD_NOW | RTLD_DEEPBIND) == nullptr);
  CHECK(std::strstr(dlerror(), "deep_plug_in.so.none") != nullptr);
  CHECK(dlopen(nullptr, RTLD_NOW | RTLD_DEEPBIND) != nullptr);
  for (double rate : {0.0, 1e-3, 1.0}) {
    memprof::set_process_sampling_rate(memprof::sampling_rate{rate});
    for (int when : {RTLD_NOW, RTLD_LAZY}) {
      const auto before = memprof::counters().tracked_blocks;
      void* const plug_in = dlopen(file.c_str(), when | RTLD_DEEPBIND);
      CHECK(plug_in != nullptr);
      CHECK(dlerror() == nullptr);
      exchange_blocks(plug_in);
      CHECK(dlclose(plug_in) == 0);
      CHECK(memprof::counters().tracked_blocks <= before + 20);  // the loader's own
    }
  }
}
