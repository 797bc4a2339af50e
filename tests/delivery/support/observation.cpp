// SPDX-License-Identifier: MIT
#include "support/observation.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "delivery/delivery.hpp"
#include "support/interrupt.hpp"
#include "support/state.hpp"

namespace memprof::test {
namespace {

void end_as(reality r, char const* detail = "") {
  state.seen->really = r;
  std::snprintf(state.seen->detail.data(), state.seen->detail.size(), "%s", detail);
}

[[noreturn]] void on_terminate() {
  end_as(reality::terminated);
  _exit(0);
}

void keep_quiet() {
  int const nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  close(nowhere);
}

/// What the task left behind; null if nothing.
char const* damage(long live_before) {
  if (witness::alive() != 0) return "a destructor was not run";
  if (state.check != nullptr && !state.check()) return "state left broken";
  if (!state.leaves_blocks && state.live_blocks > live_before) return "a block leaked";
  return nullptr;
}

void run_body(experiment const& e) {
  long const live_before = state.live_blocks;
  state.allocations = 0;
  state.how = e.how;
  state.plain = e.plain;
  state.by_ordinal = e.ordinal != 0;
  state.countdown = e.ordinal;
  auto const task = [](void* body) { reinterpret_cast<void (*)()>(body)(); };
  bool delivered = false;
  bool other = false;
  try {
    delivered = in_boundary(task, reinterpret_cast<void*>(e.body));
  } catch (...) {
    other = true;
  }
  state.countdown = 0;
  state.pending = false;
  if (!state.raised) state.seen->allocations = state.allocations;
  // An interrupt may have ended at a boundary within the body.
  bool const reached = state.raised && state.reached != nullptr && state.reached == state.target;
  if (!state.raised) {
    end_as(reality::not_reached);
  } else if (char const* const what = damage(live_before)) {
    end_as(reality::damaged, what);
  } else if (delivered && !reached) {
    end_as(reality::damaged, "it came to another boundary");
  } else if (reached) {
    end_as(reality::delivered);
  } else {
    end_as(other ? reality::translated : reality::swallowed);
  }
}

/// As the library does before the first task runs. In the observer, so that it is done once.
void prepare() {
  static bool const done = [] {
    delivery::enter_limit_function(boundary_code());
    return true;
  }();
  static_cast<void>(done);
}

[[noreturn]] void child(experiment const& e) {
  rlimit const no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (e.quiet) keep_quiet();
  std::set_terminate(on_terminate);
  alarm(e.seconds);
  run_body(e);
  _exit(0);
}

void judge_end(observation& seen, int status) {
  if (!WIFSIGNALED(status)) {
    if (WEXITSTATUS(status) != 0) seen.really = reality::damaged;
    return;
  }
  int const signal = WTERMSIG(status);
  seen.really = signal == SIGALRM   ? reality::hang
                : signal == SIGABRT ? reality::terminated
                                    : reality::damaged;
  std::snprintf(seen.detail.data(), seen.detail.size(), "%s", strsignal(signal));
}

}  // namespace

char const* to_string(reality r) noexcept {
  switch (r) {
    case reality::not_reached:
      return "not reached";
    case reality::delivered:
      return "delivered";
    case reality::swallowed:
      return "swallowed";
    case reality::translated:
      return "translated";
    case reality::terminated:
      return "terminated";
    case reality::damaged:
      return "damaged";
    case reality::hang:
      return "hang";
  }
  return "";
}

bool is_harm(reality r) noexcept {
  return r == reality::terminated || r == reality::damaged || r == reality::hang;
}

observation observe(experiment const& e) {
  void* const shared =
      mmap(nullptr, sizeof(observation), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  auto* const seen = new (shared) observation;
  prepare();
  std::fflush(nullptr);
  pid_t const pid = fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid == 0) {
    state.seen = seen;
    child(e);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  judge_end(*seen, status);
  observation const result = *seen;
  munmap(shared, sizeof(observation));
  return result;
}

}  // namespace memprof::test
