// SPDX-License-Identifier: MIT
#include "delivery/decide/code_facts.hpp"

#include <dlfcn.h>
#include <exception>
#include <gnu/libc-version.h>
#include <link.h>
#include <sys/auxv.h>
#include <thread>
#include <vector>

#include "delivery/reader/runtime_addresses.hpp"
#include "modules/modules.hpp"
#include "support/address_limit.hpp"
#include "support/catch2.hpp"
#include "support/sanitized.hpp"

using namespace memprof::delivery;
using memprof::modules::unload_epoch;

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

TEST_CASE("code facts: preparing is idempotent, from several threads") {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([] { prepare_modules(); });
  for (auto& t : threads) t.join();
  CHECK(prepare_modules());
}

TEST_CASE("code facts: what is known of code") {
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

TEST_CASE("code facts: what ends the process when malloc returns null") {
  REQUIRE(prepare_modules());
  code_facts facts;
  REQUIRE(facts_at(address(&std::uncaught_exceptions), facts));
  CHECK(facts.needs_memory);
  auto* const unwinder = static_cast<char*>(dlsym(RTLD_DEFAULT, "_Unwind_Resume"));
  REQUIRE(unwinder != nullptr);
  REQUIRE(facts_at(address(unwinder), facts));
  CHECK(facts.needs_memory);
  const std::uintptr_t loader = getauxval(AT_BASE);
  REQUIRE(facts_at(loader + reinterpret_cast<ElfW(Ehdr) const*>(loader)->e_entry, facts));
  CHECK(facts.needs_memory);
  for (const std::uintptr_t other : {address(&gnu_get_libc_version), address(&a_cxx_function)}) {
    REQUIRE(facts_at(other, facts));
    CHECK_FALSE(facts.needs_memory);
  }
}

TEST_CASE("code facts: a module that comes with dlopen is classified when it is met") {
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

TEST_CASE("code facts: personalities and functions of the runtime") {
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

#if !MEMPROF_SANITIZED
// Each in a process of its own (ctest): nothing was prepared before.
TEST_CASE("code facts: modules are classified when there is memory for it") {
  // None, and less than the files of this program need.
  for (const std::size_t room : {std::size_t{0}, std::size_t{64} << 10, std::size_t{512} << 10}) {
    bool limited = false;
    bool prepared = true;
    {
      const memprof::test::address_limit limit{room};
      limited = limit.in_effect();
      prepared = prepare_modules();
    }
    REQUIRE(limited);
    if (room == 0) CHECK_FALSE(prepared);
  }
  REQUIRE(prepare_modules());
  code_facts facts;
  REQUIRE(facts_at(address(&a_function_with_c_linkage), facts));
  CHECK(facts.kind == code_kind::c_function);
  REQUIRE(facts_at(address(&std::uncaught_exceptions), facts));
  CHECK(facts.cxx);
  CHECK(facts.standard_library);
  CHECK(facts.permanent);
  REQUIRE(facts_at(address(&gnu_get_libc_version), facts));
  CHECK_FALSE(facts.cxx);
}

TEST_CASE("code facts: a module of dlopen is not known before there is memory to read it") {
  REQUIRE(prepare_modules());
  void* const module = dlopen(MEMPROF_TEST_CALLSTACK_MODULES "/small_frame.so", RTLD_NOW);
  REQUIRE(module != nullptr);
  const std::uintptr_t function = address(static_cast<char*>(dlsym(module, "call_from_module")));
  code_facts facts;
  for (int round = 0; round < 2'000; ++round) {  // more often than there are places for files
    const memprof::test::address_limit none{0};
    const bool known = facts_at(function, facts);
    if (known && facts.unread && facts.needs_memory && !facts.permanent) continue;
    FAIL("round " << round << (none.in_effect() ? "" : ": no limit"));
  }
  REQUIRE(facts_at(function, facts));
  CHECK_FALSE(facts.unread);
  CHECK(facts.kind == code_kind::c_function);
  dlclose(module);

  // What was found is kept: loaded again, it needs no memory.
  void* const again = dlopen(MEMPROF_TEST_CALLSTACK_MODULES "/small_frame.so", RTLD_NOW);
  REQUIRE(again != nullptr);
  const std::uintptr_t same = address(static_cast<char*>(dlsym(again, "call_from_module")));
  {
    const memprof::test::address_limit none{0};
    facts_at(same, facts);
  }
  CHECK_FALSE(facts.unread);
  CHECK(facts.kind == code_kind::c_function);
  // But not of another file, which has its function elsewhere.
  void* const other = dlopen(MEMPROF_TEST_CALLSTACK_MODULES "/code_first.so", RTLD_NOW);
  REQUIRE(other != nullptr);
  REQUIRE(facts_at(address(static_cast<char*>(dlsym(other, "call_from_module"))), facts));
  CHECK(facts.kind == code_kind::c_function);
  dlclose(other);
  dlclose(again);
}
#endif
