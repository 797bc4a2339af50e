// SPDX-License-Identifier: MIT
//
// docs/recovering.md: what the standard library does with an exception it did not expect.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <future>
#include <istream>
#include <list>
#include <memory>
#include <new>
#include <sstream>
#include <streambuf>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "recovering/exactly.hpp"
#include "support/catch2.hpp"

namespace recovering {
namespace {

using namespace memprof::literals;

TEST_CASE("containers keep their guarantees: push_back happened or not", "[recovering]") {
  // [containers]
  std::vector<std::string> names{"the first"};
  auto r = exactly(10_KiB, [&] {
    for (int n = 0; n < 1000; ++n) names.push_back("a name that is too long for its own buffer");
  });
  CHECK_FALSE(r);
  CHECK(std::count(names.begin(), names.end(), "") == 0);  // no half-made element
  CHECK(names.front() == "the first");
  // [/containers]
  names.emplace_back("and it goes on");
}

// [only_new]
struct granted {
  void* by_malloc = nullptr;
  std::unique_ptr<char[]> by_nothrow_new;
  std::unique_ptr<char[]> by_new;
};

void allocate_three_ways(granted& got) {
  got.by_malloc = std::malloc(1000);
  got.by_nothrow_new.reset(new (std::nothrow) char[1000]);
  got.by_new.reset(new char[1000]);
}
// [/only_new]

TEST_CASE("malloc and nothrow new are counted, but raise nothing and grant", "[recovering]") {
  granted got;
  // [only_new_use]
  auto r = exactly(100_B, [&] { allocate_three_ways(got); });
  CHECK_FALSE(r);
  CHECK(got.by_malloc);
  CHECK(got.by_nothrow_new);
  CHECK_FALSE(got.by_new);
  // [/only_new_use]
  std::free(got.by_malloc);
}

// [in_c]
/// As libraries in C are: it keeps all it reads, and has an error of its own.
char const* parse_in_c(std::function<char()> const& read) {
  std::size_t size = 0, room = 16;
  char* text = static_cast<char*>(std::malloc(room));
  char const* error = text == nullptr ? "out of memory" : nullptr;
  for (char c; error == nullptr && (c = read()) != '\0'; text[size++] = c) {
    if (size < room) continue;
    room *= 2;
    char* const larger = static_cast<char*>(std::realloc(text, room));
    if (larger == nullptr) {
      error = "out of memory";
      break;
    }
    text = larger;
  }
  std::free(text);
  return error;
}
// [/in_c]

TEST_CASE("where malloc refuses, a library in C returns its own error", "[recovering]") {
  std::function<char()> const endless = [] { return 'x'; };
  // [in_c_use]
  memprof::limits limits{.memory = 8_MiB};
  limits.malloc_after_hit = memprof::malloc_policy::refuse;
  char const* error = nullptr;
  auto r = memprof::run_limited(limits, [&] { error = parse_in_c(endless); });
  CHECK_FALSE(r);
  CHECK(error == std::string_view("out of memory"));
  CHECK(r.error().refusals() > 0);
  // [/in_c_use]
}

// [badbit]
struct without_memory : std::streambuf {
  int_type overflow(int_type) override { throw std::bad_alloc(); }
};

TEST_CASE("a stream keeps bad_alloc to itself", "[recovering]") {
  without_memory buffer;
  std::ostream out(&buffer);
  out << 42;  // throws nothing
  CHECK(out.bad());
}
// [/badbit]

TEST_CASE("preflight: an interrupt waits until the stream is done", "[recovering]") {
  // [stream]
  std::istringstream in(std::string(3000, 'x'));
  std::string text, word;
  auto r = exactly(4_KiB, [&] {
    text.assign(2000, 'y');
    in >> word;  // the limit is hit while the word grows
  });
  CHECK_FALSE(r);
  CHECK(word.size() == 3000);  // but the stream was not torn
  CHECK_FALSE(in.bad());
  CHECK(r.error().deliveries() == 0);
  CHECK(r.error().deferrals() > 0);
  // [/stream]
}

struct insatiable : std::streambuf {
  std::list<std::string> kept;
  int_type overflow(int_type c) override {
    for (int n = 0; n < 10'000; ++n) kept.emplace_back(1000, 'x');
    return c;
  }
};

TEST_CASE("a stream that doubles its buffer for ever is interrupted inside", "[recovering]") {
  // [endless_stream]
  std::ostringstream out;
  auto r = exactly(1_MiB, [&] {
    while (out) out << "another line\n";
  });
  CHECK_FALSE(r);
  CHECK(out.bad());
  CHECK(r.error().measured() + r.error().overshoot() < 2_MiB + 1_KiB);
  // [/endless_stream]
}

TEST_CASE("a stream that allocates on and on is interrupted inside at last", "[recovering]") {
  insatiable buffer;
  std::ostream out(&buffer);
  auto const r = exactly(4_KiB, [&] { out << 'x'; });
  REQUIRE_FALSE(r);
  CHECK(r.error().deliveries() == 1);
  CHECK(out.bad());
  CHECK(buffer.kept.size() < 10'000);
}

TEST_CASE("a job of a future brings its result, not its exception", "[recovering]") {
  // [future]
  std::packaged_task<memprof::result<std::string>()> job(
      [] { return memprof::limit_memory(1_MiB, [] { return std::string(100'000'000, 'x'); }); });
  auto answer = job.get_future();
  std::thread worker(std::ref(job));
  worker.join();
  CHECK(answer.get().error().kind() == memprof::limit_kind::memory);
  // [/future]
}

TEST_CASE("a future brings an exception to a thread that has no limit", "[recovering]") {
  // [stored]
  std::promise<void> promise;
  auto future = promise.get_future();
  auto r = exactly(1_KiB, [&] {
    try {
      throw std::string(10'000, 'x');
    } catch (...) {
      promise.set_exception(std::current_exception());  // as std::packaged_task does
    }
  });
  CHECK_FALSE(r);
  CHECK_THROWS_AS(future.get(), memprof::limit_exceeded);  // an ordinary bad_alloc here
  CHECK_FALSE(memprof::is_interrupted());
  // [/stored]
}

}  // namespace
}  // namespace recovering
