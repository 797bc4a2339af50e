// SPDX-License-Identifier: MIT
// malloc_policy::refuse spares the callers that would end the process: the loader's thread-local
// data, exceptions, destructors of thread_local objects, g_malloc, a program's own xmalloc.
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <thread>

#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

extern "C" __attribute__((noinline, visibility("default"))) void* xmalloc(std::size_t size) {
  void* const block = std::malloc(size);
  if (block == nullptr) std::abort();
  return block;
}

namespace {

struct ends_with_thread {
  int value = 1;
  ~ends_with_thread() { value = 0; }
};

void* volatile sink;  // no pair is elided

/// Runs f where malloc refuses; whether it did.
template <class F>
bool while_refused(F&& f) {
  memprof::limits l{.memory = 1_MiB};
  l.malloc_after_hit = memprof::malloc_policy::refuse;
  auto const r = memprof::run_limited(l, [&] {
    sink = std::malloc(100'000'000);
    CHECK(sink == nullptr);
    sink = std::malloc(10);
    CHECK(sink == nullptr);
    f();
  });
  return !r && r.error().refusals() >= 2;
}

}  // namespace

int main() {
  CHECK(while_refused([] { std::free(xmalloc(100)); }));
  CHECK(while_refused([] {
    for (int n = 0; n < 100; ++n) {
      try {
        throw n;
      } catch (int) {
      }
    }
  }));
  std::thread([] {
    CHECK(while_refused([] {
      thread_local ends_with_thread object;
      CHECK(object.value == 1);
    }));
  }).join();

  std::string const modules = std::getenv("MEMPROF_TEST_MODULES");
  void* const module = dlopen((modules + "/thread_local_module.so").c_str(), RTLD_NOW);
  CHECK(module != nullptr);
  auto* const touch = reinterpret_cast<int (*)()>(dlsym(module, "touch_thread_local"));
  CHECK(touch != nullptr);
  std::thread([&] { CHECK(while_refused([&] { CHECK(touch() == 2); })); }).join();

  if (void* const glib = dlopen("libglib-2.0.so.0", RTLD_NOW)) {
    for (char const* name : {"g_malloc", "g_malloc0"}) {
      auto* const allocate = reinterpret_cast<void* (*)(std::size_t)>(dlsym(glib, name));
      CHECK(allocate != nullptr);
      CHECK(while_refused([&] { std::free(allocate(100)); }));
    }
    auto* const duplicate = reinterpret_cast<char* (*)(char const*)>(dlsym(glib, "g_strdup"));
    CHECK(while_refused([&] { std::free(duplicate("text")); }));
  }
}
