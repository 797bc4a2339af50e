// SPDX-License-Identifier: MIT
#include "delivery/reader/frame_outcome.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

#include "cases/prediction.hpp"
#include "support/catch2.hpp"
#include "support/sanitized.hpp"

using namespace memprof::delivery;
using namespace frame_cases;

namespace {

// A sanitizer's checks are calls of functions that may not return.
constexpr bool sanitized = MEMPROF_SANITIZED != 0;

// Elsewhere both sides of every branch count: the answer is safe, but not always exact.
#if defined(__x86_64__)
constexpr bool values_are_known = true;
#else
constexpr bool values_are_known = false;
#endif

// What is known to be refused although it would go well; anything else is a loss of precision.
constexpr std::array needless{
    "noexcept: throws something else and catches it",  // the type of something else is not followed
    "std::thread, joined",                             // nor what join() does
    "a destructor that might terminate",
};

// Handlers that look as if they might end it.
constexpr std::array cautious{
    "rethrow under a condition", "rethrow depends on a flag set through a reference",
    "stored, rethrown later",    "rethrown by its pointer",
    "retries, then rethrows",
};

template <std::size_t n>
bool is_among(std::array<char const*, n> const& names, char const* name) {
  return std::find_if(names.begin(), names.end(),
                      [name](std::string const& s) { return s == name; }) != names.end();
}

bool is_exact(outcome predicted, reality real) {
  switch (real) {
    case reality::delivered:
      return predicted == outcome::pass;
    case reality::swallowed:
      return predicted == outcome::swallow;
    case reality::translated:
      return predicted == outcome::translate;
    case reality::terminated:
      return predicted == outcome::terminate;
    case reality::other:
      return false;
  }
  return false;
}

void check(frame_list cases) {
  for (frame_case const& c : cases) {
    const reality real = really(c);  // first: some cases happen once in a process
    const outcome predicted = predict(c);
    INFO(c.name << ": predicted " << name_of(predicted) << ", in reality " << name_of(real));
    CHECK(is_safe(predicted, real));
    if (values_are_known && !sanitized && !is_among(needless, c.name) &&
        !is_among(cautious, c.name)) {
      CHECK(is_exact(predicted, real));
    }
  }
}

}  // namespace

TEST_CASE("frame outcome: noexcept") { check(noexcept_cases()); }
TEST_CASE("frame outcome: handlers") { check(handler_cases()); }
TEST_CASE("frame outcome: rethrowing") { check(rethrow_cases()); }
TEST_CASE("frame outcome: cleanups") { check(cleanup_cases()); }
TEST_CASE("frame outcome: coroutines") { check(coroutine_cases()); }
TEST_CASE("frame outcome: exception specifications") { check(specification_cases()); }

namespace {

struct place {
  memprof::callstack::procedure procedure;
  std::uintptr_t pc;
  outcome expected;
};
std::vector<place> places;

void note_places(std::uintptr_t begin_of, std::size_t step) {
  memprof::callstack::procedure p;
  if (!memprof::callstack::find_procedure(begin_of, p) || p.lsda == nullptr) return;
  for (std::uintptr_t pc = p.begin; pc < p.end; pc += step) {
    places.push_back({p, pc, outcome_in_frame(p, pc)});
  }
}

}  // namespace

TEST_CASE("frame outcome: the same in every thread, at the same time") {
  places.clear();
  for (frame_list list : {noexcept_cases(), handler_cases(), rethrow_cases(), cleanup_cases()}) {
    for (frame_case const& c : list) note_places(reinterpret_cast<std::uintptr_t>(c.run), 7);
  }
  REQUIRE(places.size() > 200);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  // Under the thread sanitizer each of eight takes 15 s.
  for (int t = 0; t < (sanitized ? 3 : 8); ++t) {
    threads.emplace_back([&wrong] {
      for (place const& p : places) wrong += outcome_in_frame(p.procedure, p.pc) != p.expected;
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

#if !MEMPROF_SANITIZED
TEST_CASE("frame outcome: needs little stack") {
  places.clear();
  for (frame_list list : {noexcept_cases(), handler_cases(), rethrow_cases(), cleanup_cases()}) {
    for (frame_case const& c : list) note_places(reinterpret_cast<std::uintptr_t>(c.run), 3);
  }
  // A thread whose stack is ours to look at. Unoptimised code takes more.
  constexpr std::size_t size = 256 * 1024;
  static std::array<unsigned char, size> stack;
  std::fill(stack.begin(), stack.end(), static_cast<unsigned char>(0xa5));
  const auto used_by = [&](void* (*run)(void*)) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack.data(), stack.size());
    pthread_t thread;
    REQUIRE(pthread_create(&thread, &attributes, run, nullptr) == 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    const auto first_used =
        std::find_if(stack.begin(), stack.end(), [](unsigned char byte) { return byte != 0xa5; });
    return static_cast<std::size_t>(stack.end() - first_used);
  };
  const std::size_t bare = used_by([](void*) -> void* { return nullptr; });
  const std::size_t with = used_by([](void*) -> void* {
    for (place const& p : places) outcome_in_frame(p.procedure, p.pc);
    return nullptr;
  });
  INFO("bytes of stack: " << with - bare);
#ifdef __OPTIMIZE__
  CHECK(with - bare <= 4096);
#else
  CHECK(with - bare <= 8192);
#endif
}
#endif

TEST_CASE("frame outcome: functions of the runtime by name") {
  CHECK(runtime_function_named("_Unwind_Resume") == runtime_function::resume);
  CHECK(runtime_function_named("__cxa_begin_catch") == runtime_function::begin_catch);
  CHECK(runtime_function_named("__cxa_end_catch") == runtime_function::end_catch);
  CHECK(runtime_function_named("__cxa_rethrow") == runtime_function::rethrow);
  CHECK(runtime_function_named("_ZSt9terminatev") == runtime_function::terminate);
  CHECK(runtime_function_named("_ZSt20__throw_length_errorPKc") == runtime_function::throw_new);
  CHECK(runtime_function_named("_ZNSt3__120__throw_length_errorB8ne190107EPKc") ==
        runtime_function::throw_new);
  CHECK(runtime_function_named("__stack_chk_fail") == runtime_function::ignored);
  CHECK(runtime_function_named("abort") == runtime_function::exit);
  CHECK(runtime_function_named("longjmp") == runtime_function::unclear);
  CHECK(runtime_function_named("_ZdlPvm") == runtime_function::harmless);
  CHECK(runtime_function_named("_ZNSt6threadD1Ev") == runtime_function::thread_destructor);
  for (char const* other : {"", "_", "main", "aborts", "_ZSt4swap", "__cxa_begin_catch2",
                            "_Unwind_Resum", "_ZN3app8__throw_1Ev"}) {
    CAPTURE(other);
    CHECK(runtime_function_named(other) == runtime_function::none);
  }
}
