// SPDX-License-Identifier: MIT
//
// Records in, a trace out; and records that no program of ours would push.
#include "recorder/process_trace.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

#include "memprof/trace/reader.hpp"

#include "relay/relay.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using recorder::process_trace;
using relay::record_kind;

namespace {

constexpr std::uint64_t start = 1'700'000'000'000'000;

class trace_under_test {
 public:
  trace_under_test()
      : file_(std::filesystem::temp_directory_path() /
              ("memprof-process-trace-" + std::to_string(getpid()) + ".ctf")),
        trace_({.file = file_.string(), .context = "a test", .process = 4711}) {}
  ~trace_under_test() { std::filesystem::remove(file_); }
  trace_under_test(trace_under_test const&) = delete;
  trace_under_test& operator=(trace_under_test const&) = delete;
  process_trace* operator->() { return &trace_; }
  [[nodiscard]] std::filesystem::path const& file() const { return file_; }

  void take(std::vector<std::uint64_t> const& words) {
    relay::popped_record r;
    if (relay::popped_record::read(words, r)) trace_.take(r);
  }
  template <std::size_t N>
  void take(relay::record_head const& head, std::array<std::uint64_t, N> const& body,
            std::vector<std::uint64_t> const& more = {}) {
    const auto first = relay::record(head, body, more.size());
    std::vector<std::uint64_t> words(first.begin(), first.end());
    words.insert(words.end(), more.begin(), more.end());
    take(words);
  }

  void begin(std::string const& program, std::uint64_t time = start) {
    const relay::text_words text(program);
    take<2>({.kind = record_kind::begin, .of = text.bytes(), .time = time},
            {std::bit_cast<std::uint64_t>(0.5), 7}, {text.words().begin(), text.words().end()});
  }
  void allocate(std::uint32_t tag, std::uint64_t length, std::uint64_t time,
                std::uint64_t thread = 0) {
    take<3>({.kind = record_kind::allocation, .of = tag, .time = time}, {length, 2, thread},
            {0x10030, 0x10020, 0x10010});
  }
  void name_thread(std::uint32_t number, std::uint64_t id, char const* name) {
    std::array<std::uint64_t, 2> text{};
    std::memcpy(text.data(), name, strnlen(name, sizeof text));
    take<3>({.kind = record_kind::thread, .of = number, .time = start}, {id, text[0], text[1]});
  }
  void then(record_kind kind, std::uint32_t tag, std::uint64_t time) {
    take<0>({.kind = kind, .of = tag, .time = time}, {});
  }

 private:
  std::filesystem::path file_;
  process_trace trace_;
};

struct counts {
  std::uint64_t allocations = 0, promotions = 0, collections = 0;
  std::vector<std::uint64_t> lengths;
  std::vector<std::uint64_t> backtrace;
  bool operator==(counts const&) const = default;
};

counts read(std::filesystem::path const& file) {
  counts c;
  trace::reader reader(file, {});
  for (trace::event e; reader.next(e);) {
    if (e.kind == trace::event_kind::allocation) {
      ++c.allocations;
      c.lengths.push_back(e.length);
      c.backtrace.assign(e.backtrace.begin(), e.backtrace.end());
    }
    c.promotions += e.kind == trace::event_kind::promotion ? 1 : 0;
    c.collections += e.kind == trace::event_kind::collection ? 1 : 0;
  }
  return c;
}

}  // namespace

TEST_CASE("blocks, by tags that come again") {
  trace_under_test t;
  t.begin("/bin/program");
  t.allocate(7, 10, start + 1);
  t.then(record_kind::promotion, 7, start + 2);
  t.then(record_kind::collection, 7, start + 3);
  t.allocate(7, 11, start + 4);
  t->close();
  CHECK(t->failure() == "");
  const counts c = read(t.file());
  CHECK(c.lengths == std::vector<std::uint64_t>{10, 11});
  CHECK(c.promotions == 1);
  CHECK(c.collections == 1);
  CHECK(c.backtrace == std::vector<std::uint64_t>{0x10010, 0x10020, 0x10030});  // outermost first
  const trace::reader reader(t.file(), {});
  CHECK(reader.info().executable_name == "/bin/program");
  CHECK(reader.info().context == "a test");
  CHECK(reader.info().pid == 4711);
  CHECK(reader.info().sample_rate == 0.5);
  CHECK(reader.info().runtime_parameters == "memprof seed=7");
}

TEST_CASE("threads: named before their blocks, and numbered on in a program that was executed") {
  trace_under_test t;
  t.begin("/bin/program");
  t.name_thread(1, 4711, "program");
  t.allocate(1, 10, start + 1, 1);
  t.name_thread(2, 4712, "sixteen bytes!!!");
  t.allocate(2, 10, start + 2, 2);
  t.allocate(3, 10, start + 3, 1'000'000);
  t.begin("/bin/second", start + 4);
  t.name_thread(1, 4711, "second");
  t.allocate(1, 10, start + 5, 1);
  t->close();
  CHECK(t->failure() == "");
  trace::reader reader(t.file(), {});
  std::vector<std::uint32_t> threads;
  for (trace::event e; reader.next(e);) {
    if (e.kind != trace::event_kind::allocation) continue;
    threads.push_back(e.thread);
    CHECK(e.backtrace.size() == 3);
  }
  CHECK(threads == std::vector<std::uint32_t>{1, 2, trace::most_threads, trace::most_threads});
  REQUIRE(reader.threads().size() == 4);
  CHECK(reader.threads()[0] == trace::thread{1, 4711, "program"});
  CHECK(reader.threads()[1] == trace::thread{2, 4712, "sixteen bytes!!!"});
  CHECK(reader.threads()[3] == trace::thread{trace::most_threads, 4711, "second"});
}

