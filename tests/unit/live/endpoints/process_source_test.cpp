// SPDX-License-Identifier: MIT
#include "endpoints/process_source.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "memprof/memprof.hpp"

#include "answers.hpp"
#include "support/catch2.hpp"
#include "support/gunzip.hpp"

using namespace memprof::serve;
using namespace memprof::literals;
using namespace memprof::test;

namespace {

/// Sums the four values of all samples of a profile: a reader of the wire format, written apart
/// from the writer.
struct profile_sums {
  double values[4] = {};
  std::size_t samples = 0;

  explicit profile_sums(std::string const& body) {
    const std::string data = gunzipped(body);
    std::size_t at = 0;
    const auto varint = [](std::string const& s, std::size_t& i) {
      std::uint64_t n = 0;
      for (unsigned shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(s.at(i++));
        n |= std::uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80) return n;
      }
    };
    while (at < data.size()) {
      const std::uint64_t key = varint(data, at);
      const std::uint64_t size = varint(data, at);
      if (key % 8 != 2) continue;
      if (key / 8 == 2) add(data.substr(at, size), varint);
      at += size;
    }
  }

  template <class Varint>
  void add(std::string const& message, Varint varint) {
    ++samples;
    for (std::size_t at = 0; at < message.size();) {
      const std::uint64_t key = varint(message, at);
      const std::uint64_t size = varint(message, at);
      if (key / 8 == 2) {
        std::size_t i = at;
        for (double& v : values) v += static_cast<double>(varint(message, i));
      }
      at += size;
    }
  }
};

}  // namespace

// Each test is run in a process of its own: there is one profile for a process.

TEST_CASE("profile routes: what a profile says is what was allocated") {
  // Rate 1: every word is a sample, and the profile is exact.
  collect_stacks(memprof::sampling_rate{1.0});
  const profile_sums before(get("/debug/pprof/heap").body);
  constexpr int blocks = 500;
  constexpr std::size_t size = 4096;
  {
    std::vector<std::unique_ptr<char[]>> kept;
    kept.reserve(blocks);
    for (int i = 0; i < blocks; ++i) kept.push_back(named_block(size));
    const response r = get("/debug/pprof/heap");
    CHECK(r.status == 200);
    CHECK(r.content_type == "application/octet-stream");
    const profile_sums now(r.body);
    const double grown = now.values[3] - before.values[3];
    // The answers themselves leave names in the cache behind; the first one most of all.
    CHECK(grown >= blocks * (size + 8));
    CHECK(grown < blocks * (size + 8) * 1.5);
    CHECK(has(gunzipped(r.body), "named_block"));
    CHECK(has(gunzipped(r.body), "inuse_space"));
    CHECK(has(get("/debug/pprof/heap?debug=1").body, "named_block"));
  }
  const profile_sums after(get("/debug/pprof/allocs").body);
  CHECK(after.values[1] - before.values[1] >= blocks * (size + 8));
  CHECK(after.values[3] - before.values[3] < blocks * (size + 8) * 0.5);
}

TEST_CASE("profile routes: a profile has the labels of its blocks") {
  collect_stacks(memprof::sampling_rate{1.0});
  const auto plain = named_block(10'000);
  std::unique_ptr<char[]> labelled;
  {
    const memprof::label tenant{"tenant", "outer"};
    const memprof::label l{"request", "GET /x"};
    labelled = named_block(20'000);
  }
  const std::string text = get("/debug/pprof/heap?debug=1").body;
  CHECK(has(text, "in blocks of 20000 bytes, request=GET /x, tenant=outer\n"));
  CHECK(has(text, "in blocks of 10000 bytes\n"));
  const std::string profile = gunzipped(get("/debug/pprof/heap").body);
  CHECK(has(profile, "GET /x"));
  CHECK(has(profile, "tenant"));
}

TEST_CASE("profile routes: totals are within the interval of the process") {
  // At the process's rate the profile gets the samples of the process; all since the start of
  // this test. The test errs if the interval does, with probability 1e-9.
  memprof::set_seed(23);
  const double live_before = static_cast<double>(memprof::live_memory().value.count());
  collect_stacks();
  std::vector<std::unique_ptr<char[]>> kept;
  for (int i = 0; i < 20'000; ++i) {
    kept.push_back(named_block(static_cast<std::size_t>(64 + i % 4096)));
  }
  const profile_sums sums(get("/debug/pprof/heap").body);
  const memprof::estimate live = memprof::live_memory(1 - 1e-9);
  CHECK(sums.values[3] >= static_cast<double>(live.lower.count()) - live_before);
  CHECK(sums.values[3] <= static_cast<double>(live.upper.count()));
  CHECK(sums.values[3] > 0);
  const std::string page = get("/metrics").body;
  CHECK(sample(page, "memprof_allocated_bytes_bound{side=\"lower\",confidence=\"0.95\"}") <=
        sample(page, "memprof_allocated_bytes_total"));
  CHECK(sample(page, "memprof_allocated_bytes_total") >= sums.values[3]);
}

TEST_CASE("profile routes: what changed in some seconds") {
  collect_stacks(memprof::sampling_rate{1.0});
  const auto old = named_block(32 << 20);
  std::atomic<bool> end{false};
  std::vector<std::unique_ptr<char[]>> kept;
  std::thread worker([&] {
    for (int i = 0; i < 8 && !end; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      kept.push_back(named_block(50'000));
    }
  });
  const response r = get("/debug/pprof/allocs?seconds=1");
  end = true;
  worker.join();
  CHECK(r.status == 200);
  const profile_sums sums(r.body);
  CHECK(sums.values[1] >= 50'008);
  CHECK(sums.values[1] < 16 << 20);
  CHECK(get("/debug/pprof/allocs?seconds=1&debug=1").status == 400);
}

TEST_CASE("profile routes: delta_heap") {
  collect_stacks(memprof::sampling_rate{1.0});
  const auto old = named_block(100'000);
  const profile_sums first(get("/debug/pprof/delta_heap").body);
  CHECK(first.values[1] >= 100'008);
  const profile_sums second(get("/debug/pprof/delta_heap").body);
  CHECK(second.values[3] >= 100'008);  // still live
  const auto later = named_block(3'000'000);
  const profile_sums third(get("/debug/pprof/delta_heap").body);
  CHECK(third.values[1] - second.values[1] > 2'000'000);
}

TEST_CASE("profile routes: a profile of the program's own comes first") {
  memprof::profile own = memprof::start(memprof::sampling_rate{1e-4}, memprof::null_tracker);
  const response r = get("/debug/pprof/heap");
  CHECK(r.status == 503);
  CHECK(has(r.body, "a profile is sampling already"));
  CHECK_THROWS_AS(collect_stacks(), std::logic_error);
  own.stop();
  CHECK(get("/debug/pprof/heap").status == 200);
  CHECK_THROWS_AS(memprof::start(memprof::sampling_rate{1e-4}, memprof::null_tracker),
                  std::logic_error);
}
