// SPDX-License-Identifier: MIT
// However the process ends, or continues: the trace can be read up to its last packet.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "memprof/tracing.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/sanitized.hpp"
#include "traced.hpp"

using namespace memprof;
using namespace memprof::test;

namespace {

void start_exact(std::string const& file) {
  start_tracing(file, {.rate = sampling_rate{1.0}, .context = {}, .callstack_size = {}});
}

/// As long as events may take to be in the file, and some.
void let_it_be_written() { std::this_thread::sleep_for(std::chrono::milliseconds(900)); }

/// A block that lives until the static destructors run.
struct kept_block {
  void* at = nullptr;
  ~kept_block() { release(at, 1600); }
};
kept_block until_the_end;

}  // namespace

TEST_CASE("exit, from any thread, after the static destructors") {
  folder const f;
  const bool other_thread = GENERATE(false, true);
  const ended end = in_child([&] {
    start_exact(f.file("a"));
    until_the_end.at = allocate(1600);
    allocate_marked(10);
    if (other_thread) std::thread([] { exit(3); }).join();
    exit(3);
  });
  CHECK(end.said == "");
  CHECK(end.status == 3);
  const traced t = read_trace(f.file("a"));
  CHECK(t.error == "");
  CHECK(t.minor == 11);
  CHECK(t.collected == 11);
}

TEST_CASE("quick_exit writes what is outstanding") {
  folder const f;
  const ended end = in_child([&] {
    start_exact(f.file("a"));
    allocate_marked(10);
    quick_exit(4);
  });
  CHECK(end.status == 4);
  CHECK(read_trace(f.file("a")).collected == 10);
}

TEST_CASE("_exit, exec, signals: what was written before is there") {
  folder const f;
  const int how = GENERATE(0, 1, 2, 3, 4);
  const ended end = in_child([&] {
    start_exact(f.file("a"));
    allocate_marked(10);
    let_it_be_written();
    if (how == 0) _exit(5);
    if (how == 1) execl("/bin/sh", "sh", "-c", "exit 6", static_cast<char*>(nullptr));
    if (how == 2) raise(SIGSEGV);
    if (how == 3) raise(SIGKILL);
    allocate_marked(1);
    abort();
  });
  constexpr int expected[] = {5, 6, -SIGSEGV, -SIGKILL, -SIGABRT};
  CHECK(end.status == expected[how]);
  const traced t = read_trace(f.file("a"));
  CHECK(t.error == "");
  CHECK(t.notices.empty());
  CHECK(t.minor >= 10);
  CHECK(t.collected >= 10);
}

TEST_CASE("killed in the middle of much: still readable") {
  folder const f;
  const ended end = in_child([&] {
    const std::string file = f.file("a");
    start_exact(file);
    std::thread([&file] {
      struct stat s = {};
      for (int tries = 0; tries < 6000 && s.st_size < 100'000; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        if (stat(file.c_str(), &s) != 0) s.st_size = 0;
      }
      raise(SIGKILL);
    }).detach();
    for (;;) allocate_marked(100, 10);
  });
  CHECK(end.status == -SIGKILL);
  const traced t = read_trace(f.file("a"));
  CHECK(t.error == "");
  CHECK(t.blocks() > 0);
}

TEST_CASE("a forked child writes nothing, the parent goes on") {
  folder const f;
  start_exact(f.file("a"));
  allocate_marked(5);
  void* const inherited = allocate(1600);
  const ended end = in_child([&] {
    if (currently_tracing()) _exit(1);
    if (counters_of_tracing().allocations != 0) _exit(2);
    release(inherited, 1600);
    allocate_marked(100);
    // It may begin one of its own.
    start_exact(f.file("b"));
    allocate_marked(7);
    exit(0);
  });
  CHECK(end.status == 0);
  allocate_marked(5);
  release(inherited, 1600);
  stop_tracing();
  const traced t = read_trace(f.file("a"));
  CHECK(t.error == "");
  CHECK(t.notices.empty());
  CHECK(t.minor == 11);
  CHECK(t.collected == 11);
  const traced child = read_trace(f.file("b"));
  CHECK(child.error == "");
  CHECK(child.minor == 7);
  CHECK(child.collected == 7);
}

TEST_CASE("with %p in the name each process has a file of its own") {
  folder const f;
  start_exact(f.file("t.%p"));
  allocate_marked(5);
  int pipe_of_pid[2];
  REQUIRE(pipe(pipe_of_pid) == 0);
  const ended end = in_child([&] {
    const pid_t self = getpid();
    if (write(pipe_of_pid[1], &self, sizeof self) != sizeof self) _exit(1);
    allocate_marked(1);  // begins the trace, and is not in it
    while (!currently_tracing()) usleep(1000);
    churn(words{1'100'000});  // the new rate is taken over at an event
    allocate_marked(7);
    exit(0);
  });
  CHECK(end.status == 0);
  if (MEMPROF_SANITIZED == 0) CHECK(end.said == "");  // LeakSanitizer speaks of our thread
  pid_t child = 0;
  REQUIRE(read(pipe_of_pid[0], &child, sizeof child) == sizeof child);
  stop_tracing();
  CHECK(f.files().size() == 2);
  CHECK(read_trace(f.file("t." + std::to_string(getpid()))).minor == 5);
  const traced t = read_trace(f.file("t." + std::to_string(child)));
  CHECK(t.error == "");
  CHECK(t.minor == 7);
  CHECK(t.collected == 7);
  CHECK(t.info.pid == static_cast<std::uint64_t>(child));
}

