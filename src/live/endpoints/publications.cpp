// SPDX-License-Identifier: MIT
#include "endpoints/publications.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <new>
#include <pthread.h>
#include <stdexcept>
#include <utility>
#include <vector>

#include "memprof/serve/respond.hpp"

namespace memprof::inline v0::serve::detail {

///  - `use`: guards the two pointers: held while a page reads them. Recursive, since a function may
///    end its own publication.
struct publication {
  std::recursive_mutex use;
  std::string name;
  budget const* shown = nullptr;
  std::function<void(metrics&)> families;
  std::optional<bytes> allocations, memory;

  void end();
};

}  // namespace memprof::inline v0::serve::detail

namespace memprof::endpoints {
namespace {

using serve::detail::publication;
using publication_list = std::vector<std::shared_ptr<publication>>;

/// Guards the list, and changes of publications: held for some stores, or a copy of the list. A
/// fork waits for it, so a child finds all of them whole.
constinit std::mutex list_lock;
/// Never destroyed: pages may be asked for until the process ends. Null: none was published.
constinit publication_list* the_list = nullptr;
std::atomic<unsigned long long> failures{0};

void lock_for_fork() { list_lock.lock(); }
void unlock_after_fork() { list_lock.unlock(); }
/// The thread that was using a publication, for a page, may not exist here: nobody would unlock it.
void unlock_in_child() {
  if (the_list != nullptr) {
    for (auto const& p : *the_list) ::new (&p->use) std::recursive_mutex;
  }
  list_lock.unlock();
}

[[maybe_unused]] int const watching_fork =
    pthread_atfork(&lock_for_fork, &unlock_after_fork, &unlock_in_child);

/// With list_lock.
publication_list& list() {
  if (the_list == nullptr) the_list = new publication_list;
  return *the_list;
}

publication_list copy_of_list() {
  const std::lock_guard lock(list_lock);
  return list();
}

std::shared_ptr<publication> enter(std::shared_ptr<publication> p) {
  const std::lock_guard lock(list_lock);
  const bool taken = std::ranges::any_of(list(), [&](auto const& other) {
    return p->shown != nullptr && other->shown != nullptr && other->name == p->name;
  });
  if (taken) {
    throw std::invalid_argument("memprof::serve::publish: a budget '" + p->name +
                                "' is published already");
  }
  list().push_back(p);
  return p;
}

void remove(std::shared_ptr<publication> const& p) {
  {
    const std::lock_guard lock(list_lock);
    std::erase(list(), p);
  }
  p->end();
}

/// One family over all budgets.
template <class Each>
void over_budgets(publication_list const& all, Each each) {
  for (auto const& p : all) {
    const std::lock_guard lock(p->use);
    if (p->shown != nullptr) each(*p);
  }
}

}  // namespace

void add_budgets(serve::metrics& page) {
  publication_list const all = copy_of_list();
  page.counter("memprof_budget_allocated_bytes", "Allocated under the budget, exactly.");
  over_budgets(all, [&](publication const& p) {
    page.sample(p.shown->allocated().count(), {{"budget", p.name}});
  });
  page.gauge("memprof_budget_inuse_bytes", "Estimated live memory of the budget.");
  over_budgets(all, [&](publication const& p) {
    page.sample(p.shown->live().value.count(), {{"budget", p.name}});
  });
  page.gauge("memprof_budget_inuse_bytes_bound", "The interval that holds it.");
  over_budgets(all, [&](publication const& p) {
    const estimate live = p.shown->live();
    page.sample(live.lower.count(),
                {{"budget", p.name}, {"side", "lower"}, {"confidence", "0.95"}});
    page.sample(live.upper.count(),
                {{"budget", p.name}, {"side", "upper"}, {"confidence", "0.95"}});
  });
  page.gauge("memprof_budget_limit_bytes", "What the budget allows.");
  over_budgets(all, [&](publication const& p) {
    if (p.allocations) {
      page.sample(p.allocations->count(), {{"budget", p.name}, {"limit", "allocations"}});
    }
    if (p.memory) page.sample(p.memory->count(), {{"budget", p.name}, {"limit", "memory"}});
  });
}

void add_published_families(serve::metrics& page) {
  for (auto const& p : copy_of_list()) {
    const std::lock_guard lock(p->use);
    if (!p->families) continue;
    // A copy: the function may end its own publication.
    auto const families = p->families;
    serve::metrics before = page;
    try {
      families(page);
    } catch (...) {
      page = std::move(before);
      failures.fetch_add(1, std::memory_order_relaxed);
    }
  }
}

unsigned long long failed_families() noexcept { return failures.load(std::memory_order_relaxed); }

}  // namespace memprof::endpoints

namespace memprof::inline v0::serve {

void detail::publication::end() {
  const std::lock_guard used(use);
  std::function<void(metrics&)> ended;
  const std::lock_guard lock(endpoints::list_lock);
  shown = nullptr;
  ended.swap(families);
}

published::published(std::shared_ptr<detail::publication> entry) noexcept
    : entry_(std::move(entry)) {}

published::~published() {
  if (entry_ != nullptr) endpoints::remove(entry_);
}

published& published::operator=(published&& other) noexcept {
  std::swap(entry_, other.entry_);
  return *this;
}

published publish(std::string name, budget const& b, limits const& l) {
  auto p = std::make_shared<detail::publication>();
  p->name = std::move(name);
  p->shown = &b;
  p->allocations = l.allocations;
  p->memory = l.memory;
  return published(endpoints::enter(std::move(p)));
}

published publish(std::function<void(metrics&)> families) {
  auto p = std::make_shared<detail::publication>();
  p->families = std::move(families);
  return published(endpoints::enter(std::move(p)));
}

}  // namespace memprof::inline v0::serve
