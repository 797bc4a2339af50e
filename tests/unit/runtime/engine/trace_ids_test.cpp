// SPDX-License-Identifier: MIT
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.hpp"
#include "support/catch2.hpp"

using namespace memprof::engine;

namespace {

std::string id_of(label_set s) {
  const auto c = trace_id_of(s);
  return c ? std::string(c->text()) : "none";
}

}  // namespace

TEST_CASE("trace ids: with a label set, inside one another, and gone at their end") {
  CHECK(id_of(0) == "none");
  const label_set outer = add_trace_id(5, "outer");
  CHECK(without_trace_id(outer) == 5);
  CHECK(id_of(outer) == "outer");
  const label_set inner = add_trace_id(trace_part(outer) | 7, "inner");
  CHECK(without_trace_id(inner) == 7);
  CHECK(id_of(inner) == "inner");
  CHECK(trace_id_is_within(inner, outer));
  CHECK(trace_id_is_within(outer, outer));
  CHECK(trace_id_is_within(outer, 0));
  CHECK_FALSE(trace_id_is_within(outer, inner));
  end_trace_ids(inner, outer);
  CHECK(id_of(inner) == "none");
  CHECK(id_of(outer) == "outer");
  end_trace_ids(inner, outer);  // once
  end_trace_ids(outer, 5);
  CHECK(id_of(outer) == "none");
  CHECK_FALSE(trace_id_is_within(inner, outer));
}

TEST_CASE("trace ids: the end of one ends those inside that were left") {
  const label_set a = add_trace_id(0, "a");
  const label_set b = add_trace_id(a, "b");
  const label_set c = add_trace_id(b, "c");
  end_trace_ids(c, 0);
  for (const label_set s : {a, b, c}) CHECK(id_of(s) == "none");
}

TEST_CASE("trace ids: lengths") {
  const std::uint64_t before = labels_left_out();
  const label_set longest = add_trace_id(0, std::string(120, 'x'));
  CHECK(id_of(longest) == std::string(120, 'x'));
  CHECK(add_trace_id(longest, std::string(121, 'x')) == longest);
  CHECK(labels_left_out() == before + 1);
  const label_set hidden = add_trace_id(longest, "");
  CHECK(id_of(hidden).empty());
  end_trace_ids(hidden, 0);
}

TEST_CASE("trace ids: 4095 at a time, each of its own, and again when they have ended") {
  for (int round = 0; round < 2; ++round) {
    const std::uint64_t before = labels_left_out();
    std::set<label_set> all;
    for (std::uint32_t i = 0; i < most_trace_ids; ++i) {
      const label_set s = add_trace_id(1, std::to_string(i));
      if (id_of(s) != std::to_string(i)) FAIL(i);
      all.insert(s);
    }
    CHECK(all.size() == most_trace_ids);
    CHECK(add_trace_id(1, "one too many") == 1);
    CHECK(labels_left_out() == before + 1);
    for (const label_set s : all) end_trace_ids(s, 1);
    const label_set s = add_trace_id(1, "room");
    CHECK(id_of(s) == "room");
    end_trace_ids(s, 1);
  }
}

TEST_CASE("trace ids: a number from before is not taken for the id that its slot has now") {
  // The lowest free slot, again and again.
  const label_set first = add_trace_id(0, "first");
  end_trace_ids(first, 0);
  for (int i = 0; i < 511; ++i) {
    const label_set s = add_trace_id(0, "later");
    if (s == first || id_of(first) != "none") FAIL(i);
    end_trace_ids(first, 0);  // ends nobody's
    if (id_of(s) != "later") FAIL(i);
    end_trace_ids(s, 0);
  }
}

TEST_CASE("trace ids: threads get slots of their own") {
  std::atomic<int> wrong{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20'000; ++i) {
        const std::string outer = std::to_string(t) + "/" + std::to_string(i);
        const label_set a = add_trace_id(0, outer);
        const label_set b = add_trace_id(a, outer + " inside");
        if (id_of(b) != outer + " inside" || id_of(a) != outer) ++wrong;
        end_trace_ids(b, 0);
      }
    });
  }
  threads.clear();
  CHECK(wrong == 0);
}
