// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "memprof/memprof.hpp"
#include "memprof/serve/respond.hpp"

#include "answers.hpp"
#include "endpoints/live_index.hpp"
#include "endpoints/live_profile.hpp"
#include "support/catch2.hpp"

using namespace memprof::serve;
using memprof::test::get;

namespace {

std::string header(response const& r, std::string_view name) {
  for (auto const& [key, value] : r.headers) {
    if (key == name) return value;
  }
  return {};
}

/// An index, read as docs/serve.md describes it: written apart from the writer.
struct index_reader {
  std::string head;
  std::map<std::string, std::vector<double>> columns;

  explicit index_reader(std::string const& bytes) {
    REQUIRE(bytes.starts_with("memprof1"));
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + 8, sizeof length);
    head = bytes.substr(16, length);
    std::size_t at = 16 + length;
    std::string list = head.substr(head.find("\"columns\":[") + 11);
    while (list.starts_with("[\"") || list.starts_with(",[\"")) {
      list.erase(0, list.find('"') + 1);
      const std::string name = list.substr(0, list.find('"'));
      list.erase(0, name.size() + 3);
      const std::string type = list.substr(0, list.find('"'));
      const std::size_t size = std::stoul(list.substr(type.size() + 2));
      list.erase(0, list.find(']') + 1);
      at += read(name, type, size, bytes, at);
    }
    CHECK(at == bytes.size());
  }

  std::size_t read(std::string const& name, std::string const& type, std::size_t size,
                   std::string const& bytes, std::size_t at) {
    const std::size_t width = type == "u8" ? 1 : type == "u16" ? 2 : type == "u32" ? 4 : 8;
    REQUIRE(at + size * width <= bytes.size());
    std::vector<double>& values = columns[name];
    for (std::size_t i = 0; i < size; ++i) {
      std::uint64_t n = 0;
      double x = 0;
      std::memcpy(&n, bytes.data() + at + i * width, width);
      std::memcpy(&x, &n, sizeof x);
      values.push_back(type == "f64" ? x : static_cast<double>(n));
    }
    return (size * width + 7) / 8 * 8;
  }

  struct sums {
    double allocated = 0, in_use = 0, blocks = 0;
  };
  [[nodiscard]] std::vector<bool> freed() const {
    std::vector<bool> result(columns.at("length").size());
    for (const double c : columns.at("change")) {
      if (static_cast<std::size_t>(c) % 4 == 2) result[static_cast<std::size_t>(c) / 4] = true;
    }
    return result;
  }
  [[nodiscard]] double in_use() const {
    const std::vector<bool> gone = freed();
    double sum = 0;
    for (std::size_t i = 0; i < gone.size(); ++i) sum += gone[i] ? 0 : columns.at("samples")[i];
    return sum;
  }
  /// Of the blocks of so many words.
  [[nodiscard]] sums of_length(double words) const {
    sums s;
    const std::vector<bool> gone = freed();
    for (std::size_t i = 0; i < gone.size(); ++i) {
      if (columns.at("length")[i] != words) continue;
      s.blocks += 1;
      s.allocated += columns.at("samples")[i];
      if (!gone[i]) s.in_use += columns.at("samples")[i];
    }
    return s;
  }
};

[[gnu::noinline]] std::unique_ptr<char[]> block_of_page_routes_test(std::size_t size) {
  return std::make_unique<char[]>(size);
}

