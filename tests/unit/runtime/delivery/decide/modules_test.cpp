// SPDX-License-Identifier: MIT
#include "delivery/decide/modules.hpp"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <gnu/libc-version.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "callstack/permanent_modules.hpp"
#include "delivery/reader/runtime_addresses.hpp"
#include "support/catch2.hpp"
#include "support/sanitized.hpp"

using namespace memprof::delivery;
using memprof::callstack::list_modules;
using memprof::callstack::module_list;

namespace {

template <class F>
std::uintptr_t address(F* f) {
  return reinterpret_cast<std::uintptr_t>(f);
}

extern "C" [[gnu::noinline]] int a_function_with_c_linkage(int x) { return x + 1; }
[[gnu::noinline]] int a_cxx_function(int x) {
  if (x == 4711) throw x;
  return x + 2;
}

}  // namespace

TEST_CASE("modules: preparing is idempotent, from several threads") {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([] { prepare_modules(); });
  for (auto& t : threads) t.join();
  CHECK(prepare_modules());
}

TEST_CASE("modules: the program and what it needs stay, the rest does not") {
  static module_list list;
  list_modules(list);
  REQUIRE(list.count > 2);
  CHECK(list.modules[0].permanent);
  int libc = 0;
  for (std::size_t i = 0; i < list.count; ++i) {
    if (std::string(list.modules[i].name).find("libc.so") != std::string::npos) {
      ++libc;
      CHECK(list.modules[i].permanent);
      CHECK(list.modules[i].begin <= address(&gnu_get_libc_version));
    }
  }
  CHECK(libc == 1);
  // Nothing here needs it.
  void* const module = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) return;
  list_modules(list);
  int sqlite = 0;
  for (std::size_t i = 0; i < list.count; ++i) {
    if (std::string(list.modules[i].name).find("libsqlite3") == std::string::npos) continue;
    ++sqlite;
    CHECK_FALSE(list.modules[i].permanent);
  }
  CHECK(sqlite == 1);
  dlclose(module);
}

TEST_CASE("modules: what is known of code") {
  REQUIRE(prepare_modules());
  CHECK(a_function_with_c_linkage(1) + a_cxx_function(1) == 5);
  code_facts facts;
  REQUIRE(facts_at(address(&a_cxx_function), facts));
  CHECK(facts.cxx);
  CHECK(facts.permanent);
  CHECK_FALSE(facts.standard_library);
  CHECK(facts.kind == code_kind::plain);
  REQUIRE(facts_at(address(&a_function_with_c_linkage), facts));
  CHECK(facts.cxx);
  CHECK(facts.kind == code_kind::c_function);
  REQUIRE(facts_at(address(&gnu_get_libc_version), facts));
  CHECK_FALSE(facts.cxx);
  REQUIRE(facts_at(address(&std::uncaught_exceptions), facts));
  CHECK(facts.cxx);
  CHECK(facts.standard_library);
  int data = 0;
  CHECK_FALSE(facts_at(address(&data), facts));
}

TEST_CASE("modules: a module that comes with dlopen is classified when it is met") {
  REQUIRE(prepare_modules());
  for (int round = 0; round < 3; ++round) {
    void* const module = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) return;
    code_facts facts;
    REQUIRE(facts_at(address(static_cast<char*>(dlsym(module, "sqlite3_open"))), facts));
    CHECK_FALSE(facts.cxx);
    CHECK_FALSE(facts.permanent);
    const std::uint64_t before = unload_epoch();
    CHECK(before == unload_epoch());
    dlclose(module);
    CHECK(unload_epoch() != before);
  }
}

TEST_CASE("modules: personalities and functions of the runtime") {
  REQUIRE(prepare_modules());
  using personality = int(...);
  auto* const cxx = reinterpret_cast<personality*>(dlsym(RTLD_DEFAULT, "__gxx_personality_v0"));
  if (cxx != nullptr) CHECK(language_of(address(cxx)) == language::cxx);
  auto* const c = reinterpret_cast<personality*>(dlsym(RTLD_DEFAULT, "__gcc_personality_v0"));
  if (c != nullptr) CHECK(language_of(address(c)) == language::c);
  CHECK(language_of(0) == language::none);
  CHECK(language_of(address(&a_cxx_function)) == language::other);
  auto* const terminate = reinterpret_cast<personality*>(dlsym(RTLD_DEFAULT, "_ZSt9terminatev"));
  if (terminate != nullptr) {
    CHECK(runtime_function_at(address(terminate)) == runtime_function::terminate);
  }
  CHECK(runtime_function_at(address(&a_cxx_function)) == runtime_function::none);
#if !MEMPROF_SANITIZED  // AddressSanitizer puts one of its own in front
  CHECK_FALSE(has_two_unwinders());
#endif
}

TEST_CASE("modules: a forked child trusts nothing that could have been unloaded") {
  REQUIRE(prepare_modules());
  pid_t const child = fork();
  if (child == 0) _exit(unload_epoch() != unload_epoch() && prepare_modules() ? 0 : 1);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(unload_epoch() == unload_epoch());
}
