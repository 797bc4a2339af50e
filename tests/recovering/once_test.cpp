// SPDX-License-Identifier: MIT
//
// docs/recovering.md: things that are made once.
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "recovering/exactly.hpp"
#include "support/catch2.hpp"

namespace recovering {
namespace {

using namespace memprof::literals;

// [statics]
std::vector<std::string> const& keywords() {
  static std::vector<std::string> const all(100, "a string that is too long for its own buffer");
  return all;
}

std::once_flag filled;
std::vector<std::string> table;

void fill_table() { table.assign(100, "a string that is too long for its own buffer"); }
// [/statics]

TEST_CASE("function-local statics and call_once begin again", "[recovering]") {
  // [statics_use]
  CHECK_FALSE(exactly(1_KiB, [] { keywords(); }));
  CHECK(keywords().size() == 100);  // made by who comes next

  CHECK_FALSE(exactly(1_KiB, [] { std::call_once(filled, fill_table); }));
  std::call_once(filled, fill_table);
  CHECK(table.size() == 100);
  // [/statics_use]
}

// [thread_locals]
thread_local std::vector<std::string> scratch(100, "a string that is too long for its own buffer");

void touch_thread_locals() {
  memprof::masked_scope const mask;
  static_cast<void>(scratch.size());  // the first use on this thread makes it
}
// [/thread_locals]

TEST_CASE("thread_local variables are touched in a mask first", "[recovering]") {
  bool whole = false;
  std::thread([&] {
    static_cast<void>(exactly(1_KiB, [&] {
      touch_thread_locals();
      whole = scratch.size() == 100;
    }));
  }).join();
  CHECK(whole);
}

// [lazy]
template <class F>
class lazy {
 public:
  explicit lazy(F make) : make_(make) {}
  int get() {
    try {
      if (!value_ && !error_) value_ = make_();
    } catch (...) {
      error_ = std::current_exception();
    }
    if (error_) std::rethrow_exception(error_);
    return *value_;
  }

 private:
  F make_;
  std::optional<int> value_;
  std::exception_ptr error_;
};
// [/lazy]

TEST_CASE("a lazy value that stores its exception keeps the interrupt for ever", "[recovering]") {
  // [lazy_use]
  lazy number([] {
    std::list<std::string> words;
    for (int n = 0; n < 10'000; ++n) words.emplace_back(1000, 'x');
    return 1;
  });

  CHECK_FALSE(exactly(1_MiB, [&] { return number.get(); }));
  CHECK_FALSE(memprof::is_interrupted());                  // that is over,
  CHECK_THROWS_AS(number.get(), memprof::limit_exceeded);  // but the value has kept it
  // [/lazy_use]
}

}  // namespace
}  // namespace recovering
