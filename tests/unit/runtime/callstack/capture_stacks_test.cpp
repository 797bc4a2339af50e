// SPDX-License-Identifier: MIT
//
// Stacks that are not the thread's own, and walks through code that is not the program's.
#include <algorithm>
#include <array>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <span>
#include <string>
#include <sys/mman.h>
#include <ucontext.h>
#include <vector>

#include "memprof/callstack.hpp"
#include "memprof/sources.hpp"

#include "callstack/callstack.hpp"
#include "callstack/procedure.hpp"
#include "callstack/readable_stack.hpp"
#include "callstack/rule_cache.hpp"
#include "support/catch2.hpp"
#include "support/sanitized.hpp"
#include "unit/runtime/callstack/cases/cases.hpp"
#ifdef MEMPROF_TEST_FIBER
#include "memprof/fiber.hpp"
#endif

using namespace memprof::callstack;
using memprof::callstack_method;

namespace {

std::array<std::uintptr_t, largest_stack> frames;
std::size_t count = 0;
[[gnu::noinline]] void take() { count = capture(frames, __builtin_frame_address(0)); }

class with_method {
 public:
  explicit with_method(callstack_method m) { memprof::set_callstack_method(m); }
  ~with_method() { memprof::set_callstack_method(callstack_method::automatic); }
};

/// Is one of the frames in the code of `f`?
template <class F>
bool passes_through(F* f) {
  procedure p;
  if (!find_procedure(reinterpret_cast<std::uintptr_t>(f), p)) return false;
  return std::any_of(frames.data(), frames.data() + count,
                     [&](std::uintptr_t pc) { return pc - 1 >= p.begin && pc - 1 < p.end; });
}

/// Pages between two that cannot be read.
class guarded {
 public:
  explicit guarded(std::size_t size, void* where = nullptr) : size_(size + 2 * page) {
    all_ = static_cast<char*>(mmap(where, size_, PROT_NONE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | (where ? MAP_FIXED : 0), -1, 0));
    mprotect(all_ + page, size, PROT_READ | PROT_WRITE);
  }
  ~guarded() {
    if (all_ != nullptr) munmap(all_, size_);
  }
  guarded(guarded const&) = delete;
  guarded& operator=(guarded const&) = delete;
  [[nodiscard]] char* begin() const { return all_ + page; }
  [[nodiscard]] std::size_t size() const { return size_ - 2 * page; }

  static constexpr std::size_t page = 4096;

 private:
  std::size_t size_;
  char* all_;
};

ucontext_t outside;
ucontext_t inside;
void (*to_run)();
void run_inside() {
  to_run();
  asm volatile("");
}

[[maybe_unused]] void on_stack(guarded const& memory, void (*f)()) {
  to_run = f;
  getcontext(&inside);
  inside.uc_stack.ss_sp = memory.begin();
  inside.uc_stack.ss_size = memory.size();
  inside.uc_link = &outside;
  makecontext(&inside, run_inside, 0);
  swapcontext(&outside, &inside);
}

constexpr callstack_method all_methods[] = {
    callstack_method::automatic, callstack_method::frame_pointers, callstack_method::unwind_tables};

}  // namespace

TEST_CASE("capture: a stack of one's own, to its end and no further") {
#if !MEMPROF_SANITIZED
  const guarded memory{64 * 1024};
  take();
  const auto before = memprof::counters_of_callstacks();
  on_stack(memory, [] { memprof::test::chain_of_frame_pointers(20, take); });
  CHECK(count >= 22);
  CHECK(count <= 26);
  CHECK(passes_through(run_inside));
  CHECK(memprof::counters_of_callstacks().incomplete == before.incomplete);
#endif
}

