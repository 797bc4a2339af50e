// SPDX-License-Identifier: MIT
#include "interpret.hpp"

#include <array>
#include <csignal>
#include <exception>
#include <memory>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "memprof/fiber.hpp"
#include "memprof/memprof.hpp"

#include "blocks.hpp"
#include "model.hpp"
#include "support/allocate.hpp"

namespace stress {
namespace {

/// What the program itself throws.
struct own_exception {};

struct objects {
  std::array<memprof::token, tokens> token;
  std::array<std::unique_ptr<memprof::budget>, budgets> budget;
};
objects* made = nullptr;
thread_local int signalled_here = 0;

/// Room for the live memory of scopes, which outlives them.
constexpr std::size_t most_scopes = std::size_t{1} << 15;
account accounts[most_scopes];
std::atomic<std::size_t> accounts_used{0};

constexpr int most_steps = 20'000;
thread_local int steps = 0;

void run(context& c, std::vector<op> const& ops);

/// Keeps a frame in its context.
class entered {
 public:
  entered(context& c, frame& f) : context_(c) {
    f.outer = c.innermost;
    c.innermost = &f;
  }
  ~entered() { context_.innermost = context_.innermost->outer; }
  entered(entered const&) = delete;
  entered& operator=(entered const&) = delete;

 private:
  context& context_;
};

/// Judges a scope that an exception leaves.
class left_by_exception {
 public:
  explicit left_by_exception(frame const& f) : frame_(f) {}
  ~left_by_exception() {
    if (!returned) judge_exception(frame_);
  }
  left_by_exception(left_by_exception const&) = delete;
  left_by_exception& operator=(left_by_exception const&) = delete;
  bool returned = false;

