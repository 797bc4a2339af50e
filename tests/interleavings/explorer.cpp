// SPDX-License-Identifier: MIT
#include "explorer.hpp"

#include <boost/context/fiber.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <utility>

namespace interleavings {
namespace {

namespace context = boost::context;

struct pending_store {
  void* object;
  std::uint64_t value;
  std::size_t size;

  void reach_memory() const noexcept { std::memcpy(object, &value, size); }
};

struct thread {
  std::function<void()> const* body = nullptr;
  context::fiber flow;
  bool ended = false;
  std::deque<pending_store> buffer;
};

/// A point at which there was more than one way to go on.
struct decision {
  std::size_t taken;
  std::size_t ways;
};

struct operation {
  std::size_t thread;
  char const* name;
  void const* object;
};

constexpr std::size_t none = ~std::size_t{0};
constexpr std::size_t most_operations = 5000;  // of one run: who needs more waits for somebody

class explorer {
 public:
  explorer(bounds const& b, std::vector<std::function<void()>> const& bodies)
      : bounds_(b), threads_(bodies.size()) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      threads_[i].body = &bodies[i];
      threads_[i].flow = context::fiber([this, i](context::fiber&& caller) {
        caller_ = std::move(caller);
        while (true) {
          (*threads_[i].body)();
          threads_[i].ended = true;
          leave();
        }
        return std::move(caller_);
      });
    }
  }

  void run_once() {
    operations_.clear();
    depth_ = 0;
    int preemptions = 0;
    std::size_t current = none;
    for (thread& t : threads_) t.ended = false;
    while (true) {
      // First the way without a preemption.
      std::vector<std::size_t> ways;
      if (current != none && !threads_[current].ended) ways.push_back(current);
      const bool preempts = !ways.empty();
      for (std::size_t i = 0; i < threads_.size(); ++i) {
        if (i != current && !threads_[i].ended &&
            (!preempts || preemptions < bounds_.preemptions)) {
          ways.push_back(i);
        }
      }
      for (std::size_t i = 0; i < threads_.size(); ++i) {
        if (!threads_[i].buffer.empty()) ways.push_back(threads_.size() + i);
      }
      if (ways.empty()) break;
      const std::size_t way = ways[decide(ways.size())];
      if (way >= threads_.size()) {
        flush_oldest(way - threads_.size());
        continue;
      }
      if (preempts && way != current) ++preemptions;
      running_ = current = way;
      threads_[way].flow = std::move(threads_[way].flow).resume();
      running_ = none;
      if (operations_.size() > most_operations) fail("a thread waits for ever");
    }
  }

  /// The next order; false if all were tried.
  bool advance() {
    while (!decisions_.empty() && ++decisions_.back().taken == decisions_.back().ways) {
      decisions_.pop_back();
    }
    return !decisions_.empty();
  }

  void give_way(char const* name, void const* object) {
    if (running_ == none) return;
    operations_.push_back({running_, name, object});
    leave();
  }

  [[nodiscard]] thread* running() noexcept {
    return running_ == none ? nullptr : &threads_[running_];
  }
  [[nodiscard]] std::size_t room() const noexcept { return bounds_.buffered; }
  [[nodiscard]] bool between() const noexcept { return bounds_.between; }

  [[noreturn]] void fail(char const* what) const {
    std::printf("%s. The order:\n", what);
    for (operation const& o : operations_) {
      std::printf("  thread %zu: %s %p\n", o.thread, o.name, o.object);
    }
    std::fflush(stdout);
    std::_Exit(1);
  }

 private:
  void leave() { caller_ = std::move(caller_).resume(); }

  std::size_t decide(std::size_t ways) {
    if (depth_ == decisions_.size()) decisions_.push_back({0, ways});
    if (decisions_[depth_].ways != ways) fail("a run was not the same as the one before");
    return decisions_[depth_++].taken;
  }

  void flush_oldest(std::size_t i) {
    operations_.push_back({i, "(its store reaches)", threads_[i].buffer.front().object});
    threads_[i].buffer.front().reach_memory();
    threads_[i].buffer.pop_front();
  }

  bounds bounds_;
  std::vector<thread> threads_;
  context::fiber caller_;
  std::size_t running_ = none;
  std::vector<decision> decisions_;
  std::size_t depth_ = 0;
  std::vector<operation> operations_;
};

explorer* active = nullptr;

}  // namespace

std::uint64_t explore(bounds const& b, std::function<void()> const& begin,
                      std::vector<std::function<void()>> const& threads,
                      std::function<void()> const& end) {
  // Left to the end of the process: its fibers wait in loops.
  active = new explorer(b, threads);
  std::uint64_t orders = 0;
  do {
    begin();
    active->run_once();
    end();
    ++orders;
  } while (active->advance());
  active = nullptr;
  return orders;
}

void check(bool holds, char const* what) {
  if (!holds) active->fail(what);
}

void before_operation(char const* name, void const* object) noexcept {
  if (active != nullptr) active->give_way(name, object);
}

void after_store(void const* object) noexcept {
  if (active != nullptr && active->between()) active->give_way("(has stored)", object);
}

bool buffer_store(void* object, std::uint64_t value, std::size_t size) noexcept {
  thread* const t = active == nullptr ? nullptr : active->running();
  if (t == nullptr || active->room() == 0) return false;
  if (t->buffer.size() == active->room()) {
    t->buffer.front().reach_memory();
    t->buffer.pop_front();
  }
  t->buffer.push_back({object, value, size});
  return true;
}

std::uint64_t const* buffered_value(void const* object) noexcept {
  thread* const t = active == nullptr ? nullptr : active->running();
  if (t == nullptr) return nullptr;
  for (std::size_t i = t->buffer.size(); i-- > 0;) {
    if (t->buffer[i].object == object) return &t->buffer[i].value;
  }
  return nullptr;
}

void drain_buffer() noexcept {
  thread* const t = active == nullptr ? nullptr : active->running();
  if (t == nullptr) return;
  for (pending_store const& s : t->buffer) s.reach_memory();
  t->buffer.clear();
}

}  // namespace interleavings
