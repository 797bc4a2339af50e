// SPDX-License-Identifier: MIT
#include "recorder/heap_rows.hpp"

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "pushed_records.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::test;
using recorder::heap_rows;
using recorder::live_blocks;

namespace {

/// allocated, in_use    samples.
struct sums {
  std::uint64_t allocated = 0;
  std::uint64_t in_use = 0;
  friend bool operator==(sums const&, sums const&) = default;
};
/// By the names of the calls, outermost first, and the length.
using table = std::map<std::tuple<std::string, std::uint64_t>, sums>;

struct read_rows {
  table rows;
  trace::info info;
};

/// What its events say.
read_rows read(heap_rows const& of) {
  read_rows result;
  result.info = of.info();
  std::map<trace::object_id, std::pair<sums*, std::uint64_t>> by_object;  // with its samples
  of.for_each_event([&](trace::event const& e) {
    if (e.kind != trace::event_kind::allocation) {
      auto const& [row, samples] = by_object.at(e.object);
      row->in_use -= samples;
      return;
    }
    std::string names;
    for (const auto code : e.backtrace) {
      names += of.locations(code)[0].defname;
      names += ' ';
    }
    sums& s = result.rows[{names, e.length}];
    s.allocated += e.n_samples;
    s.in_use += e.n_samples;
    CHECK(by_object.emplace(e.object, std::pair(&s, e.n_samples)).second);
  });
  return result;
}

constexpr std::uint64_t inner = 0x10031, outer = 0x10021;

}  // namespace

TEST_CASE("heap rows: what was allocated and what is in use, by stack and size") {
  live_blocks l(4711, true);
  begin(l, 0.5);
  announce(l, 0x10000, "/lib/one.so");
  allocate(l, 1, 10, 2000, {inner, outer});
  allocate(l, 2, 10, 2001, {inner, outer});
  allocate(l, 3, 20, 2002, {inner, outer});
  allocate(l, 4, 10, 2003, {outer});
  free(l, 2);
  free(l, 4);
  const std::array all{&l};
  const heap_rows rows(all);
  const read_rows w = read(rows);
  CHECK(w.info.pid == 4711);
  CHECK(w.info.sample_rate == 0.5);
  const std::string both = "one.so+0x20 one.so+0x30 ";
  CHECK(w.rows ==
        table{{{both, 10}, {4, 2}}, {{both, 20}, {2, 2}}, {{"one.so+0x20 ", 10}, {2, 0}}});
}

TEST_CASE("heap rows: changes since an earlier moment") {
  live_blocks l(4711, true);
  begin(l, 0.5);
  announce(l, 0x10000, "/lib/one.so");
  allocate(l, 1, 10, 2000, {outer});
  allocate(l, 2, 30, 2000, {outer});
  const std::array all{&l};
  const heap_rows before(all);
  free(l, 1);
  free(l, 2);
  allocate(l, 3, 10, 3000, {outer});
  allocate(l, 4, 10, 3000, {outer});
  allocate(l, 5, 20, 3000, {inner});
  const heap_rows now(all);
  const std::string name = "one.so+0x20 ", fresh = "one.so+0x30 ";
  // Live memory grew by a block of 10; that of 30 shrank, which is no growth.
  CHECK(read(now.change_since(before)).rows == table{{{name, 10}, {4, 2}}, {{fresh, 20}, {2, 2}}});
  CHECK(read(now.allocated_since(before)).rows ==
        table{{{name, 10}, {4, 4}}, {{fresh, 20}, {2, 2}}});
  CHECK(read(now.change_since(now)).rows.empty());
  CHECK(read(before).rows == table{{{name, 10}, {2, 2}}, {{name, 30}, {2, 2}}});
}

TEST_CASE("heap rows: of two processes, and after one of them has ended") {
  live_blocks a(1, true), b(2, true), bare(3, false), later(4, true);
  for (live_blocks* const l : {&a, &b, &bare}) begin(*l, 0.5);
  announce(a, 0x10000, "/lib/one.so");
  announce(b, 0x50000, "/lib/one.so");
  allocate(a, 1, 10, 2000, {outer});
  allocate(b, 1, 10, 2000, {0x50021});
  allocate(bare, 1, 99, 2000, {outer});  // keeps no sums
  const std::array all{&a, &b, &bare, &later};
  const heap_rows both(all);
  a.close();
  a.forget();
  const heap_rows rest(all);
  const std::string name = "one.so+0x20 ";
  CHECK(read(both).rows == table{{{name, 10}, {4, 4}}});  // the same place in both
  CHECK(read(rest).rows == table{{{name, 10}, {4, 2}}});
  CHECK(read(both).info.pid == 1);
}

TEST_CASE("heap rows: only the largest keep their stacks") {
  live_blocks l(4711, true);
  begin(l, 0.5);
  announce(l, 0x10000, "/lib/one.so");
  for (std::uint32_t tag = 1; tag <= 3; ++tag) allocate(l, tag, 10, 2000, {outer});
  allocate(l, 4, 10, 2000, {inner});
  const std::array all{&l};
  CHECK(read(heap_rows(all, 1)).rows == table{{{"one.so+0x20 ", 10}, {6, 6}}, {{"", 10}, {2, 2}}});
  CHECK(read(heap_rows(all, 0)).rows == table{{{"", 10}, {8, 8}}});
}
