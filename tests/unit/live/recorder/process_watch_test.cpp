// SPDX-License-Identifier: MIT
#include "recorder/process_watch.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <unistd.h>

#include "support/catch2.hpp"

using memprof::recorder::process_watch;
using memprof::recorder::value_series;

TEST_CASE("a series has the most of each step, and says where nothing was seen") {
  value_series s(1000);
  CHECK(s.text() == "");
  s.add(0, 5);
  s.add(999, 3);
  s.add(3000, 7);
  CHECK(s.text() == "1000 5 - - 7");
}

TEST_CASE("a long series has longer steps, and fits a note") {
  value_series s(1000);
  std::uint64_t most = 0;
  for (std::uint64_t t = 0; t < 1'000'000'000; t += 250'000) {
    s.add(t, most = 9'999'000'000 + t / 1000);
  }
  const std::string text = s.text();
  // 1e9 us in at most 256 steps that are 1000 times a power of 2: of 4,096,000.
  CHECK(text.starts_with("4096000 "));
  CHECK(std::ranges::count(text, ' ') == 245);
  CHECK(text.ends_with(" " + std::to_string(most)));
  CHECK(text.find('-') == std::string::npos);
  CHECK(text.size() < 2980);
}

TEST_CASE("what is seen of this process") {
  process_watch w(getpid());
  w.look(1);
  w.look(300'000);
  const auto notes = w.notes();
  const std::map<std::string, std::string> all(notes.begin(), notes.end());
  CHECK(w.resident_peak() > 1'000'000);
  CHECK(std::strtoull(all.at("anonymous_peak").c_str(), nullptr, 10) <= w.resident_peak());
  CHECK(std::ranges::count(all.at("resident"), ' ') == 2);
  std::string name;  // as the kernel knows it: under QEMU it is the emulator's
  std::ifstream("/proc/self/comm") >> name;
  REQUIRE(!name.empty());
  CHECK(all.at("threads").find(std::to_string(getpid()) + " " + name) != std::string::npos);
}

TEST_CASE("of a process that is not there nothing is said") {
  process_watch w(1 << 30);
  w.look(1);
  CHECK(w.notes().empty());
  CHECK(w.resident_peak() == 0);
}
