// SPDX-License-Identifier: MIT
// What the loader does: modules, namespaces of it, name services, conversions.
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <iconv.h>
#include <netdb.h>
#include <pwd.h>
#include <string>
#include <thread>
#include <unistd.h>

#include "situation.hpp"

#define SITUATION(name) MEMPROF_SITUATION_IN("loading", name)

namespace {

using situations::check;
using situations::say;
using situations::work;

/// Where the modules are: beside the program.
std::string module_file(char const* name) {
  std::string const path = situations::own_path();
  return path.substr(0, path.rfind('/') + 1) + "situation_" + name + ".so";
}

using module_function = unsigned (*)(unsigned);

module_function function_of(void* module) {
  return reinterpret_cast<module_function>(dlsym(module, "module_work"));
}

SITUATION(loaded_and_unloaded) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 100; ++i) {
    void* const module = dlopen(module_file("module").c_str(), RTLD_NOW);
    check(module != nullptr, "dlopen");
    sum += function_of(module)(i);
    dlclose(module);
    work(i, 10);
  }
  say("sum %u", sum);
  return 0;
}

SITUATION(loaded_by_threads) {
  std::thread threads[4];
  for (auto& thread : threads) {
    thread = std::thread([] {
      for (unsigned i = 0; i < 25; ++i) {
        void* const module = dlopen(module_file("module").c_str(), RTLD_NOW);
        function_of(module)(i);
        dlclose(module);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  say("loaded by threads");
  return 0;
}

// A C library, and so a malloc, of its own.
SITUATION(other_namespace) {
  void* const module = dlmopen(LM_ID_NEWLM, module_file("module_in_c").c_str(), RTLD_NOW);
  check(module != nullptr, "dlmopen");
  unsigned sum = 0;
  for (unsigned i = 0; i < 50; ++i) {
    sum += function_of(module)(i);
    sum += work(i, 10);
  }
  say("sum %u", sum);
  dlclose(module);
  work(1, 100);
  return 0;
}

SITUATION(bound_lazily) {
  void* const module = dlopen(module_file("module").c_str(), RTLD_LAZY | RTLD_LOCAL);
  check(module != nullptr, "dlopen");
  say("sum %u", function_of(module)(5));
  return 0;
}

SITUATION(kept_at_exit) {
  void* const module = dlopen(module_file("module").c_str(), RTLD_NOW | RTLD_NODELETE);
  say("sum %u", function_of(module)(6));
  std::thread([module] { function_of(module)(7); }).join();
  dlclose(module);
  return 16;
}

SITUATION(missing_module) {
  int missing = 0;
  for (int i = 0; i < 30; ++i) {
    missing += dlopen("no_such_module.so", RTLD_NOW) == nullptr && dlerror() != nullptr;
    missing += dlsym(RTLD_DEFAULT, "no_such_symbol_anywhere") == nullptr && dlerror() != nullptr;
  }
  say("%d missing", missing);
  return 0;
}

SITUATION(names_and_conversions) {
  passwd const* const root = getpwuid(0);
  say("user %s", root == nullptr ? "unknown" : root->pw_name);
  addrinfo* found = nullptr;
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  say("address: %d", getaddrinfo("127.0.0.1", "80", &hints, &found));
  freeaddrinfo(found);
  say("locale %s", std::setlocale(LC_ALL, "C.UTF-8") != nullptr ? "set" : "unknown");
  iconv_t const conversion = iconv_open("UTF-16", "ISO-8859-15");
  char from[] = "text";
  char to[64];
  char* in = from;
  char* out = to;
  std::size_t n = 4;
  std::size_t room = sizeof to;
  say("converted: %d", conversion != iconv_t(-1) && iconv(conversion, &in, &n, &out, &room) == 0);
  if (conversion != iconv_t(-1)) iconv_close(conversion);
  return 0;
}

}  // namespace
