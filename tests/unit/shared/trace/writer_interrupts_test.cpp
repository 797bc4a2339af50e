// SPDX-License-Identifier: MIT
//
// Interrupts in a trace: written, read again, and skipped by readers that do not know of them.
#include <chrono>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include "memprof/trace/interrupt.hpp"
#include "memprof/trace/reader.hpp"
#include "memprof/trace/writer.hpp"

#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::trace;
using namespace std::chrono_literals;

namespace {

constexpr location work{.filename = "work.cpp", .defname = "work", .line = 7};
constexpr location run{.filename = "main.cpp", .defname = "run", .line = 3};

class file {
 public:
  explicit file(std::string const& name)
      : path_(std::filesystem::temp_directory_path() / (name + std::to_string(getpid()) + ".ctf")) {
  }
  ~file() { std::filesystem::remove(path_); }
  file(file const&) = delete;
  file& operator=(file const&) = delete;
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

info about() {
  info i;
  i.sample_rate = 0.5;
  return i;
}

/// What a trace has besides its interrupts.
std::vector<event_kind> kinds(reader& trace) {
  std::vector<event_kind> all;
  for (event e; trace.next(e);) all.push_back(e.kind);
  return all;
}

interrupt of(limit_kind kind) {
  return {.time = 12ms,
          .kind = kind,
          .allowed = 1000,
          .measured = 1024,
          .deferrals = 2,
          .thread = 77,
          .stack = {}};
}

}  // namespace

TEST_CASE("interrupts: every kind comes back as it was written, with its stack, and events stay") {
  file const f("interrupts");
  std::vector<limit_kind> const all{limit_kind::allocations, limit_kind::memory,
                                    limit_kind::global_memory, limit_kind::token,
                                    limit_kind::deadline};
  std::vector<location> const stack{run, work};
  {
    writer out(f.path(), about(),
               [](location_code) { return std::span<location const>(&work, 1); });
    std::vector<location_code> const backtrace{1, 2};
    object_id const first = out.allocation(1ms, heap::minor, 3, 1, backtrace);
    for (limit_kind kind : all) {
      interrupt i = of(kind);
      i.stack = stack;
      out.put(i);
    }
    out.allocation(20ms, heap::minor, 3, 1, backtrace);
    out.collection(21ms, first);
    out.close();
  }
  reader trace(f.path());
  CHECK(kinds(trace) ==
        std::vector{event_kind::allocation, event_kind::allocation, event_kind::collection});
  CHECK(trace.notices().empty());
  auto const read = trace.interrupts();
  REQUIRE(read.size() == all.size());
  for (std::size_t n = 0; n < all.size(); ++n) {
    CHECK(read[n].kind == all[n]);
    CHECK(read[n].time == 12ms);
    CHECK(read[n].allowed == 1000);
    CHECK(read[n].measured == 1024);
    CHECK(read[n].deferrals == 2);
    CHECK(read[n].thread == 77);
    CHECK(std::vector(read[n].stack.begin(), read[n].stack.end()) == stack);
  }
}

TEST_CASE("interrupts: more than a packet announces, and stacks that do not fit") {
  file const f("many_interrupts");
  std::string const longest(1000, 'n');
  std::vector<location> deep;
  for (std::uint32_t n = 0; n < 40; ++n) {
    deep.push_back({.filename = "f.cpp", .defname = longest, .line = n});
  }
  {
    writer out(f.path(), about(), [](location_code) { return std::span<location const>(); });
    for (int n = 0; n < 1000; ++n) {
      interrupt i = of(limit_kind::memory);
      i.time = std::chrono::milliseconds(n);
      if (n == 500) i.stack = deep;
      out.put(i);
    }
    out.close();
  }
  reader trace(f.path());
  CHECK(kinds(trace).empty());
  auto const read = trace.interrupts();
  REQUIRE(read.size() == 1000);
  CHECK(read[999].time == 999ms);
  CHECK(read[499].stack.empty());
  // 4096 bytes hold three of these names and the note; the innermost calls are kept.
  REQUIRE(read[500].stack.size() == 3);
  CHECK(read[500].stack.back().line == 39);
  CHECK(read[500].stack.front().line == 37);
}

TEST_CASE("interrupts: malformed notes are no interrupts, and no error") {
  for (std::string const text :
       {"", "limit=", "limit=memory", "limit=memory;at_us=", "limit=hope;at_us=1;allowed=1",
        "limit=memory;at_us=-1;allowed=1;measured=1;deferrals=0;thread=1",
        "limit=memory;at_us=99999999999999999999;allowed=1;measured=1;deferrals=0;thread=1",
        "limit=memory;allowed=1;at_us=1;measured=1;deferrals=0;thread=1", "at_us=1"}) {
    CAPTURE(text);
    file const f("made_up");
    location const note{.filename = "memprof:interrupt", .defname = text};
    {
      writer out(f.path(), about(),
                 [&](location_code) { return std::span<location const>(&note, 1); });
      std::vector<location_code> const backtrace{5};
      out.allocation(1ms, heap::minor, 3, 1, backtrace);
      out.close();
    }
    reader trace(f.path());
    CHECK(kinds(trace).size() == 1);
    CHECK(trace.interrupts().empty());
  }
}
