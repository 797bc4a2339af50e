// SPDX-License-Identifier: MIT
// malloc_policy::refuse spares the callers that would end the process: the loader's thread-local
// data, exceptions, destructors of thread_local objects, all of GLib but g_try_malloc and the like,
// a program's own xmalloc and malloc_or_die.
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

extern "C" __attribute__((noinline, visibility("default"))) void* xmalloc(std::size_t size) {
  void* const block = std::malloc(size);
  if (block == nullptr) std::abort();
  return block;
}

extern "C" __attribute__((noinline, visibility("default"))) void* malloc_or_die(std::size_t size) {
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

template <class Function>
Function* function(void* module, char const* name) {
  auto* const found = reinterpret_cast<Function*>(dlsym(module, name));
  CHECK(found != nullptr);
  return found;
}
using allocate = void*(std::size_t);

/// One library under two names: only under that of GLib is its malloc served.
void as_glib(std::string const& plain, std::string const& named) {
  std::filesystem::copy_file(plain, named);
  for (std::string const& file : {plain, named}) {
    void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    CHECK(module != nullptr);
    void* appended = nullptr;
    void* tried = nullptr;
    CHECK(while_refused([&] {
      appended = function<allocate>(module, "append_to_list")(100);
      tried = function<allocate>(module, "g_try_new")(100);
    }));
    CHECK((appended != nullptr) == (file == named));
    CHECK(tried == nullptr);
    std::free(appended);
  }
  std::filesystem::remove(named);
}

/// A library that is refused in a task that is served, and one that is served in one that is
/// refused.
void by_module(std::string const& file) {
  void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  CHECK(module != nullptr);
  auto* const append = function<allocate>(module, "append_to_list");
  void* appended = nullptr;
  auto const hit = [&](auto&& f) {
    CHECK(!memprof::run_limited({.memory = 1_MiB}, [&] {
      sink = std::malloc(10'000'000);
      CHECK(sink != nullptr);
      std::free(sink);
      f();
    }));
  };
  hit([&] { appended = append(100); });
  CHECK(appended != nullptr);
  std::free(appended);

  memprof::set_malloc_after_hit_in_module("returns_null.so", memprof::malloc_policy::refuse);
  hit([&] {
    appended = append(100);
    sink = std::malloc(2'000'000);  // more than the limit has left
    CHECK(sink != nullptr);
    std::free(sink);
  });
  CHECK(appended == nullptr);
  appended = append(100);  // outside of any limit
  CHECK(appended != nullptr);
  std::free(appended);

  memprof::set_malloc_after_hit_in_module(file.c_str(), memprof::malloc_policy::serve);
  CHECK(while_refused([&] { appended = append(100); }));
  CHECK(appended != nullptr);
  std::free(appended);
}

/// It would abort else. Lists and trees are of slices, many of which come from one block of malloc.
void glib_is_served(void* glib) {
  for (char const* name : {"g_malloc", "g_malloc0"}) {
    CHECK(while_refused([&] { std::free(function<allocate>(glib, name)(100)); }));
  }
  CHECK(while_refused([&] {
    std::free(function<char*(char const*)>(glib, "g_strdup")("text"));
    auto* const prepend = function<void*(void*, void*)>(glib, "g_list_prepend");
    void* list = nullptr;
    for (int i = 0; i < 100'000; ++i) list = prepend(list, nullptr);
    function<void(void*)>(glib, "g_list_free")(list);

    auto* const append = function<void*(void*, char const*)>(glib, "g_string_append");
    void* const text = function<void*(char const*)>(glib, "g_string_new")("");
    for (int i = 0; i < 10'000; ++i) append(text, "0123456789");
    std::free(function<char*(void*, int)>(glib, "g_string_free")(text, 0));

    auto* const insert = function<int(void*, void*, void*)>(glib, "g_hash_table_insert");
    void* const table = function<void*(void*, void*)>(glib, "g_hash_table_new")(nullptr, nullptr);
    for (char const& key : std::string(1000, ' ')) insert(table, const_cast<char*>(&key), nullptr);
    function<void(void*)>(glib, "g_hash_table_unref")(table);
  }));
  for (char const* name : {"g_try_malloc", "g_try_malloc0"}) {
    CHECK(while_refused([&] { CHECK(function<allocate>(glib, name)(100) == nullptr); }));
  }
}

}  // namespace

int main() {
  CHECK(while_refused([] { std::free(xmalloc(100)); }));
  CHECK(while_refused([] { std::free(malloc_or_die(100)); }));
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

  // Other processes may run this test, too.
  as_glib(modules + "/returns_null.so",
          modules + "/libglib-2.0.so.test" + std::to_string(getpid()));
  by_module(modules + "/returns_null.so");
  if (void* const glib = dlopen("libglib-2.0.so.0", RTLD_NOW)) {
    glib_is_served(glib);
  } else {
    std::puts("GLib is not installed: only its stand-in was tried");
  }
}
