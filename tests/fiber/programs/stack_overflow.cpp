// SPDX-License-Identifier: MIT
// A task that runs over the end of its stack: a message that says so, and the signal it would have
// died of anyway. Other faults, and handlers that were there before, are left alone.
#include <csignal>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memprof/fiber.hpp"
#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

namespace {

volatile int sink = 0;

[[gnu::noinline]] int recurse(int depth) {
  volatile char frame[256] = {};
  frame[depth % 256] = static_cast<char>(depth);
  if (depth < 0) return frame[1];
  return recurse(depth + 1) + frame[depth % 256];
}

void overflow() {
  memprof::task t{memprof::limits{}, memprof::task_options{.stack_size = 40'000_B}, [] {
                    ::operator delete(::operator new(100));
                    sink = recurse(0);
                  }};
  t.resume();
}

void other_fault() {
  memprof::task t{memprof::limits{}, [] { *static_cast<int volatile*>(nullptr) = 1; }};
  t.resume();
}

void handler_before(int) {
  constexpr char said[] = "the handler that was there before\n";
  (void)!write(2, said, sizeof said - 1);
  _exit(5);
}

struct outcome {
  int status = 0;
  char text[4096] = {};
};

/// Runs f in a child and keeps what it writes to standard error.
outcome in_child(void (*f)()) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    const rlimit none{};
    setrlimit(RLIMIT_CORE, &none);
    dup2(ends[1], 2);
    f();
    _exit(0);
  }
  close(ends[1]);
  outcome o;
  std::size_t length = 0;
  for (ssize_t n = 1; n > 0 && length + 1 < sizeof o.text;) {
    n = read(ends[0], o.text + length, sizeof o.text - 1 - length);
    if (n > 0) length += static_cast<std::size_t>(n);
  }
  close(ends[0]);
  CHECK(waitpid(child, &o.status, 0) == child);
  return o;
}

bool died_of_fault(outcome const& o) {
  return WIFSIGNALED(o.status) && WTERMSIG(o.status) == SIGSEGV;
}

}  // namespace

int main() {
  // Without report_stack_overflows: only the fault.
  outcome o = in_child(&overflow);
  CHECK(died_of_fault(o));
  CHECK(std::strstr(o.text, "stack") == nullptr);

  o = in_child([] {
    CHECK(memprof::report_stack_overflows());
    CHECK(memprof::report_stack_overflows());  // no harm
    overflow();
  });
  CHECK(died_of_fault(o));
  CHECK(std::strstr(o.text, "a task ran over the end of its stack of 40960 bytes") != nullptr);

  o = in_child([] {
    CHECK(memprof::report_stack_overflows());
    other_fault();
  });
  CHECK(died_of_fault(o));
  CHECK(std::strstr(o.text, "stack") == nullptr);

  o = in_child([] {
    CHECK(memprof::report_stack_overflows());
    raise(SIGSEGV);  // somebody sent it: no instruction to go back to
  });
  CHECK(died_of_fault(o));

  o = in_child([] {
    struct sigaction action {};
    action.sa_handler = &handler_before;
    CHECK(sigaction(SIGSEGV, &action, nullptr) == 0);
    CHECK(memprof::report_stack_overflows());
    overflow();
  });
  CHECK(WIFEXITED(o.status) && WEXITSTATUS(o.status) == 5);
  CHECK(std::strstr(o.text, "a task ran over the end of its stack") != nullptr);
  CHECK(std::strstr(o.text, "the handler that was there before") != nullptr);
}
