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
    if (!chance(3)) p.budget[below(budgets)] = {0, out_of_reach};
    p.global = chance(3) ? amount() * 4 : 0;
    p.threads.resize(chance(3) ? 1 : 1 + below(4));
    for (auto& t : p.threads) {
      left_ = 10 + static_cast<int>(below(60));
      first_slot_ = static_cast<std::int64_t>(below(slots));
      while (left_ > 0) t.push_back(make_op(0));
    }
    return p;
  }

 private:
  // In the order of op_kind.
  static constexpr int usual_weights[op_kinds] = {60, 25, 4, 10, 5, 1, 2, 4, 20, 2, 1, 5, 2, 6, 10,
                                                  8,  10, 5, 6,  1, 3, 8, 6, 6,  6, 8, 2, 2, 3};

  static constexpr std::int64_t out_of_reach = std::int64_t{1} << 40;

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
  /// Where `sizes` begins: mostly among those that programs ask for most.
  std::int64_t first_size() {
    return static_cast<std::int64_t>(
        below(chance(8) ? std::size_t{1} << 16 : std::size_t{1} << 12));
  }
  std::int64_t slot() {
    if (chance(4)) return static_cast<std::int64_t>(below(slots));
    return (first_slot_ + static_cast<std::int64_t>(below(5))) % slots;
  }

  static bool has_own_limit(op_kind kind) {
    return kind == op_kind::allocations || kind == op_kind::exactly || kind == op_kind::memory ||
           kind == op_kind::all;
  }
  /// Two blocks that have the limit's words, or one more or less.
  void fill_to_edge(op& o) {
    const bool second = o.kind == op_kind::all && chance(2);
    const std::int64_t limit = o.arguments[second ? 1 : 0] / 8;
    const std::int64_t words = limit + static_cast<std::int64_t>(below(3)) - 1;
    const auto block_of = [&](std::int64_t n) {
      const std::int64_t most = (n - 1) * 8;  // a block has a word more than its size needs
      const auto less = static_cast<std::int64_t>(below(8));
      if (n > 0)
        o.body.push_back({op_kind::by_new, {slot(), std::max<std::int64_t>(0, most - less), 0}});
    };
    const std::int64_t head =
        words > 1 ? static_cast<std::int64_t>(below(static_cast<std::size_t>(words))) : 0;
    block_of(head);
    block_of(words - head);
    o.body.push_back({op_kind::poll});
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
      case op_kind::sizes:
        o.arguments = {slot(), first_size(), 0};
        break;
      default:
        if (o.form().arguments > 0) o.arguments = {slot(), o.kind == op_kind::free ? 0 : size(), 0};
    }
    if (has_own_limit(o.kind) && chance(3)) {
      fill_to_edge(o);
    } else if (o.form().has_body) {
      const std::size_t length = 1 + below(6);
      if (o.kind == op_kind::budget && !chance(3)) {
        o.body.push_back({op_kind::sizes, {slot(), first_size(), 0}});
      }
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