 private:
  frame const& frame_;
};

template <class T>
void judge(frame const& f, memprof::result<T> const& r) {
  if (!r) return judge_error(f, r.error());
  judge_value(f);
  if constexpr (!std::is_void_v<T>) judge_allocated(f, r->allocated);
}

memprof::limits limits_of(frame const& f) {
  memprof::limits l;
  if (f.allocations >= 0) l.allocations = memprof::bytes{f.allocations};
  if (f.memory >= 0) l.memory = memprof::bytes{f.memory};
  if (f.token >= 0) l.token = made->token[static_cast<std::size_t>(f.token)];
  if (f.exact) l.count = memprof::counting::exact;
  return l;
}

/// What runs in a scope: enter(task) calls the limit function.
template <class Enter>
void in_scope(context& c, op const& o, frame& f, Enter&& enter) {
  if (f.memory >= 0) {
    const std::size_t index = accounts_used.fetch_add(1);
    if (index >= most_scopes) return;
    f.live = &accounts[index];
  }
  left_by_exception judged(f);
  const bool set_before = f.token >= 0 && is_set(f.token);
  f.maybe_hit =
      set_before || f.time || f.global || (f.budget >= 0 && shared.budget[f.budget].maybe_hit);
  bool ran = false;
  auto const r = enter([&] {
    ran = true;
    const entered here(c, f);
    run(c, o.body);
  });
  judged.returned = true;
  if (set_before && (ran || r)) fail("a task ran although its token was set");
  judge(f, r);
}

void run_scope(context& c, op const& o) {
  frame f;
  auto const& a = o.arguments;
  switch (o.kind) {
    case op_kind::allocations:
      f.allocations = a[0];
      return in_scope(c, o, f, [&](auto&& task) {
        return memprof::limit_allocations(memprof::bytes{a[0]}, task);
      });
    case op_kind::memory:
      f.memory = a[0];
      return in_scope(
          c, o, f, [&](auto&& task) { return memprof::limit_memory(memprof::bytes{a[0]}, task); });
    case op_kind::token:
      f.token = static_cast<int>(a[0]);
      return in_scope(c, o, f, [&](auto&& task) {
        return memprof::limit_with_token(made->token[static_cast<std::size_t>(a[0])], task);
      });
    case op_kind::time:
      f.time = true;
      return in_scope(c, o, f, [&](auto&& task) {
        return memprof::limit_time(std::chrono::microseconds{a[0]}, task);
      });
    case op_kind::global:
      f.global = true;
      return in_scope(c, o, f, [&](auto&& task) { return memprof::limit_global_memory(task); });
    case op_kind::budget:
      f.budget = static_cast<int>(a[0]);
      return in_scope(c, o, f, [&](auto&& task) {
        return made->budget[static_cast<std::size_t>(a[0])]->run(task);
      });
    case op_kind::all:
      f.memory = a[1];
      f.token = static_cast<int>(a[2]);
      [[fallthrough]];
    default:  // exactly
      f.allocations = a[0];
      f.exact = o.kind == op_kind::exactly;
      return in_scope(c, o, f,
                      [&](auto&& task) { return memprof::run_limited(limits_of(f), task); });
  }
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

/// At the end of a thread nothing of it is left, and a limit counts as ever.
void check_at_rest() {
  if (memprof::is_masked()) fail("masked at the end");
  if (memprof::is_interrupted()) fail("an interrupt is pending at the end");
  if (std::uncaught_exceptions() != 0) fail("an exception is on its way at the end");
  auto const r = memprof::limit_allocations(
      memprof::bytes{1 << 20}, [] { memprof::test::release(memprof::test::allocate(1000), 1000); });
  if (!r || r->allocated != memprof::bytes{126 * 8}) fail("a limit at the end counts wrongly");
}

void run_thread(std::vector<op> const& ops) {
  context c;
  steps = 0;
  try {
    run(c, ops);
  } catch (own_exception const&) {
  }
  check_at_rest();
}

pthread_t start_thread(std::vector<op> const& ops) {
  pthread_t thread{};
  void* (*const body)(void*) = [](void* given) -> void* {
    run_thread(*static_cast<std::vector<op> const*>(given));
    return nullptr;
  };
  if (pthread_create(&thread, nullptr, body, const_cast<std::vector<op>*>(&ops)) != 0) {
    fail("no thread could be made");
  }
  return thread;
}

/// The child does what is asked and ends. What other threads did meanwhile it does not know.
void run_forked(context& c, std::vector<op> const& body) {
  allocates_unseen(c, 1 << 12, true);
  const pid_t child = fork();
  if (child < 0) fail("no child could be made");
  if (child == 0) {
    limit_time();
    shared.forked = true;
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

void set_token(op const& o) {
  if (o.kind == op_kind::signal) {
    signalled_here = static_cast<int>(o.arguments[0]);
    pthread_kill(pthread_self(), SIGUSR1);
  } else {
    made->token[static_cast<std::size_t>(o.arguments[0])].set("a stress program");
  }
  shared.token_set[static_cast<std::size_t>(o.arguments[0])] = true;
}

void run_op(context& c, op const& o) {
  switch (o.kind) {
    case op_kind::by_new:
    case op_kind::by_malloc:
    case op_kind::by_calloc:
    case op_kind::by_realloc:
    case op_kind::aligned:
    case op_kind::module:
    case op_kind::jump:
    case op_kind::free:
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
      allocates_unseen(c, 1 << 12, true);
      pthread_join(start_thread(o.body), nullptr);
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

void run(context& c, std::vector<op> const& ops) {
  for (op const& o : ops) {
    if (++steps > most_steps) return;
    run_op(c, o);
  }
}

void make_objects(program const& p) {
  made = new objects;
  made->token[2] = made->token[0].child();
  made->token[3] = made->token[2].child();
  for (std::size_t i = 0; i < budgets; ++i) {
    memprof::limits l;
    budget_limits const& of = p.budget[i];
    if (of.allocations > 0) l.allocations = memprof::bytes{of.allocations};
    if (of.memory > 0) l.memory = memprof::bytes{of.memory};
    made->budget[i] = std::make_unique<memprof::budget>(l);
    shared.budget[i].limits = of;
  }
  if (p.global > 0) memprof::set_global_memory_limit(memprof::bytes{p.global});
  std::signal(SIGUSR1, [](int) { made->token[static_cast<std::size_t>(signalled_here)].set(); });
}

/// All threads have ended. Sums are exact, and what is freed now is taken off them exactly.
void check_sums() {
  for (std::size_t i = 0; i < budgets; ++i) {
    auto& of = shared.budget[i];
    const std::int64_t words = made->budget[i]->allocated().count() / 8;
    if (words < of.words.low || words > of.words.high) {
      fail("budget %zu: %lld words were allocated, it says %lld", i,
           static_cast<long long>(of.words.low), static_cast<long long>(words));
    }
    // Without a limit on memory a budget has no account.
    const bool exact = shared.rate == 1.0 && !of.inexact && of.limits.memory > 0;
    const std::int64_t live = made->budget[i]->live().value.count() / 8;
    if (exact && live != of.live.low) {
      fail("budget %zu: %lld words are live, it says %lld", i, static_cast<long long>(of.live.low),
           static_cast<long long>(live));
    }
  }
  const std::int64_t live_before = memprof::live_memory().value.count() / 8;
  const std::uint64_t blocks_before = memprof::counters().tracked_blocks;
  const freed all = free_all();
  const std::int64_t fallen = live_before - memprof::live_memory().value.count() / 8;
  const std::uint64_t blocks = blocks_before - memprof::counters().tracked_blocks;
  if (shared.rate == 1.0 && (fallen != all.words || blocks != all.blocks)) {
    fail("%lld words in %llu blocks were freed, live memory fell by %lld in %llu",
         static_cast<long long>(all.words), static_cast<unsigned long long>(all.blocks),
         static_cast<long long>(fallen), static_cast<unsigned long long>(blocks));
  }
  for (std::size_t i = 0; i < budgets; ++i) {
    const std::int64_t live = made->budget[i]->live().value.count();
    if (live != 0 && !shared.budget[i].inexact) {
      fail("budget %zu: all is freed, it says that %lld bytes live", i,
           static_cast<long long>(live));
    }
  }
  if (memprof::counters().dropped_blocks != 0) fail("blocks were dropped");
}

}  // namespace

void limit_time() {
  constexpr int seconds = 30;  // a program takes milliseconds
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  alarm(seconds);
}

void interpret(program const& p) {
  shared.rate = p.rate;
  memprof::set_process_sampling_rate(memprof::sampling_rate{p.rate});
  memprof::set_limit_sampling_rate(memprof::sampling_rate{p.rate});
  make_objects(p);
  std::vector<pthread_t> threads;
  threads.reserve(p.threads.size());
  for (auto const& t : p.threads) threads.push_back(start_thread(t));
  for (const pthread_t t : threads) pthread_join(t, nullptr);
  memprof::set_global_memory_limit({});
  check_at_rest();
  check_sums();
  if (!memprof::overdue_tasks({.late = std::chrono::nanoseconds{0}}).empty()) {
    fail("a task is overdue at the end");
  }
}

}  // namespace stress
