// SPDX-License-Identifier: MIT
// Tracing this process, at its own request.
#include "memprof/tracing.hpp"

#include <atomic>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <fcntl.h>
#include <mutex>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "memprof/callstack.hpp"
#include "memprof/limits.hpp"
#include "memprof/sources.hpp"
#include "memprof/trace/reader.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "traced.hpp"

#ifdef MEMPROF_TEST_MODULES
#include <dlfcn.h>
#endif

using namespace memprof;
using namespace memprof::literals;
using namespace memprof::test;

namespace {

constexpr sampling_rate every_word{1.0};

struct block {
  void* at;
  std::size_t size;
};

/// Between threads.
class belt {
 public:
  void put(block b) {
    const std::lock_guard lock(mutex_);
    blocks_.push_back(b);
    ready_.notify_one();
  }
  block take() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return !blocks_.empty(); });
    const block b = blocks_.front();
    blocks_.pop_front();
    return b;
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<block> blocks_;
};

std::size_t size_of(int i) {
  const auto extra = static_cast<std::size_t>(i % 32) * 8;
  return (i % 50 == 0 ? 40000 : 1600) + extra;
}

}  // namespace

TEST_CASE("at rate 1 every block of four threads is in the trace, with its end") {
  folder const f;
  constexpr int each = 6000;
  std::uint64_t words = 0;
  std::uint64_t major = 0;
  std::vector<block> kept;
  start_tracing(f.file("a.ctf"),
                {.rate = every_word, .context = "four threads", .callstack_size = {}});
  CHECK(currently_tracing());
  {
    belt way;
    const auto produce = [&](int from) {
      for (int i = from; i < each * 2; i += 2) way.put({allocate(size_of(i)), size_of(i)});
    };
    std::mutex keeping;
    const auto consume = [&] {
      for (int i = 0; i < each; ++i) {
        const block b = way.take();
        if (b.size % 256 != 64) {
          release(b.at, b.size);
          continue;
        }
        const std::lock_guard lock(keeping);
        kept.push_back(b);
      }
    };
    std::thread threads[] = {std::thread(produce, 0), std::thread(produce, 1), std::thread(consume),
                             std::thread(consume)};
    for (auto& t : threads) t.join();
  }
  stop_tracing();
  CHECK_FALSE(currently_tracing());
  for (block const& b : kept) release(b.at, b.size);
  for (int i = 0; i < each * 2; ++i) {
    words += size_of(i) / 8;
    if (size_of(i) >= 40000) ++major;
  }

  const traced t = read_trace(f.file("a.ctf"));
  CHECK(t.error.empty());
  INFO(t.error);
  CHECK(t.notices.empty());
  CHECK(counters_of_tracing().dropped == 0);
  CHECK(t.blocks() == each * 2);
  CHECK(t.major == major);
  CHECK(t.words == words);
  CHECK(t.marked_samples == words + each * 2);  // a word for each header
  CHECK(t.collected == each * 2 - kept.size());
  CHECK(t.promoted > 0);
  CHECK(t.deepest >= 3);
  CHECK(t.info.context == "four threads");
  CHECK(t.info.sample_rate == 1.0);
  CHECK(t.info.pid == static_cast<std::uint64_t>(getpid()));
  CHECK(t.info.word_bits == 64);
  CHECK(t.info.executable_name.find("tracer") != std::string::npos);
  CHECK(counters_of_tracing().bytes_written == std::filesystem::file_size(f.file("a.ctf")));
  CHECK(counters_of_tracing().allocations + counters_of_tracing().promotions +
            counters_of_tracing().collections ==
        t.events);
}

TEST_CASE("thread exit promotes; frees after a trace are no events of the next one") {
  folder const f;
  std::vector<block> kept;
  start_tracing(f.file("a.ctf"), {.rate = every_word, .context = {}, .callstack_size = {}});
  std::thread([&] {
    for (int i = 1; i < 33; ++i) kept.push_back({allocate(size_of(i)), size_of(i)});
  }).join();
  stop_tracing();
  const traced first = read_trace(f.file("a.ctf"));
  CHECK(first.error == "");
  CHECK(first.minor == 32);
  CHECK(first.promoted == 32);
  CHECK(first.collected == 0);

  start_tracing(f.file("b.ctf"), {.rate = every_word, .context = {}, .callstack_size = 1});
  for (block const& b : kept) release(b.at, b.size);
  allocate_marked(100, 10);
  stop_tracing();
  const traced second = read_trace(f.file("b.ctf"));
  CHECK(second.error == "");
  CHECK(second.minor == 100);
  CHECK(second.major == 10);
  CHECK(second.collected == 110);
  CHECK(second.deepest == 1);
  CHECK(second.info.context == "");
}