TEST_CASE("an executed program's threads are others than its predecessor's") {
  trace_under_test t;
  t.begin("/bin/program");
  t.allocate(1, 10, start + 1, 1);
  t.allocate(2, 10, start + 1, 2);
  t.begin("/bin/second", start + 4);
  t.allocate(1, 10, start + 5, 1);
  t->close();
  trace::reader reader(t.file(), {});
  std::vector<std::uint32_t> threads;
  for (trace::event e; reader.next(e);) {
    if (e.kind == trace::event_kind::allocation) threads.push_back(e.thread);
  }
  CHECK(threads == std::vector<std::uint32_t>{1, 2, 3});
}

TEST_CASE("what was flushed is in the file while the program runs") {
  trace_under_test t;
  t.begin("/bin/program");
  t.allocate(1, 10, start + 1);
  t->flush();
  CHECK(read(t.file()).allocations == 1);
  t.allocate(2, 10, start + 2);
  t->close();
  CHECK(read(t.file()).allocations == 2);
}

TEST_CASE("an executed program: its predecessor's blocks are gone") {
  trace_under_test t;
  t.begin("/bin/first");
  t.allocate(1, 10, start + 1);
  t.begin("/bin/second", start + 2);
  t.allocate(1, 11, start + 3);
  t->close();
  const counts c = read(t.file());
  CHECK(c.lengths == std::vector<std::uint64_t>{10, 11});
  CHECK(c.collections == 1);
}

TEST_CASE("a predecessor that allocated nothing leaves nothing, not even its name") {
  trace_under_test t;
  t.begin("/bin/sh");
  t.begin("/bin/program", start + 2);
  t->close();
  CHECK(trace::reader(t.file(), {}).info().executable_name == "/bin/program");
}

TEST_CASE("hostile records do no harm") {
  trace_under_test t;
  t.allocate(1, 10, start);  // before it begins
  t.begin("/bin/program");
  t.then(record_kind::collection, 5, start);
  t.then(record_kind::promotion, ~0u, start);
  t.allocate(0, 10, start);
  t.allocate(~0u, 10, start);
  t.allocate(3, ~std::uint64_t{0}, 0);
  t.allocate(4, 10, ~std::uint64_t{0});
  std::mt19937_64 random(20);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::uint64_t> words(2 + random() % 20);
    for (auto& w : words) w = random() >> random() % 64;
    words[0] = (words[0] & ~std::uint64_t{0xff0000}) | random() % 8 << 16;
    t.take(words);
  }
  t->close();
  CHECK(t->failure() == "");
  CHECK(read(t.file()).allocations >= 2);
}

TEST_CASE("a file that cannot be written ends the trace, and says so") {
  process_trace t({.file = "/proc/none/a.ctf", .context = {}, .process = 1});
  const relay::text_words text("/bin/program");
  const auto first = relay::record<2>({.kind = record_kind::begin, .of = text.bytes()},
                                      {std::bit_cast<std::uint64_t>(0.5), 7}, text.words().size());
  std::vector<std::uint64_t> words(first.begin(), first.end());
  words.insert(words.end(), text.words().begin(), text.words().end());
  relay::popped_record r;
  REQUIRE(relay::popped_record::read(words, r));
  t.take(r);
  t.close();
  CHECK_THAT(t.failure(), Catch::Matchers::ContainsSubstring("/proc/none/a.ctf"));
}

TEST_CASE("notes are in the trace, the last of each name") {
  trace_under_test t;
  t.begin("/bin/program");
  t->note("ended", "exit 1");
  t->note("command", "program --option");
  t->note("ended", "exit 3");
  t->close();
  trace::reader reader(t.file(), {});
  for (trace::event e; reader.next(e);) {
  }
  const auto notes = reader.notes();
  REQUIRE(notes.size() == 2);
  CHECK(notes[0] == trace::note{.name = "command", .value = "program --option"});
  CHECK(notes[1] == trace::note{.name = "ended", .value = "exit 3"});
}

TEST_CASE("the end of a process stands between what was before and after it") {
  trace_under_test t;
  t.begin("/bin/program");
  t.allocate(1, 10, start + 5);
  t.allocate(2, 10, start + 7);
  // Its time was taken before those of other threads' events, which came first.
  t.then(record_kind::exit_began, 0, start + 6);
  t.then(record_kind::collection, 1, start + 6);
  t.then(record_kind::collection, 2, start + 20);
  t->close();
  trace::reader reader(t.file(), {});
  std::vector<std::int64_t> before, after;
  std::string mark;
  for (trace::event e; reader.next(e);) {
    if (!reader.notes().empty()) mark = reader.notes()[0].value;
    (reader.notes().empty() ? before : after).push_back(e.time.count());
  }
  CHECK(mark == "8");
  CHECK(before == std::vector<std::int64_t>{5, 7});
  CHECK(after == std::vector<std::int64_t>{8, 20});
}

TEST_CASE("the end of a process that executes another program is none") {
  trace_under_test t;
  t.begin("/bin/program");
  t.allocate(1, 10, start + 5);
  t.then(record_kind::exit_began, 0, start + 6);
  t.begin("/bin/second", start + 7);
  t.allocate(1, 11, start + 8);
  t->close();
  trace::reader reader(t.file(), {});
  for (trace::event e; reader.next(e);) {
  }
  REQUIRE(reader.notes().size() == 2);
  CHECK(reader.notes()[1] == trace::note{.name = "exit_began", .value = ""});
}