/// The index when the time for another one has come.
index_reader next_index() {
  static std::string last;
  for (;;) {
    const response r = get("/debug/memprof/api/index");
    REQUIRE(r.status == 200);
    const std::string generation = header(r, "Memprof-Generation");
    if (generation != last) {
      last = generation;
      return index_reader(r.body);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::uint64_t in_use_of_size(std::uint64_t words) {
  std::uint64_t sum = 0;
  for (auto const& row : memprof::endpoints::take_snapshot().rows) {
    if (row.words == words) sum += row.in_use;
  }
  return sum;
}

}  // namespace

// Each test is run in a process of its own: there is one profile for a process.

TEST_CASE("page: at rate 1 it has exactly the blocks that the heap profile has") {
  collect_stacks(memprof::sampling_rate{1.0});
  constexpr std::size_t size = 8 * 1237;
  std::vector<std::unique_ptr<char[]>> kept;
  kept.reserve(100);
  for (int i = 0; i < 100; ++i) kept.push_back(block_of_page_routes_test(size));
  const index_reader before = next_index();
  CHECK(before.of_length(1237).blocks == 100);
  CHECK(before.of_length(1237).in_use == 100 * 1238);
  CHECK(before.of_length(1237).in_use == static_cast<double>(in_use_of_size(1238)));
  CHECK(before.head.find("block_of_page_routes_test") != std::string::npos);
  CHECK(before.columns.at("first") == before.columns.at("samples"));

  // What is freed while somebody looks stays, with its time.
  kept.resize(40);
  const index_reader after = next_index();
  CHECK(after.of_length(1237).blocks == 100);
  CHECK(after.of_length(1237).in_use == 40 * 1238);
  CHECK(after.of_length(1237).in_use == static_cast<double>(in_use_of_size(1238)));
  auto const& times = after.columns.at("time");
  CHECK(std::ranges::is_sorted(times));
  CHECK(after.columns.at("change").size() == times.size());
  CHECK(after.head.find("\"freed_since_us\":") != std::string::npos);
}

TEST_CASE("page: the facts are those of the index, and of this process") {
  collect_stacks(memprof::sampling_rate{1e-3});
  const response facts = get("/debug/memprof/api/trace");
  CHECK(facts.status == 200);
  CHECK(facts.content_type == "application/json");
  CHECK(header(facts, "Cache-Control") == "no-store");
  CHECK(header(facts, "Cross-Origin-Resource-Policy") == "same-origin");
  CHECK(facts.body.find("\"pid\":" + std::to_string(getpid()) + ",") != std::string::npos);
  CHECK(facts.body.find("\"sample_rate\":0.001,") != std::string::npos);
  CHECK(facts.body.find("\"generation\":1,") != std::string::npos);
  CHECK(facts.body.find("\"growing\":true") != std::string::npos);
  // Within a second they are not made anew, whatever is allocated.
  for (int i = 0; i < 1000; ++i) block_of_page_routes_test(10'000);
  const response index = get("/debug/memprof/api/index");
  CHECK(index_reader(index.body).head.find(facts.body) != std::string::npos);
  CHECK(header(index, "Memprof-Generation") == "1");
  CHECK(respond({.method = "HEAD", .target = "/debug/memprof/api/index"}).body.empty());
}

TEST_CASE("page: a low rate's samples are split into halves") {
  collect_stacks(memprof::sampling_rate{0.01});
  std::vector<std::unique_ptr<char[]>> kept;
  for (int i = 0; i < 2000; ++i) kept.push_back(block_of_page_routes_test(8000));
  const index_reader index = next_index();
  double all = 0, first = 0, second = 0;
  for (const double n : index.columns.at("samples")) all += n;
  for (const double n : index.columns.at("first")) first += n;
  for (const double n : index.columns.at("second")) second += n;
  // 2000 blocks of 1001 words at 0.01: 20 020 samples, of which halves have 10 000 +- 71 and a bit.
  CHECK(all > 18'000);
  CHECK(std::abs(first - all / 2) < 7 * std::sqrt(all / 4));
  CHECK(std::abs(second - all / 2) < 7 * std::sqrt(all / 4));

  // The same samples as the heap profile's: they differ by what the answers hold themselves.
  double profiled = 0;
  for (auto const& row : memprof::endpoints::take_snapshot().rows) {
    profiled += static_cast<double>(row.in_use);
  }
  CHECK(std::abs(index.in_use() - profiled) < 0.05 * profiled);
}

TEST_CASE("page: the file that was installed, or a sentence") {
  char name[] = "/tmp/memprof_page_XXXXXX";
  const std::filesystem::path folder = mkdtemp(name);
  const std::string page = (folder / "viewer.html").string();
  setenv("MEMPROF_PAGE", page.c_str(), 1);
  response r = get("/debug/memprof/");
  CHECK(r.status == 404);
  CHECK(r.content_type.starts_with("text/plain"));
  CHECK(r.body.find("looked for " + page + ".") != std::string::npos);
  CHECK(r.body.find("MEMPROF_PAGE") != std::string::npos);
  std::ofstream(page) << "<!doctype html><title>memprof</title>";
  r = get("/debug/memprof/?panel=table");
  CHECK(r.status == 200);
  CHECK(r.content_type == "text/html; charset=utf-8");
  CHECK(r.body == "<!doctype html><title>memprof</title>");
  CHECK(header(r, "Content-Security-Policy").find("default-src 'none'") != std::string::npos);
  unsetenv("MEMPROF_PAGE");
  set_page_file(page);
  CHECK(get("/debug/memprof/").status == 200);
  std::filesystem::remove_all(folder);

  r = get("/debug/memprof");
  CHECK(r.status == 301);
  CHECK(header(r, "Location") == "memprof/");
  for (char const* other : {"/debug/memprofile", "/debug/memprof/x", "/debug/memprof/../pprof/",
                            "/debug/memprof/api/source/%2Fetc%2Fpasswd"}) {
    CHECK(get(other).status == 404);
  }
  CHECK(respond({.method = "POST", .target = "/debug/memprof/"}).status == 405);
}

TEST_CASE("page: a child that was forked while others were answered answers, too") {
  collect_stacks(memprof::sampling_rate{1e-3});
  std::atomic<bool> stop{false};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!stop) get("/debug/memprof/api/index");
    });
    threads.emplace_back([&] {
      while (!stop) block_of_page_routes_test(5000);
    });
  }
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      alarm(20);  // else it would hang with whatever lock it waits for
      const auto block = block_of_page_routes_test(8 * 100'001);
      const index_reader index(get("/debug/memprof/api/index").body);
      _exit(index.of_length(100'001).blocks == 1 ? 0 : 1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  stop = true;
}
