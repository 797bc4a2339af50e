// SPDX-License-Identifier: MIT
//
// docs/recovering.md: keep state isolated.
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recovering/exactly.hpp"
#include "support/catch2.hpp"

namespace recovering {
namespace {

using namespace memprof::literals;

// [inventory]
struct inventory {
  std::vector<std::string> items;
  std::size_t letters = 0;  // of all items

  void add(std::string_view item) {
    letters += item.size();
    items.emplace_back(item);  // an interrupt may fall in here
  }
};
// [/inventory]

constexpr std::string_view lamp = "a lamp made of brass, with a dent in its shade";

std::size_t count_letters(inventory const& i) {
  return std::accumulate(i.items.begin(), i.items.end(), std::size_t{0},
                         [](std::size_t n, std::string const& item) { return n + item.size(); });
}

TEST_CASE("internal state may be left broken: nobody will look", "[recovering]") {
  // [internal]
  auto r = exactly(10_KiB, [] {
    inventory mine;  // torn in the middle of `add`, and destroyed
    for (int n = 0; n < 1000; ++n) mine.add(lamp);
  });
  CHECK_FALSE(r);
  // [/internal]
}

TEST_CASE("external state shows half a change", "[recovering]") {
  // [external]
  inventory shared;
  auto r = exactly(10_KiB, [&] {
    for (int n = 0; n < 1000; ++n) shared.add(lamp);
  });
  CHECK_FALSE(r);
  CHECK(shared.letters == count_letters(shared) + lamp.size());  // a lamp too many
  // [/external]
}

// [commit]
void add_all(inventory& shared, std::span<std::string_view const> items) {
  inventory changed = shared;
  for (auto const item : items) changed.add(item);
  std::swap(shared, changed);  // allocates nothing
}
// [/commit]

TEST_CASE("work on a copy, then commit without allocating", "[recovering]") {
  std::vector<std::string_view> const many(1000, lamp);
  inventory shared;
  shared.add(lamp);
  CHECK_FALSE(exactly(10_KiB, [&] { add_all(shared, many); }));
  CHECK(shared.items.size() == 1);
  CHECK(shared.letters == count_letters(shared));
  add_all(shared, many);
  CHECK(shared.items.size() == 1001);
}

// [rollback]
void add_or_not(inventory& shared, std::string_view item) {
  memprof::on_interrupt undo{[&, before = shared.letters]() noexcept { shared.letters = before; }};
  shared.add(item);
  undo.release();
}
// [/rollback]

TEST_CASE("roll back", "[recovering]") {
  inventory shared;
  CHECK_FALSE(exactly(10_KiB, [&] {
    for (int n = 0; n < 1000; ++n) add_or_not(shared, lamp);
  }));
  CHECK(shared.items.size() > 1);
  CHECK(shared.letters == count_letters(shared));
}

struct connection {
  bool in_use = false;
  bool broken = false;
  std::vector<std::string> sent;
};

// [bracket]
template <class F>
void with_connection(connection& c, F const& talk) {
  memprof::with_resource(
      [&]() -> connection& {
        c.in_use = true;  // no interrupt between taking it and knowing that it must be given back
        return c;
      },
      talk,
      [](connection& used) noexcept {
        if (memprof::is_interrupted()) used.broken = true;  // in the middle of a message
        used.in_use = false;
      });
}
// [/bracket]

TEST_CASE("give back, and say in which state", "[recovering]") {
  connection c;
  with_connection(c, [](connection& it) { it.sent.emplace_back("hello"); });
  CHECK_FALSE(c.in_use);
  CHECK_FALSE(c.broken);
  CHECK_FALSE(exactly(1_KiB, [&] {
    with_connection(c, [](connection& it) {
      for (int n = 0; n < 1000; ++n) it.sent.emplace_back(lamp);
    });
  }));
  CHECK_FALSE(c.in_use);
  CHECK(c.broken);
}

TEST_CASE("mark what is bad", "[recovering]") {
  // [poison]
  memprof::poisonable<inventory> shared;

  auto r = exactly(10_KiB, [&] {
    for (int n = 0; n < 1000; ++n) shared.lock()->add(lamp);
  });
  CHECK_FALSE(r);
  CHECK_THROWS_AS(shared.lock(), memprof::poisoned);  // nobody sees a lamp too many

  auto i = shared.lock_or_repair([](inventory& bad) { bad.letters = count_letters(bad); });
  CHECK(i->letters == count_letters(*i));
  // [/poison]
}

TEST_CASE("a monitor that locks for its task marks by hand", "[recovering]") {
  memprof::poisonable<inventory> shared;
  // [mark_by_hand]
  {
    auto i = shared.lock();
    auto r = exactly(10_KiB, [&] {
      for (int n = 0; n < 1000; ++n) i->add(lamp);
    });
    if (!r) shared.poison();  // the interrupt ended inside the lock
  }
  // [/mark_by_hand]
  CHECK(shared.is_poisoned());
}

}  // namespace
}  // namespace recovering
