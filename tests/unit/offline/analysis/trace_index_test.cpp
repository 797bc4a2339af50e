// SPDX-License-Identifier: MIT
// What the index holds, against what reading the trace says; and what is left of too much.
#include "analysis/trace_index.hpp"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

#include "memprof/trace/writer.hpp"

#include "analysis/trace_source.hpp"
#include "analysis/usage.hpp"
#include "support/catch2.hpp"
#include "support/traces.hpp"

using namespace memprof::analysis;
using memprof::trace::event_kind;

namespace {

trace_index index_of(std::filesystem::path const& file,
                     std::size_t most = trace_index::usual_most) {
  trace_source source(file.string(), false);
  return trace_index(source, nullptr, most);
}

/// What each stack allocated, and what of it is not gone.
std::vector<amounts> sums_of(trace_index const& index) {
  object_columns const& o = index.objects();
  std::vector<amounts> sums(index.stacks().size());
  const auto of = [&](std::uint32_t i) {
    return amount::of_block(o.samples[i], o.length[i], index.facts().info.sample_rate);
  };
  for (object_change const& c : index.changes()) {
    amounts& a = sums[o.stack[c.object]];
    if (c.kind == static_cast<unsigned>(event_kind::allocation)) {
      a.allocated += of(c.object);
      a.in_use += of(c.object);
    } else if (c.kind == static_cast<unsigned>(event_kind::collection)) {
      a.in_use -= of(c.object);
    }
  }
  return sums;
}

/// Each block is allocated once, in order, before all else; promoted and collected once at most.
void check_changes(trace_index const& index) {
  std::vector<unsigned> seen(index.objects().size());
  std::size_t next = 0, wrong = 0;
  REQUIRE(index.times().size() == index.changes().size());
  for (object_change const& c : index.changes()) {
    REQUIRE(c.object < seen.size());
    const bool allocation = c.kind == static_cast<unsigned>(event_kind::allocation);
    wrong += allocation ? c.object != next++ : seen[c.object] == 0;
    wrong += (seen[c.object] >> c.kind & 1) != 0;
    seen[c.object] |= 1U << c.kind;
  }
  CHECK(next == seen.size());
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("the index holds every block of a trace") {
  for (auto const& file : memprof::test::traces_in(memprof::test::traces_directory())) {
    INFO(file.filename().string());
    trace_source source(file.string(), false);
    const usage read = read_usage(source, {});
    const trace_index index = index_of(file);
    CHECK(index.facts().events == read.events);
    CHECK(index.facts().duration == read.duration);
    CHECK(index.facts().objects == read.total.allocated.blocks);
    CHECK(index.objects().size() == read.total.allocated.blocks);
    CHECK(index.facts().halvings == 0);
    REQUIRE(index.stacks().size() == read.stacks.size());
    check_changes(index);
    const auto sums = sums_of(index);
    std::size_t different = 0;
    for (stack_tree::node_id i = 0; i < sums.size(); ++i) {
      amounts const& own = read.own(i);
      different += !(sums[i].allocated == own.allocated && sums[i].in_use == own.in_use);
    }
    CHECK(different == 0);
  }
}

TEST_CASE("of too many blocks a part is kept, without bias") {
  std::size_t thinned = 0;
  for (auto const& file : memprof::test::traces_in(memprof::test::traces_directory())) {
    const trace_index whole = index_of(file);
    for (const std::size_t most : {std::size_t{500}, whole.objects().size() / 3}) {
      if (most < 100 || whole.objects().size() <= most) continue;
      INFO(file.filename().string() << ", at most " << most);
      const trace_index part = index_of(file, most);
      CHECK(part.objects().size() <= most);
      CHECK(part.objects().size() > 0);
      REQUIRE(part.facts().halvings > 0);
      CHECK(part.facts().events == whole.facts().events);
      CHECK(part.facts().objects == whole.objects().size());
      CHECK(part.facts().duration == whole.facts().duration);
      CHECK(part.facts().domains == whole.facts().domains);
      CHECK(part.stacks().size() == whole.stacks().size());
      check_changes(part);
      // Each sample is kept with a chance of 1 / factor: five standard deviations.
      const double factor = std::ldexp(1.0, static_cast<int>(part.facts().halvings));
      double all = 0, kept = 0, all_in_use = 0, kept_in_use = 0;
      for (auto const& s : sums_of(whole)) {
        all += static_cast<double>(s.allocated.samples);
        all_in_use += static_cast<double>(s.in_use.samples);
      }
      for (auto const& s : sums_of(part)) {
        kept += static_cast<double>(s.allocated.samples);
        kept_in_use += static_cast<double>(s.in_use.samples);
      }
      CHECK(std::abs(kept * factor - all) <= 5 * std::sqrt(all * (factor - 1)));
      CHECK(std::abs(kept_in_use * factor - all_in_use) <=
            5 * std::sqrt(all_in_use * (factor - 1)) + 5 * factor);
      // The same again: a page that loads it anew sees the same blocks.
      CHECK(index_of(file, most).objects().samples == part.objects().samples);
      ++thinned;
    }
  }
  CHECK(thinned >= 4);
}

TEST_CASE("a damaged trace is there up to its damage") {
  const auto bad = memprof::test::traces_directory() / "bad";
  std::size_t damaged = 0, shown = 0;
  for (auto const& file : memprof::test::traces_in(bad)) {
    INFO(file.filename().string());
    try {
      const trace_index index = index_of(file);
      damaged += index.facts().damage ? 1 : 0;
      shown += index.objects().size() > 0 ? 1 : 0;
      check_changes(index);
    } catch (memprof::trace::format_error const&) {
      // Nothing can be known without a trace-info.
    }
  }
  CHECK(damaged >= 10);
  CHECK(shown >= 10);
}

TEST_CASE("of each block, what its thread allocated until it was freed") {
  using namespace std::chrono_literals;
  namespace trace = memprof::trace;
  std::filesystem::path const file = std::filesystem::temp_directory_path() /
                                     ("memprof-between-" + std::to_string(getpid()) + ".ctf");
  {
    trace::writer w(file, {}, [](auto) { return std::span<trace::location const>{}; });
    std::vector<trace::location_code> const stack{0x1001};
    const auto put = [&](std::uint64_t samples, std::uint32_t thread) {
      return w.allocation(1us, trace::heap::minor, 3, samples, stack, 0, thread);
    };
    w.put(trace::thread{.number = 1, .id = 7, .name = "a"});
    w.put(trace::thread{.number = 2, .id = 8, .name = "b"});
    const auto first = put(1, 1), others = put(4, 2);
    w.collection(2us, others);      // freed at once, by whom does not matter
    const auto second = put(2, 1);  // 2 of its thread since the first
    put(8, 2);                      // never freed
    w.collection(3us, first);
    put(16, 1);
    w.collection(4us, second);
    w.close();
  }
  const trace_index index = index_of(file);
  const auto thinned = [&] {
    std::vector<std::uint32_t> left;
    const trace_index part = index_of(file, 3);
    for (const std::uint32_t n : part.objects().between) left.push_back(n);
    return left;
  }();
  std::filesystem::remove(file);
  CHECK(index.objects().between == std::vector<std::uint32_t>{2 + 1, 0 + 1, 16 + 1, 0, 0});
  // Those of the file, whatever is left out of the index.
  CHECK(thinned.size() <= 3);
  for (const std::uint32_t n : thinned) CHECK((n == 3 || n == 1 || n == 17 || n == 0));
}

TEST_CASE("threads take the place of domains, by name") {
  std::filesystem::path const file = std::filesystem::temp_directory_path() /
                                     ("memprof-index-" + std::to_string(getpid()) + ".ctf");
  {
    using namespace std::chrono_literals;
    namespace trace = memprof::trace;
    trace::writer w(file, {}, [](auto) { return std::span<trace::location const>{}; });
    std::vector<trace::location_code> const stack{0x1001};
    w.put(trace::thread{.number = 2, .id = 7, .name = "worker"});
    w.put(trace::thread{.number = 3, .id = 8, .name = "main"});
    for (const std::uint32_t thread : {3U, 2U, 0U, 2U}) {
      w.allocation(1us, trace::heap::minor, 3, 1, stack, 0, thread);
    }
    w.close();
  }
  const trace_index index = index_of(file);
  std::filesystem::remove(file);
  CHECK(index.objects().domain == std::vector<std::uint16_t>{3, 2, 0, 2});
  CHECK(index.facts().domains == std::vector<std::uint16_t>{0, 2, 3});
  CHECK(index.facts().thread_names == std::vector<std::string>{"unknown thread", "worker", "main"});
}
