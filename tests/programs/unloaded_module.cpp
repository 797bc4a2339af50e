// SPDX-License-Identifier: MIT
// A module that is loaded in a task, allocates, and is unloaded while its blocks live on; again
// and again, with a second thread allocating.
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <thread>

#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

int main() {
  char const* const modules = std::getenv("MEMPROF_TEST_MODULES");
  CHECK(modules != nullptr);
  const std::string path = std::string(modules) + "/allocating_module.so";
  memprof::set_process_sampling_rate(memprof::sampling_rate{0.05});
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) ::operator delete(::operator new(1000));
  });
  for (int round = 0; round < 100; ++round) {
    void* from_new = nullptr;
    void* from_malloc = nullptr;
    const auto r = memprof::limit_memory(1_GiB, [&] {
      void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      CHECK(module != nullptr);
      from_new = reinterpret_cast<void* (*)(std::size_t)>(dlsym(module, "get_by_new"))(5000);
      from_malloc = reinterpret_cast<void* (*)(std::size_t)>(dlsym(module, "get_by_malloc"))(5000);
      CHECK(dlclose(module) == 0);
    });
    CHECK(r.has_value());
    ::operator delete(from_new);
    std::free(from_malloc);
  }
  // Its allocations are counted, and interrupted, as any.
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  CHECK(module != nullptr);
  auto* fill = reinterpret_cast<void (*)()>(dlsym(module, "fill_for_ever"));
  const auto r = memprof::limit_memory(32_MiB, [&] { fill(); });
  CHECK(!r && r.error().kind() == memprof::limit_kind::memory);
  stop = true;
  other.join();
}
