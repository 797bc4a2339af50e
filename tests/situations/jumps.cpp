// SPDX-License-Identifier: MIT
// Jumps out of handlers, other stacks, and exceptions through foreign frames.
#include <array>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

#include "situation.hpp"
#include "ticking.hpp"

#define SITUATION(name) MEMPROF_SITUATION_IN("jumps", name)

namespace {

using situations::on;
using situations::say;
using situations::spin_until;
using situations::tick;
using situations::ticks;
using situations::work;

sigjmp_buf place;

SITUATION(jumps_out_of_handler) {
  on(SIGUSR1, [](int) {
    std::free(std::malloc(77));
    siglongjmp(place, 1);
  });
  int volatile jumps = 0;
  for (int i = 0; i < 2000; ++i) {
    if (sigsetjmp(place, 1) == 0) {
      raise(SIGUSR1);
    } else {
      jumps = jumps + 1;
    }
    work(6, 3);
  }
  say("%d jumps", static_cast<int>(jumps));
  return 0;
}

SITUATION(jumps_out_at_random) {
  on(SIGALRM, [](int) {
    ticks = ticks + 1;
    siglongjmp(place, 1);
  });
  sigsetjmp(place, 1);
  if (ticks == 0) tick(1000);
  if (ticks < 100) spin_until(1 << 30);
  tick(0);
  say("100 jumps out of a loop, sum %u", work(7, 300));
  return 0;
}

__attribute__((noinline)) int overflow(int depth) {
  char volatile page[4096];
  if (depth < 0) return 0;
  page[0] = static_cast<char>(depth);
  return overflow(depth + 1) + page[0];
}

SITUATION(stack_overflow) {
  stack_t stack{};
  stack.ss_size = 65536;
  stack.ss_sp = std::malloc(stack.ss_size);
  sigaltstack(&stack, nullptr);
  on(
      SIGSEGV,
      [](int) {
        std::free(std::malloc(50));
        siglongjmp(place, 1);
      },
      SA_ONSTACK);
  int volatile survived = 0;
  for (int i = 0; i < 3; ++i) {
    if (sigsetjmp(place, 1) == 0) {
      overflow(0);
    } else {
      survived = survived + 1;
    }
    work(8, 100);
  }
  say("%d overflows survived", static_cast<int>(survived));
  return 0;
}

ucontext_t main_context, other_context;

SITUATION(other_contexts) {
  std::uint32_t static sum = 0;
  std::vector<std::unique_ptr<char[]>> stacks;
  while (stacks.size() < 20) {
    stacks.push_back(std::make_unique<char[]>(65536));
    getcontext(&other_context);
    other_context.uc_stack = {stacks.back().get(), 0, 65536};
    other_context.uc_link = &main_context;
    makecontext(
        &other_context,
        [] {
          for (std::uint32_t k = 0; k < 5; ++k) {
            sum += work(k, 20);
            try {
              std::vector<std::string> const kept(3, std::string(50, 'k'));
              swapcontext(&other_context, &main_context);
              throw kept[0];
            } catch (std::string const& text) {
              sum += static_cast<std::uint32_t>(text.size());
            }
          }
        },
        0);
    for (int k = 0; k < 6; ++k) {
      sum += work(11, 10);
      swapcontext(&main_context, &other_context);
    }
  }
  say("sum %u", sum);
  return 0;
}

SITUATION(exceptions_through_qsort) {
  int caught = 0;
  for (int i = 0; i < 30; ++i) {
    std::vector<int> numbers(300);  // more than fit on qsort's stack
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<int>(k * 7919 % 300);
    static int calls;
    calls = 0;
    try {
      std::qsort(numbers.data(), numbers.size(), sizeof(int),
                 [](void const* a, void const* b) -> int {
                   if (++calls > 500) throw std::string("out of qsort");
                   return *static_cast<int const*>(a) - *static_cast<int const*>(b);
                 });
    } catch (std::string const& text) {
      caught += text == "out of qsort";
    }
  }
  say("%d exceptions through qsort", caught);
  return 0;
}

SITUATION(exceptions_through_bsearch) {
  std::array<int, 64> const numbers{};
  int caught = 0;
  for (int i = 0; i < 30; ++i) {
    int const key = 3;
    try {
      std::bsearch(&key, numbers.data(), numbers.size(), sizeof(int),
                   [](void const*, void const*) -> int { throw std::string(200, 'b'); });
    } catch (std::string const& text) {
      caught += static_cast<int>(text.size()) / 200;
    }
  }
  say("%d exceptions through bsearch", caught);
  return 0;
}

int recurse(int depth) {
  std::string const kept(static_cast<std::size_t>(depth % 90), 'r');
  if (depth == 0) throw std::string("from the depth");
  return recurse(depth - 1) + static_cast<int>(kept.size());
}

SITUATION(exceptions_from_depth) {
  int caught = 0;
  for (int i = 0; i < 10; ++i) {
    try {
      caught -= recurse(500);
    } catch (std::string const&) {
      ++caught;
    }
  }
  say("%d from 500 frames deep", caught);
  return 0;
}

SITUATION(terminated) {
  std::set_terminate([] {
    say("terminating, sum %u", work(19, 50));
    _exit(33);
  });
  []() noexcept { recurse(20); }();
  return 0;
}

}  // namespace