TEST_CASE("capture: frame pointers that are none, on stacks that come and go") {
#if !MEMPROF_SANITIZED
  // Always at the same address, smaller each time: nothing that was found out must be believed.
  constexpr std::size_t largest = 16 * guarded::page;
  static std::uintptr_t end;
  static std::uintptr_t offset;
  auto* const address =
      static_cast<char*>(mmap(nullptr, 2 * largest, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (callstack_method const method : all_methods) {
    const with_method m{method};
    for (std::size_t size = largest; size >= 8 * guarded::page; size -= guarded::page) {
      const guarded memory{size, address};
      end = reinterpret_cast<std::uintptr_t>(memory.begin()) + size;
      for (offset = 0; offset <= 64; offset += 8) {
        on_stack(memory, [] { memprof::test::with_frame_pointer(end - offset, take); });
        REQUIRE(count >= 1);
        on_stack(memory, [] { memprof::test::with_frame_pointer(end + 4096 + offset, take); });
        REQUIRE(count >= 1);
      }
    }
  }
  munmap(address, 2 * largest);
#endif
}

TEST_CASE("readable_stack: what can be read of a stack") {
  CHECK(is_readable(reinterpret_cast<std::uintptr_t>(&count)));
  CHECK_FALSE(is_readable(8));
  CHECK_FALSE(is_readable(~std::uintptr_t{4095}));
  const guarded memory{2 * guarded::page};
  auto* const words = reinterpret_cast<std::uintptr_t*>(memory.begin());
  words[1] = 7;
  words[1023] = 8;
  const auto at = reinterpret_cast<std::uintptr_t>(words);
  CHECK_FALSE(is_readable(at - guarded::page));
  readable_stack stack{at + 8};
  std::uintptr_t word = 0;
  CHECK(stack.read(at + 8, word));
  CHECK(word == 7);
  CHECK(stack.read(at + 8 * 1023, word));
  CHECK(word == 8);
  CHECK_FALSE(stack.read(at, word));                      // below
  CHECK_FALSE(stack.read(at + 9, word));                  // not aligned
  CHECK_FALSE(stack.read(at + 2 * guarded::page, word));  // behind the end
  CHECK_FALSE(stack.read(at + 64 * guarded::page, word));
  CHECK_FALSE(stack.read(~std::uintptr_t{7}, word));
}

#ifdef MEMPROF_TEST_FIBER
TEST_CASE("capture: tasks that pause, each with its own stack") {
  const memprof::memory_resource source;  // tasks want one
  for (callstack_method const method : all_methods) {
    const with_method m{method};
    memprof::task t{memprof::limits{}, [] { memprof::test::chain_of_frame_pointers(20, take); }};
    CHECK(t.resume() == memprof::task_state::finished);
    CHECK(count >= 21);
    CHECK(count < 60);
    CHECK(passes_through(memprof::test::chain_of_frame_pointers));
  }
}
#endif

#if defined(__x86_64__)
#if !MEMPROF_SANITIZED
namespace {

std::size_t near_size;

/// With a first buffer of near_size.
void take_near() {
  std::array<std::uintptr_t, 3> near{};
  const std::span<std::uintptr_t> taken =
      capture(std::span{near}.first(near_size), frames.size(), __builtin_frame_address(0),
              {.get = [](void*) noexcept -> std::span<std::uintptr_t> { return frames; }});
  count = taken.size();
  if (taken.data() == near.data()) std::ranges::copy(taken, frames.begin());
}

}  // namespace
#endif

// A sanitizer of clang looks for the type of the function in front of its code.
#ifdef __clang__
#define MADE_CODE __attribute__((no_sanitize("function")))
#else
#define MADE_CODE
#endif

TEST_CASE("capture: through code that no table describes") {
  // f(g) { g(); }, with a frame pointer; and with rbp in use for something else.
  const std::initializer_list<unsigned char> keeps{0x55,              // push %rbp
                                                   0x48, 0x89, 0xe5,  // mov %rsp,%rbp
                                                   0xff, 0xd7,        // call *%rdi
                                                   0x5d, 0xc3};       // pop %rbp; ret
  const std::initializer_list<unsigned char> uses{0x55,               // push %rbp
                                                  0x48, 0x8d, 0xac, 0x24, 0, 0x10, 0, 0,
                                                  // lea 4096(%rsp),%rbp
                                                  0xff, 0xd7,   // call *%rdi
                                                  0x5d, 0xc3};  // pop %rbp; ret
  auto* const code = static_cast<unsigned char*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(code != MAP_FAILED);
  const auto first = reinterpret_cast<std::uintptr_t>(code);
  using calls = void (*)(void (*)());
  const auto call = reinterpret_cast<calls>(code);
  static calls made;
  made = call;
  const auto run = [] {
    memprof::test::chain_of_frame_pointers(3, []() MADE_CODE {
      made(take);
      asm volatile("");
    });
  };

  std::memcpy(code, keeps.begin(), keeps.size());
  run();
  CHECK(count > 5);
  CHECK(frames[0] == first + 6);
  CHECK(passes_through(memprof::test::chain_of_frame_pointers));
  {
    const with_method tables{callstack_method::unwind_tables};
    const auto before = memprof::counters_of_callstacks();
    run();
    CHECK(count == 1);
    CHECK(memprof::counters_of_callstacks().incomplete == before.incomplete + 1);
  }
  // The same address, other code.
  std::memcpy(code, uses.begin(), uses.size());
  for (callstack_method const method : all_methods) {
    const with_method m{method};
    run();
    CHECK(count >= 1);
    CHECK(count < 200);
  }

#if !MEMPROF_SANITIZED  // whose variables need not lie on the stack
  // f(g, frame) { g(); } with a frame that leads to code with frame pointers, but out of the stack:
  // whatever is known of that code, nothing is read unchecked, in the far room either.
  const std::initializer_list<unsigned char> misleads{0x55,              // push %rbp
                                                      0x48, 0x89, 0xf5,  // mov %rsi,%rbp
                                                      0xff, 0xd7,        // call *%rdi
                                                      0x5d, 0xc3};       // pop %rbp; ret
  static std::uintptr_t in_chain;
  memprof::test::chain_of_frame_pointers(5, [] {
    take();
    in_chain = frames[3];
  });
  procedure p;
  REQUIRE(find_procedure(in_chain - 1, p));
  REQUIRE(pack(rule_at(p, in_chain - 1)).kind() == step_kind::by_fp);
  std::memcpy(code, misleads.begin(), misleads.size());
  using misleading = void (*)(void (*)(), std::uintptr_t const*);
  const auto mislead = reinterpret_cast<misleading>(code);
  const std::uintptr_t frame[] = {0x7fff'ffff'f000, in_chain};
  const auto before = memprof::counters_of_callstacks();
  for (near_size = 1; near_size <= 3; ++near_size) {
    mislead(take_near, frame);
    CHECK(count == 2);
    CHECK(frames[0] == first + 6);
    CHECK(frames[1] == in_chain);
  }
  CHECK(memprof::counters_of_callstacks().incomplete == before.incomplete + 3);
#endif
  munmap(code, 4096);
}
#endif

#ifdef MEMPROF_TEST_CALLSTACK_MODULES
namespace {
/// Calls `take` within the module, and says whether the walk came back out of it to this function.
bool walks_through(void* module) {
  const auto call = reinterpret_cast<void (*)(void (*)())>(dlsym(module, "call_from_module"));
  count = 0;
  call(take);
  procedure p;
  find_procedure(frame_here().pc, p);
  return count > 3 && frames[1] - 1 >= p.begin && frames[1] - 1 < p.end &&
         passes_through(reinterpret_cast<void (*)(void (*)())>(call));
}
}  // namespace

TEST_CASE("capture: a module, and another one at the same address") {
  const std::string folder = MEMPROF_TEST_CALLSTACK_MODULES;
  std::uintptr_t before = 0;
  int same_address = 0;
  for (int round = 0; round < 10; ++round) {
    // The same code at the same offsets, but frames of another size.
    const std::string path = folder + (round % 2 == 0 ? "/small_frame.so" : "/large_frame.so");
    void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(module != nullptr);
    const auto at = reinterpret_cast<std::uintptr_t>(dlsym(module, "call_from_module"));
    same_address += at == before;
    before = at;
    for (int i = 0; i < 3; ++i) REQUIRE(walks_through(module));
    dlclose(module);
  }
  // Else this has tested nothing.
  if (MEMPROF_SANITIZED == 0) CHECK(same_address > 0);
}
#endif
