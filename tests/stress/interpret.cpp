// SPDX-License-Identifier: MIT
#include "interpret.hpp"

#include <algorithm>
#include <csignal>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memprof/fiber.hpp"
#include "memprof/memprof.hpp"

#include "blocks.hpp"
#include "model.hpp"
#include "objects.hpp"
#include "scopes.hpp"
#include "totals.hpp"

namespace stress {
namespace {

/// What the program itself throws.
struct own_exception {};

constexpr int most_steps = 20'000;
// Of a block that is read or copied whole, as by `realloc`: four pages, whose faults may take
// 0.1 ms on a virtual machine.
constexpr std::int64_t bytes_of_step = std::int64_t{16} << 10;
constexpr int most_inner = 40;  // children and threads that one thread starts
thread_local int steps = 0;

/// Counts a child or thread. Returns the steps that it has done before it begins: it has a tenth of
/// what is left.
int begin_inner() {
  steps += most_steps / most_inner;
  return most_steps - std::max(0, most_steps - steps) / 10;
}

void run_noexcept(context& c, std::vector<op> const& body) noexcept {
  frame f{.kind = frame_kind::barrier};
  const entered here(c, f);
  run(c, body);
}

void run_catching(context& c, std::vector<op> const& body) {
  frame f{.kind = frame_kind::handler};
  try {
    const entered here(c, f);
    run(c, body);
  } catch (...) {
  }
}

struct thread_start {
  std::vector<op> const* ops;
  int steps = 0;
};

void run_thread(thread_start const& start) {
  context c;
  steps = start.steps;
  try {
    run(c, *start.ops);
  } catch (own_exception const&) {
  }
  check_at_rest();
}

/// start       stays until the thread ends.
pthread_t start_thread(thread_start& start) {
  pthread_t thread{};
  void* (*const body)(void*) = [](void* given) -> void* {
    run_thread(*static_cast<thread_start const*>(given));
    return nullptr;
  };
  if (pthread_create(&thread, nullptr, body, &start) != 0) {
    fail("no thread could be made");
  }
  return thread;
}

/// The child does what is asked and ends. What other threads did meanwhile it does not know.
void run_forked(context& c, std::vector<op> const& body) {
  const int inner_steps = begin_inner();
  if (steps > most_steps) return;
  allocates_unseen(c, 1 << 12, true);
  const pid_t child = fork();
  if (child < 0) fail("no child could be made");
  if (child == 0) {
    limit_time();
    shared.forked = true;
    steps = inner_steps;
    run_catching(c, body);
    _exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0)
    fail("a child ended with status %#x", status);
}

/// A task that pauses at its limit. `action`: 0 raises it, 1 cancels, 2 goes on for a while.
void run_fiber(context& c, op const& o) {
  allocates_unseen(c, 1 << 12, false);
  context inside{.monitor = &c};
  frame f;
  f.maybe_hit = true;  // what it does at its limit is its monitor's business
  memprof::task t = [&] {
    request r(c, 0, point::pause, nullptr);  // it is made by operator new
    memprof::task task{memprof::limits{.allocations = memprof::bytes{o.arguments[0]}}, [&] {
                         const entered here(inside, f);
                         run(inside, o.body);
                       }};
    r.granted();
    return task;
  }();
  for (int pauses = 0; t.resume() == memprof::task_state::paused; ++pauses) {
    const memprof::task_pause why = t.pause();
    if (why.reason == memprof::pause_reason::asked) continue;
    if (o.arguments[1] == 0 && why.reason == memprof::pause_reason::limit) {
      t.raise_limit(why.measured * 2);
    } else if (o.arguments[1] == 1 || pauses > 20) {
      t.cancel();
      break;
    }
  }
  if (!t.done()) return;
  try {
    if (auto const r = t.result()) judge_allocated(f, r->allocated);
  } catch (own_exception const&) {
  }
}

void run_op(context& c, op const& o) {
  switch (o.kind) {
    case op_kind::by_calloc:
    case op_kind::by_realloc:
      steps += static_cast<int>(o.arguments[1] / bytes_of_step);
      return on_block(c, o);
    case op_kind::by_new:
    case op_kind::by_malloc:
    case op_kind::aligned:
    case op_kind::module:
    case op_kind::jump:
    case op_kind::free:
      return on_block(c, o);
    case op_kind::sizes:
      steps += sizes_tried;
      return on_block(c, o);
    case op_kind::set:
    case op_kind::signal:
      return set_token(o);
    case op_kind::poll: {
      request r(c, 0, point::delivery, nullptr);
      memprof::cancellation_point();
      return r.granted();
    }
    case op_kind::raise:
      if (!may_throw(c)) return;
      allocates_unseen(c, 64, false);
      throw own_exception{};
    case op_kind::pause: {
      request r(c, 0, point::pause, nullptr);
      memprof::pause_point();
      return r.granted();
    }
    case op_kind::mask: {
      const memprof::masked_scope masked;
      struct count {
        int& masks;
        explicit count(int& m) : masks(m) { ++masks; }
        ~count() { --masks; }
      } const counted(c.masks);
      return run(c, o.body);
    }
    case op_kind::no_throw:
      return run_noexcept(c, o.body);
    case op_kind::catching:
      return run_catching(c, o.body);
    case op_kind::repeat:
      for (std::int64_t i = 0; i < o.arguments[0] && steps < most_steps; ++i) run(c, o.body);
      return;
    case op_kind::worker: {
      thread_start start{.ops = &o.body, .steps = begin_inner()};
      if (steps > most_steps) return;
      allocates_unseen(c, 1 << 12, true);
      pthread_join(start_thread(start), nullptr);
      return;
    }
    case op_kind::fork:
      return run_forked(c, o.body);
    case op_kind::fiber:
      return run_fiber(c, o);
    default:
      return run_scope(c, o);
  }
}

}  // namespace

void run(context& c, std::vector<op> const& ops) {
  for (op const& o : ops) {
    if (++steps > most_steps) return;
    run_op(c, o);
  }
}

void limit_time() {
  constexpr int seconds = 30;  // a program takes milliseconds
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  alarm(seconds);
}

void interpret(program const& p) {
  shared.rate = p.rate;
  memprof::set_process_sampling_rate(memprof::sampling_rate{p.rate});
  memprof::set_limit_sampling_rate(memprof::sampling_rate{p.rate});
  shared.alone = p.threads.size() == 1;
  make_objects(p);
  std::vector<thread_start> starts;
  for (auto const& t : p.threads) starts.push_back({.ops = &t});
  std::vector<pthread_t> threads;
  threads.reserve(p.threads.size());
  for (thread_start& s : starts) threads.push_back(start_thread(s));
  for (const pthread_t t : threads) pthread_join(t, nullptr);
  memprof::set_global_memory_limit({});
  check_at_rest();
  check_sums();
  if (!memprof::overdue_tasks({.late = std::chrono::nanoseconds{0}}).empty()) {
    fail("a task is overdue at the end");
  }
}

}  // namespace stress