TEST_CASE("forks while other threads are traced") {
  folder const f;
  start_exact(f.file("a"));
  std::atomic<bool> done{false};
  std::thread busy([&] {
    while (!done) allocate_marked(50, 1);
  });
  int wrong = 0;
  for (int i = 0; i < 20; ++i) {
    if (in_child([] {
          // The sanitizers' allocator (g++ 12's) knows nothing of forks: a lock that the other
          // thread held would stay held. And what that thread had in hand is a leak to
          // LeakSanitizer.
          if (MEMPROF_SANITIZED != 0) _exit(0);
          allocate_marked(100);
          exit(0);
        }).status != 0)
      ++wrong;
  }
  done = true;
  busy.join();
  stop_tracing();
  CHECK(wrong == 0);
  CHECK(read_trace(f.file("a")).error == "");
}

// The queue that it was forked with may have an event that is claimed and never written.
TEST_CASE("a child's own trace is whole, whatever the parent's threads were adding to theirs") {
  if (MEMPROF_SANITIZED != 0) return;  // see above
  constexpr int children = 60;
  folder const f;
  start_exact(f.file("parent"));
  std::atomic<bool> done{false};
  std::thread busy([&] {
    while (!done) allocate_marked(50, 1);
  });
  int whole = 0;
  for (int i = 0; i < children; ++i) {
    const ended end = in_child([&] {
      start_exact(f.file("child"));
      allocate_marked(5);
      exit(0);
    });
    const traced t = read_trace(f.file("child"));
    if (end.status == 0 && t.error.empty() && t.minor == 5) ++whole;
  }
  done = true;
  busy.join();
  stop_tracing();
  CHECK(whole == children);
}

TEST_CASE("a daemon that closes all descriptors is traced on") {
  if (MEMPROF_SANITIZED != 0) {
    WARN("sanitizers take it that threads share descriptors, which the tracer's does not");
    return;
  }
  folder const f;
  const ended end = in_child([&] {
    start_exact(f.file("a"));
    allocate_marked(5);
    let_it_be_written();
    for (int i = 0; i < 1024; ++i) close(i);
    // The numbers are the program's, and what it opens is not written to.
    for (int i = 0; i < 10; ++i) {
      if (open(f.file("own" + std::to_string(i)).c_str(), O_WRONLY | O_CREAT, 0600) != i) _exit(1);
    }
    allocate_marked(5);
    exit(0);
  });
  CHECK(end.status == 0);
  CHECK(read_trace(f.file("a")).collected == 10);
  CHECK(std::filesystem::file_size(f.file("own3")) == 0);
}

TEST_CASE("the thread keeps no pipe of the program open") {
  folder const f;
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  start_exact(f.file("a"));
  close(ends[1]);
  char c;
  CHECK(read(ends[0], &c, 1) == 0);  // would wait for ever
  close(ends[0]);
  stop_tracing();
}

TEST_CASE("a full disk ends the trace with a line, and nothing else") {
  folder const f;
  const ended end = in_child([&] {
    rlimit const little{.rlim_cur = 60'000, .rlim_max = 60'000};
    setrlimit(RLIMIT_FSIZE, &little);  // and SIGXFSZ, which must not kill us
    start_exact(f.file("a"));
    for (int i = 0; i < 200 && currently_tracing(); ++i) {
      allocate_marked(500);
      usleep(10'000);
    }
    if (currently_tracing()) _exit(1);
    allocate_marked(500);
    stop_tracing();
    exit(0);
  });
  CHECK(end.status == 0);
  CHECK(end.said == "memprof: cannot write trace file " + f.file("a") + ": File too large\n");
  const traced t = read_trace(f.file("a"));
  CHECK(t.error == "");
  CHECK(t.notices.empty());
  CHECK(t.minor > 100);
}

TEST_CASE("a reader of the pipe that goes away does not kill the program") {
  folder const f;
  const std::string name = f.file("pipe");
  REQUIRE(mkfifo(name.c_str(), 0600) == 0);
  const ended end = in_child([&] {
    const int reader = open(name.c_str(), O_RDONLY | O_NONBLOCK);
    start_exact(name);
    close(reader);
    allocate_marked(100);
    exit(0);
  });
  CHECK(end.status == 0);
  CHECK(end.said.find("Broken pipe") != std::string::npos);
}

TEST_CASE(
    "a reader of the pipe that stalls costs a second at most, then blocks, which are counted") {
  folder const f;
  const std::string name = f.file("pipe");
  const std::string copy = f.file("copy");
  REQUIRE(mkfifo(name.c_str(), 0600) == 0);
  const ended end = in_child([&] {
    using clock = std::chrono::steady_clock;
    const int reader = open(name.c_str(), O_RDONLY | O_NONBLOCK);
    start_exact(name);
    void* const held = allocate(1600);
    const auto begin = clock::now();
    while (counters_of_tracing().dropped == 0) {
      allocate_marked(100);
      if (clock::now() - begin > std::chrono::seconds(60)) _exit(1);
    }
    // It has waited enough: nothing waits any more.
    const auto later = clock::now();
    allocate_marked(5000);
    if (clock::now() - later > std::chrono::seconds(5)) _exit(2);
    if (counters_of_tracing().dropped < 5000) _exit(3);
    release(held, 1600);  // for which there is no room, either: it is late
    fcntl(reader, F_SETFL, 0);
    std::jthread const drain([&] {
      std::ofstream out(copy, std::ios::binary);
      char bytes[4096];
      for (ssize_t n = 0; (n = read(reader, bytes, sizeof bytes)) > 0;) out.write(bytes, n);
    });
    stop_tracing();
  });
  CHECK(end.status == 0);
  CHECK_THAT(end.said,
             Catch::Matchers::ContainsSubstring("sampled blocks or interrupts are missing"));
  const traced t = read_trace(copy);
  CHECK(t.error == "");
  CHECK(t.minor > 1000);
  CHECK(t.collected == t.minor + t.major);
}
