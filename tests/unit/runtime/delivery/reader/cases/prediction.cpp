// SPDX-License-Identifier: MIT
#include "prediction.hpp"

#include <csignal>
#include <cstdlib>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include <memprof/interrupted.hpp>

#include "delivery/raise.hpp"

/// Children that are to end in std::terminate leave threads behind.
extern "C" char const* __tsan_default_options();
extern "C" char const* __tsan_default_options() { return "report_thread_leaks=0"; }

namespace frame_cases {
namespace {

using memprof::delivery::outcome;

outcome found = outcome::pass;
bool asked = false;
std::uintptr_t boundary = 0;  // the frame of `guarded`

_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void*) {
  int before_instruction = 0;
  std::uintptr_t pc = _Unwind_GetIPInfo(context, &before_instruction);
  if (before_instruction == 0) --pc;
  memprof::callstack::procedure p;
  if (!memprof::callstack::find_procedure(pc, p)) return _URC_NO_REASON;
  if (p.begin == boundary) return _URC_NORMAL_STOP;
  if (p.lsda == nullptr) return _URC_NO_REASON;
  const outcome here = memprof::delivery::outcome_in_frame(p, pc);
  // A handler may let it go on, as preflight takes it: then the frames around it count, too.
  const bool handler = here == outcome::swallow || here == outcome::translate;
  if (found == outcome::pass || !(handler || here == outcome::pass)) found = here;
  return handler || here == outcome::pass ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

void ask() {
  if (asked) return;
  asked = true;
  found = outcome::pass;
  _Unwind_Backtrace(look_at_frame, nullptr);
}

void throw_once() {
  if (asked) return;
  asked = true;
  memprof::delivery::raise(memprof::limit_kind::memory);
}

[[gnu::noinline]] reality guarded(void (*run)()) {
  void (*volatile hidden)() = run;
  try {
    hidden();
    return reality::swallowed;
  } catch (memprof::limit_exceeded const&) {
    return reality::delivered;
  } catch (...) {
    return reality::translated;
  }
}

}  // namespace

outcome predict(frame_case const& c) {
  memprof::callstack::procedure p;
  memprof::callstack::find_procedure(reinterpret_cast<std::uintptr_t>(&guarded), p);
  boundary = p.begin;
  asked = false;
  arrive = ask;
  guarded(c.run);
  return found;
}

reality really(frame_case const& c) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    std::set_terminate([] { _exit(100); });
    std::signal(SIGABRT, [](int) { _exit(100); });
    asked = false;
    arrive = throw_once;
    const reality result = guarded(c.run);
    _exit(static_cast<int>(asked ? result : reality::other));
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status)) return reality::other;
  if (WEXITSTATUS(status) == 100) return reality::terminated;
  return static_cast<reality>(WEXITSTATUS(status));
}

char const* name_of(outcome o) {
  constexpr char const* names[] = {"pass",      "swallow", "translate",
                                   "terminate", "unknown", "no memory"};
  return names[static_cast<int>(o)];
}

char const* name_of(reality r) {
  constexpr char const* names[] = {"delivered", "swallowed", "translated", "terminated", "other"};
  return names[static_cast<int>(r)];
}

bool is_safe(outcome predicted, reality real) {
  switch (predicted) {
    case outcome::pass:
      return real == reality::delivered;
    case outcome::translate:
      return real == reality::delivered || real == reality::translated;
    case outcome::swallow:
      return real != reality::terminated && real != reality::other;
    default:
      return true;
  }
}

}  // namespace frame_cases
