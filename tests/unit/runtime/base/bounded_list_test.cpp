// SPDX-License-Identifier: MIT
#include "base/bounded_list.hpp"

#include <algorithm>
#include <random>
#include <type_traits>
#include <vector>

#include "support/catch2.hpp"

using memprof::base::bounded_list;

static_assert(std::is_trivially_destructible_v<bounded_list<int, 3>>);
static_assert(std::is_trivially_copyable_v<bounded_list<int, 3>>);

TEST_CASE("bounded_list: says no when it is full, and when it is empty") {
  static constinit bounded_list<int, 2> list;
  int taken = 7;
  CHECK_FALSE(list.pop(taken));
  CHECK(taken == 7);
  CHECK(list.push(1));
  CHECK(list.push(2));
  CHECK_FALSE(list.push(3));
  CHECK(list.size() == 2);
  CHECK(list.pop(taken));
  CHECK(taken == 2);
  list.clear();
  CHECK(list.empty());
}

TEST_CASE("bounded_list: as a vector that does not grow, and nothing beside it changes") {
  constexpr std::size_t most = 5;
  struct {
    unsigned before = 0xabcd;
    bounded_list<unsigned, most> list;
    unsigned after = 0xdcba;
  } place;
  std::vector<unsigned> model;
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const unsigned value = static_cast<unsigned>(random()) % 100;
    switch (random() % 8) {
      case 0:
        place.list.remove_if([&](unsigned e) { return e < value; });
        std::erase_if(model, [&](unsigned e) { return e < value; });
        break;
      case 1:
      case 2: {
        unsigned taken = 1000;
        REQUIRE(place.list.pop(taken) == !model.empty());
        if (!model.empty()) {
          REQUIRE(taken == model.back());
          model.pop_back();
        }
        break;
      }
      default:
        REQUIRE(place.list.push(value) == (model.size() < most));
        if (model.size() < most) model.push_back(value);
    }
    REQUIRE(std::ranges::equal(place.list, model));
    REQUIRE(place.before == 0xabcd);
    REQUIRE(place.after == 0xdcba);
  }
}

TEST_CASE("bounded_list: one that another thread clears in the middle stays within its end") {
  bounded_list<int, 4> list;
  for (int i = 0; i < 4; ++i) REQUIRE(list.push(i));
  list.remove_if([&](int i) {
    list.clear();
    return i % 2 == 0;
  });
  CHECK(list.size() <= 4);
}
