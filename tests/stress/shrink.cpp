// SPDX-License-Identifier: MIT
#include "shrink.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace stress {
namespace {

/// All lists of operations of a program, in a fixed order.
void collect(std::vector<op>& ops, std::vector<std::vector<op>*>& into) {
  into.push_back(&ops);
  for (op& o : ops) {
    if (o.form().has_body) collect(o.body, into);
  }
}
std::vector<std::vector<op>*> lists(program& p) {
  std::vector<std::vector<op>*> all;
  for (auto& t : p.threads) collect(t, all);
  return all;
}

class shrinker {
 public:
  shrinker(program p, std::function<bool(program const&)> const& fails)
      : best_(std::move(p)), fails_(fails) {}

  program run() {
    do {
      changed_ = false;
      drop_threads();
      drop_limits();
      for_each_list([this](std::size_t list) { drop_ops(list); });
      for_each_list([this](std::size_t list) { unwrap_ops(list); });
      for_each_list([this](std::size_t list) { reduce_arguments(list); });
    } while (changed_);
    return best_;
  }

 private:
  /// change(copy) returns whether there is something to try.
  template <class Change>
  bool attempt(Change&& change) {
    program copy = best_;
    if (!change(copy) || !fails_(copy)) return false;
    best_ = std::move(copy);
    return changed_ = true;
  }

  void drop_threads() {
    for (std::size_t i = best_.threads.size(); i-- > 0 && best_.threads.size() > 1;) {
      attempt([&](program& p) {
        p.threads.erase(p.threads.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      });
    }
  }

  void drop_limits() {
    for (std::size_t i = 0; i < budgets; ++i) {
      attempt([&](program& p) { return std::exchange(p.budget[i].allocations, 0) != 0; });
      attempt([&](program& p) { return std::exchange(p.budget[i].memory, 0) != 0; });
    }
    attempt([](program& p) { return std::exchange(p.global, 0) != 0; });
    attempt([](program& p) { return std::exchange(p.rate, 1.0) != 1.0; });
  }

  template <class F>
  void for_each_list(F&& f) {
    for (std::size_t i = 0; i < lists(best_).size(); ++i) f(i);
  }

  /// Runs of them first, then single ones.
  void drop_ops(std::size_t list) {
    for (std::size_t length = lists(best_)[list]->size(); length > 0; length /= 2) {
      std::size_t at = 0;
      while (list < lists(best_).size() && at + length <= lists(best_)[list]->size()) {
        const bool dropped = attempt([&](program& p) {
          auto& ops = *lists(p)[list];
          const auto first = ops.begin() + static_cast<std::ptrdiff_t>(at);
          ops.erase(first, first + static_cast<std::ptrdiff_t>(length));
          return true;
        });
        if (!dropped) at += length;
      }
    }
  }

  void unwrap_ops(std::size_t list) {
    for (std::size_t at = 0; list < lists(best_).size() && at < lists(best_)[list]->size(); ++at) {
      attempt([&](program& p) {
        auto& ops = *lists(p)[list];
        if (!ops[at].form().has_body) return false;
        const std::vector<op> body = std::move(ops[at].body);
        const auto place = ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(at));
        ops.insert(place, body.begin(), body.end());
        return true;
      });
    }
  }

  void reduce_arguments(std::size_t list) {
    for (std::size_t at = 0; at < lists(best_)[list]->size(); ++at) {
      for (std::size_t i = 0; i < 3; ++i) {
        bool smaller = true;
        for (const std::int64_t divisor : {1000, 10, 2}) {
          while (smaller) {
            smaller = attempt([&](program& p) {
              std::int64_t& value = (*lists(p)[list])[at].arguments[i];
              if (value == 0) return false;
              value /= divisor;
              return true;
            });
          }
          smaller = true;
        }
      }
    }
  }

  program best_;
  std::function<bool(program const&)> const& fails_;
  bool changed_ = false;
};

}  // namespace

program shrink(program p, std::function<bool(program const&)> const& fails) {
  return shrinker(std::move(p), fails).run();
}

}  // namespace stress
