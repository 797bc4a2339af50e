// SPDX-License-Identifier: MIT
//
// pthread_exit and pthread_cancel unwind the stack with an exception that may not be replaced.
#include <cxxabi.h>
#include <exception>
#include <new>
#include <pthread.h>
#include <unistd.h>

#include "support/situation.hpp"

namespace {

using namespace memprof::test;

struct allocating {
  ~allocating() { interruption(); }
};
struct throwing {
  ~throwing() noexcept(false) { interruption(); }
};

/// Runs `f` under a boundary in a thread that it may end.
void in_pthread(void* (*f)(void*), bool cancel = false) {
  may_leave_blocks();
  pthread_t thread{};
  pthread_create(&thread, nullptr, f, nullptr);
  if (cancel) pthread_cancel(thread);
  pthread_join(thread, nullptr);
}

MEMPROF_SITUATION(pthread_exit_destructor_allocates, must_defer) {
  in_pthread([](void*) -> void* {
    in_boundary([] {
      allocating const a;
      pthread_exit(nullptr);
    });
    return nullptr;
  });
}

MEMPROF_SITUATION(pthread_exit_noexcept_false_destructor, must_defer) {
  in_pthread([](void*) -> void* {
    in_boundary([] {
      throwing const a;
      pthread_exit(nullptr);
    });
    return nullptr;
  });
}

MEMPROF_SITUATION(pthread_exit_catch_all_allocates, must_defer) {
  in_pthread([](void*) -> void* {
    in_boundary([] {
      try {
        pthread_exit(nullptr);
      } catch (...) {
        interruption();
        throw;
      }
    });
    return nullptr;
  });
}

MEMPROF_SITUATION(pthread_cancel_destructor_allocates, must_defer) {
  in_pthread(
      [](void*) -> void* {
        in_boundary([] {
          allocating const a;
          pause();
        });
        return nullptr;
      },
      true);
}

MEMPROF_SITUATION(pthread_exit_of_a_thread_before, must_deliver) {
  in_pthread([](void*) -> void* { pthread_exit(nullptr); });
  witness const here;
  interruption();
}

#ifdef __GLIBCXX__  // an interrupt is one, too: delivery/raise.hpp

struct caught {
  int n = 0;
};

// As code that expects to be cancelled is written: its own handlers, and one for all else.
MEMPROF_SITUATION(forced_unwind_rethrown, must_deliver) {
  caught here;
  try {
    interruption();
  } catch (abi::__forced_unwind&) {
    ++here.n;
    throw;
  } catch (...) {
  }
  asm volatile("" ::"r"(&here));
}

MEMPROF_SITUATION(forced_unwind_terminates, must_defer) {
  try {
    interruption();
  } catch (abi::__forced_unwind&) {
    std::terminate();
  } catch (...) {
    throw;
  }
}

MEMPROF_SITUATION(bad_alloc_before_forced_unwind, either) {
  try {
    interruption();
  } catch (std::bad_alloc const&) {
  } catch (abi::__forced_unwind&) {
    throw;
  }
}

#endif

MEMPROF_SITUATION(pthread_specific_destructor, must_defer) {
  in_pthread([](void*) -> void* {
    pthread_key_t key{};
    pthread_key_create(&key, [](void*) { interruption(); });
    static int value = 1;
    pthread_setspecific(key, &value);
    return nullptr;
  });
}

}  // namespace
