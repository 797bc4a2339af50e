// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/base.hpp"
#include "support/catch2.hpp"

using memprof::base::versioned_text;

TEST_CASE("versioned_text: what was put in comes out, under a new version") {
  static constinit versioned_text t;
  REQUIRE(t.read());
  CHECK(t.read()->text().empty());
  CHECK(t.version() == 0);
  const std::string longest(versioned_text::longest, 'x');
  std::uint32_t version = 0;
  for (std::string const& text : {std::string("4bf92f35"), std::string("a"), longest,
                                  std::string("twelve bytes"), std::string()}) {
    version += 2;
    CHECK(t.replace(text, -7) == version);
    const auto now = t.read();
    REQUIRE(now);
    CHECK(now->text() == text);
    CHECK(now->number == -7);
    CHECK(now->version == version);
    CHECK(t.version() == version);
  }
}

TEST_CASE("versioned_text: readers find a whole text or none, whoever replaces it") {
  static constinit versioned_text t;
  std::atomic<bool> end{false};
  std::atomic<std::uint64_t> replaced{0};
  std::vector<std::jthread> writers;
  for (int w = 0; w < 3; ++w) {
    writers.emplace_back([&, w] {
      for (std::size_t i = 0; !end; ++i) {
        // All characters say which number belongs to them, and how many they are.
        const std::size_t length = 1 + (i * 7 + static_cast<std::size_t>(w)) % 120;
        const char c = static_cast<char>('A' + length % 26);
        if (t.replace(std::string(length, c), static_cast<std::int64_t>(length)) != 0) ++replaced;
      }
    });
  }
  std::uint64_t whole = 0;
  std::uint64_t torn = 0;
  std::uint32_t last = 0;
  // Under any scheduler: until enough was seen.
  while (whole < 20'000 || replaced < 20'000) {
    const auto now = t.read();
    if (!now) continue;
    ++whole;
    const auto length = static_cast<std::size_t>(now->number);
    if (now->version != 0 &&
        now->text() != std::string(length, static_cast<char>('A' + length % 26))) {
      ++torn;
    }
    if (now->version < last) ++torn;
    last = now->version;
  }
  end = true;
  writers.clear();
  CHECK(torn == 0);
  CHECK(t.version() == 2 * replaced);
}

TEST_CASE("versioned_text: a child that is forked in the middle of a change finds it empty") {
  versioned_text t;
  t.replace("whole", 1);
  t.repair_after_fork();
  CHECK(t.read()->text() == "whole");
  // As a thread leaves it that is gone: its first word is the version.
  static_assert(sizeof(versioned_text) == 2 * 4 + 8 + versioned_text::longest);
  *reinterpret_cast<std::uint32_t*>(&t) += 1;
  CHECK_FALSE(t.read());
  CHECK(t.replace("refused", 2) == 0);
  t.repair_after_fork();
  CHECK(t.read()->text().empty());
  CHECK(t.replace("again", 3) != 0);
  CHECK(t.read()->text() == "again");
}

TEST_CASE("versioned_text: cut where its room ends") {
  std::array<versioned_text, 2> t;
  REQUIRE(t[1].replace("the next one", 1) != 0);
  REQUIRE(t[0].replace(std::string(2 * sizeof(versioned_text), 'x'), 2) != 0);
  CHECK(t[0].read()->text() == std::string(versioned_text::longest, 'x'));
  CHECK(t[1].read()->text() == "the next one");
}
