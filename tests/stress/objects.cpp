// SPDX-License-Identifier: MIT
#include "objects.hpp"

#include <csignal>
#include <cstddef>
#include <pthread.h>

#include "model.hpp"

namespace stress {
namespace {

thread_local int signalled_here = 0;

}  // namespace

objects* made = nullptr;

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

void set_token(op const& o) {
  // Another thread may see it before this one gets any further.
  shared.token_may_be_set[static_cast<std::size_t>(o.arguments[0])] = true;
  if (o.kind == op_kind::signal) {
    signalled_here = static_cast<int>(o.arguments[0]);
    pthread_kill(pthread_self(), SIGUSR1);
  } else {
    made->token[static_cast<std::size_t>(o.arguments[0])].set("a stress program");
  }
  shared.token_set[static_cast<std::size_t>(o.arguments[0])] = true;
}

}  // namespace stress
