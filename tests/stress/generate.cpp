// SPDX-License-Identifier: MIT
#include <algorithm>
#include <random>

#include "program.hpp"

namespace stress {
namespace {

class generator {
 public:
  generator(std::uint64_t seed, std::vector<std::string_view> const& without) : random_(seed) {
    for (std::size_t i = 0; i < op_kinds; ++i) {
      const bool wanted = std::find(without.begin(), without.end(), forms[i].name) == without.end();
      weights_[i] = wanted ? usual_weights[i] : 0;
    }
    // Each program has a few favourites, so that what is rare together comes together, too.
    for (int i = 0; i < 4; ++i) weights_[below(op_kinds)] *= 4;
    for (int i = 0; i < 6; ++i) weights_[below(op_kinds)] = 0;
    weights_[0] = std::max(weights_[0], 10);
  }

  program make() {
    program p;
    constexpr double rates[] = {1.0, 1.0, 1.0, 0.05, 1e-3};
    p.rate = rates[below(std::size(rates))];
    for (budget_limits& b : p.budget) b = {chance(3) ? 0 : amount(), chance(2) ? 0 : amount()};
    p.global = chance(3) ? amount() * 4 : 0;
    p.threads.resize(1 + below(4));
    for (auto& t : p.threads) {
      left_ = 10 + static_cast<int>(below(60));
      first_slot_ = static_cast<std::int64_t>(below(slots));
      while (left_ > 0) t.push_back(make_op(0));
    }
    return p;
  }

 private:
  // In the order of op_kind.
  static constexpr int usual_weights[op_kinds] = {60, 25, 4, 10, 5, 1, 2, 20, 2, 1, 5, 2, 6, 10,
                                                  8,  10, 5, 6,  1, 3, 8, 6,  6, 6, 8, 2, 2, 3};

  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }
  bool chance(std::size_t n) { return below(n) == 0; }

  /// Spread over the orders of magnitude.
  std::int64_t amount() {
    const std::size_t bits = 1 + below(20);
    return static_cast<std::int64_t>(below(std::size_t{1} << bits));
  }
  std::int64_t size() {
    if (chance(200)) return static_cast<std::int64_t>(below(80'000'000));
    return static_cast<std::int64_t>(below(std::size_t{1} << (chance(4)   ? 18
                                                              : chance(2) ? 12
                                                                          : 8)));
  }
  std::int64_t slot() {
    if (chance(4)) return static_cast<std::int64_t>(below(slots));
    return (first_slot_ + static_cast<std::int64_t>(below(5))) % slots;
  }

  op make_op(int depth) {
    --left_;
    std::discrete_distribution<std::size_t> choice(weights_.begin(), weights_.end());
    op o{.kind = static_cast<op_kind>(choice(random_))};
    if (o.form().has_body && depth >= 6) o.kind = op_kind::by_new;
    switch (o.kind) {
      case op_kind::set:
      case op_kind::signal:
      case op_kind::token:
        o.arguments[0] = static_cast<std::int64_t>(below(tokens));
        break;
      case op_kind::budget:
        o.arguments[0] = static_cast<std::int64_t>(below(budgets));
        break;
      case op_kind::allocations:
      case op_kind::exactly:
      case op_kind::memory:
        o.arguments[0] = amount();
        break;
      case op_kind::all:
        o.arguments = {amount(), amount(), static_cast<std::int64_t>(below(tokens))};
        break;
      case op_kind::time:
        o.arguments[0] = amount() / 100;
        break;
      case op_kind::repeat:
        o.arguments[0] = 2 + static_cast<std::int64_t>(below(chance(4) ? 300 : 20));
        break;
      case op_kind::fiber:
        o.arguments = {amount(), static_cast<std::int64_t>(below(3)), 0};
        break;
      default:
        if (o.form().arguments > 0) o.arguments = {slot(), o.kind == op_kind::free ? 0 : size(), 0};
    }
    if (o.form().has_body) {
      const std::size_t length = 1 + below(6);
      for (std::size_t i = 0; i < length; ++i) o.body.push_back(make_op(depth + 1));
    }
    return o;
  }

  std::mt19937_64 random_;
  std::array<int, op_kinds> weights_{};
  int left_ = 0;
  std::int64_t first_slot_ = 0;
};

}  // namespace

program generate(std::uint64_t seed, std::vector<std::string_view> const& without) {
  return generator(seed, without).make();
}

}  // namespace stress