TEST_CASE("many traces one after another, while other threads allocate") {
  folder const f;
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      std::deque<block> some;
      for (int n = 0; !done; ++n) {
        some.push_back({allocate(size_of(n)), size_of(n)});
        if (some.size() < 300) continue;
        release(some.front().at, some.front().size);
        some.pop_front();
      }
      for (block const& b : some) release(b.at, b.size);
    });
  }
  std::vector<std::string> wrong;
  for (int i = 0; i < 30; ++i) {
    const std::string name = f.file(std::to_string(i));
    start_tracing(name, {.rate = every_word, .context = {}, .callstack_size = {}});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    stop_tracing();
    const traced t = read_trace(name);
    if (!t.error.empty()) wrong.push_back(t.error);
    if (!t.notices.empty()) wrong.push_back(t.notices.front());
  }
  done = true;
  for (auto& t : threads) t.join();
  CHECK(wrong == std::vector<std::string>{});
}

TEST_CASE("a lower rate: the estimate is right, and limits count at their own") {
  folder const f;
  const with_seed seeded(7, sampling_rate{1e-3});
  start_tracing(f.file("a.ctf"),
                {.rate = sampling_rate{2e-3}, .context = {}, .callstack_size = {}});
  const auto interrupted = limit_allocations(64_KiB, [] { allocate_marked(2000); });
  allocate_marked(80'000);
  stop_tracing();
  CHECK_FALSE(interrupted.has_value());
  const traced t = read_trace(f.file("a.ctf"));
  CHECK(t.error == "");
  CHECK(t.info.sample_rate == 2e-3);
  CHECK(t.info.runtime_parameters == "memprof seed=7");
  // 80000 blocks of 216.5 words on average, and what the interrupted task got: 34640 samples; a
  // standard deviation is 186, seven of them are exceeded with probability 3e-12. The seed is
  // fixed.
  const double expected = 80'000 * 216.5 * 2e-3;
  CHECK(std::abs(static_cast<double>(t.marked_samples) - expected) < 7 * 186 + 100);
}

TEST_CASE("external blocks have a source of their own") {
  folder const f;
  external device("device");
  char blocks[10][8];
  start_tracing(f.file("a.ctf"), {.rate = every_word, .context = {}, .callstack_size = {}});
  for (auto& b : blocks) device.report_allocation(b, bytes{1607});
  for (auto& b : blocks) device.report_deallocation(b);
  stop_tracing();
  const traced t = read_trace(f.file("a.ctf"));
  CHECK(t.error == "");
  CHECK(t.external == 10);
  CHECK(t.words == 2010);
  CHECK(t.collected == 10);
  CHECK(t.promoted == 0);
}

TEST_CASE("what is refused") {
  folder const f;
  const std::string name = f.file("a.ctf");
  const tracing_options exact{.rate = every_word, .context = {}, .callstack_size = {}};
  CHECK_THROWS_AS(
      start_tracing(name, {.rate = sampling_rate{0.0}, .context = {}, .callstack_size = {}}),
      std::invalid_argument);
  CHECK_THROWS_AS(start_tracing("", exact), std::invalid_argument);
  CHECK_THROWS_AS(start_tracing(std::string(5000, 'x'), exact), std::invalid_argument);
  CHECK_THROWS_AS(
      start_tracing("a.ctf", {.rate = every_word, .context = {}, .callstack_size = 4097}),
      std::invalid_argument);
  CHECK_THROWS_WITH(start_tracing(f.file("none/a.ctf"), exact),
                    Catch::Matchers::ContainsSubstring("cannot open trace file") &&
                        Catch::Matchers::ContainsSubstring("none/a.ctf"));
  CHECK_THROWS_WITH(start_tracing("/dev/full", exact),
                    Catch::Matchers::ContainsSubstring("No space left"));
  // The caller is told, and standard error is not: the child says what it caught.
  const ended refused = in_child([&] { start_tracing(f.file("none/a.ctf"), exact); });
  CHECK(refused.status == 99);
  const std::size_t at = refused.said.find("cannot open trace file");
  CHECK(at != std::string::npos);
  CHECK(at == refused.said.rfind("cannot open trace file"));
  CHECK_FALSE(currently_tracing());
  CHECK(f.files().empty());

  start_tracing(name, exact);
  CHECK_THROWS_AS(start_tracing(f.file("b.ctf"), exact), std::logic_error);
  // Another process finds it locked.
  const ended other = in_child([&] { start_tracing(name, exact); });
  CHECK(other.status == 99);
  CHECK(other.said.find("is another process using it?") != std::string::npos);
  allocate_marked(3);
  stop_tracing();
  stop_tracing();
  CHECK(read_trace(name).minor == 3);

  start_tracing("/dev/null",
                {.rate = every_word, .context = std::string(20'000, 'c'), .callstack_size = {}});
  allocate_marked(3);
  stop_tracing();
  CHECK(counters_of_tracing().allocations >= 3);
}

TEST_CASE("MEMTRACE and MEMTRACE_RATE") {
  folder const f;
  unsetenv("MEMTRACE_RATE");
  unsetenv("MEMTRACE");
  trace_if_requested();
  CHECK_FALSE(currently_tracing());
  setenv("MEMTRACE", "", 1);
  trace_if_requested();
  CHECK_FALSE(currently_tracing());
  for (char const* const malformed : {"0", "-1", "2", "nan", "often", "1e-4x"}) {
    setenv("MEMTRACE", f.file("x").c_str(), 1);
    setenv("MEMTRACE_RATE", malformed, 1);
    INFO(malformed);
    CHECK_THROWS_WITH(trace_if_requested(), Catch::Matchers::ContainsSubstring("MEMTRACE_RATE"));
  }
  CHECK(f.files().empty());

  setenv("MEMTRACE", f.file("a").c_str(), 1);
  setenv("MEMTRACE_RATE", "0.5", 1);
  trace_if_requested("text", sampling_rate{0.25});
  CHECK(currently_tracing());
  CHECK(std::string(getenv("MEMTRACE")).empty());
  setenv("MEMTRACE", f.file("b").c_str(), 1);
  trace_if_requested();  // one is being written
  stop_tracing();
  CHECK(read_trace(f.file("a")).info.sample_rate == 0.5);
  CHECK(read_trace(f.file("a")).info.context == "text");
  setenv("MEMTRACE_RATE", "", 1);
  trace_if_requested("", sampling_rate{0.25});
  stop_tracing();
  CHECK(read_trace(f.file("b")).info.sample_rate == 0.25);
}

#ifdef MEMPROF_TEST_MODULES
/// Calls `f` through a module of the tests, and unloads that when the writer has surely read all.
void call_through(char const* name, void (*f)(), int times) {
  void* const module = dlopen((std::string(MEMPROF_TEST_MODULES "/") + name).c_str(), RTLD_NOW);
  REQUIRE(module != nullptr);
  void* const symbol = dlsym(module, "_Z12call_throughPFvvE");
  REQUIRE(symbol != nullptr);
  for (int i = 0; i < times; ++i) reinterpret_cast<void (*)(void (*)())>(symbol)(f);
  // In the usual case, not in the last half second: what the writer has seen of it stays right.
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  dlclose(module);
}

TEST_CASE("modules that take each other's place are distinguished") {
  folder const f;
  const auto allocate_one = [] { allocate_marked(1); };
  start_tracing(f.file("a"), {.rate = every_word, .context = {}, .callstack_size = {}});
  call_through("see_through.so", allocate_one, 3);
  call_through("stop_all.so", allocate_one, 5);
  call_through("see_through.so", allocate_one, 7);
  stop_tracing();
  const traced t = read_trace(f.file("a"));
  CHECK(t.error == "");
  std::uint64_t in_first = 0;
  std::uint64_t in_second = 0;
  for (auto const& [name, blocks] : t.names) {
    INFO(name);
    CHECK(name.find("+0x") != std::string::npos);
    if (name.starts_with("see_through.so")) in_first += blocks;
    if (name.starts_with("stop_all.so")) in_second += blocks;
  }
  CHECK(in_first == 10);
  CHECK(in_second == 5);
}

TEST_CASE("a single event of a module that took another's place is distinguished, too") {
  folder const f;
  static void* block;
  const auto hold_one = [] { block = allocate(1600); };
  start_tracing(f.file("a"), {.rate = every_word, .context = {}, .callstack_size = {}});
  call_through("see_through.so", hold_one, 1);
  void* const first = std::exchange(block, nullptr);
  call_through("stop_all.so", hold_one, 1);
  release(first, 1600);
  release(block, 1600);
  stop_tracing();
  std::string names;
  for (auto const& [name, blocks] : read_trace(f.file("a")).names) names += name + "\n";
  CAPTURE(names);
  CHECK(names.find("see_through.so") != std::string::npos);
  CHECK(names.find("stop_all.so") != std::string::npos);
}
#endif

TEST_CASE("limits that are hit while a trace is written stand in it, with where and when") {
  folder const f;
  const auto hit = [] {
    return limit_allocations(4_MiB,
                             [] {
                               for (;;) {
                                 void* const p = allocate(1600);
                                 release(p, 1600);
                               }
                             })
        .has_value();
  };
  CHECK_FALSE(hit());  // before the trace: not in it
  start_tracing(f.file("a.ctf"),
                {.rate = sampling_rate{1e-3}, .context = {}, .callstack_size = {}});
  CHECK_FALSE(hit());
  const auto thread = static_cast<std::uint64_t>(gettid());
  std::thread([&] { CHECK_FALSE(hit()); }).join();
  stop_tracing();
  CHECK_FALSE(hit());

  trace::reader trace(f.file("a.ctf"));
  trace::event e;
  while (trace.next(e)) {
  }
  const auto found = trace.interrupts();
  REQUIRE(found.size() == 2);
  for (trace::interrupt const& i : found) {
    CHECK(i.kind == limit_kind::allocations);
    CHECK(i.allowed == 4 << 20);
    CHECK(i.measured >= i.allowed);
    CHECK(i.time.count() >= 0);
    CHECK(i.time <= e.time + std::chrono::seconds(10));
    REQUIRE_FALSE(i.stack.empty());
    CHECK(i.stack.back().defname.find("+0x") != std::string_view::npos);
  }
  CHECK(found[0].thread == thread);
  CHECK(found[1].thread != thread);
  CHECK(found[0].time <= found[1].time);
}
