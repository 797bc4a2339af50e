// SPDX-License-Identifier: MIT
//
// docs/recovering.md: where nothing may be thrown. Those named "preflight" need the look ahead.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "recovering/exactly.hpp"
#include "support/catch2.hpp"

namespace recovering {
namespace {

using namespace memprof::literals;

std::string log_text;

// [noexcept]
[[gnu::noinline]] void log(std::string_view line) noexcept {
  log_text += line;  // bad_alloc would be std::terminate
}
// [/noexcept]

TEST_CASE("preflight: an interrupt waits for the end of a noexcept function", "[recovering]") {
  std::string const line(10'000, 'x');
  std::string after;
  // [noexcept_use]
  auto r = exactly(4_KiB, [&] {
    log(line);                // crosses the limit
    after.assign(1000, 'x');  // raised here
  });
  CHECK_FALSE(r);
  CHECK(log_text == line);
  CHECK(after.empty());
  CHECK(r.error().deferrals() > 0);
  // [/noexcept_use]
  CHECK(r.error().last_deferral() != nullptr);
  CHECK(r.error().deliveries() == 1);
}

// [destructor]
struct transaction {
  std::string& journal;
  ~transaction() { journal += "the transaction is over, and this text takes memory"; }
};
// [/destructor]

TEST_CASE("preflight: an interrupt waits for the end of a destructor", "[recovering]") {
  std::string journal;
  std::string after;
  auto const r = exactly(0_B, [&] {
    { transaction const t{journal}; }
    after.assign(1000, 'x');
  });
  REQUIRE_FALSE(r);
  CHECK(journal.size() > 20);
  CHECK(after.empty());
}

TEST_CASE("clean-ups during unwinding are not interrupted again", "[recovering]") {
  std::string journal;
  // [unwinding]
  auto r = exactly(1_KiB, [&] {
    transaction const t{journal};
    std::string const text(10'000, 'x');  // raised here; the clean-up allocates, too
    journal += text;
  });
  CHECK_FALSE(r);
  CHECK(r.error().deliveries() == 1);
  CHECK(journal == "the transaction is over, and this text takes memory");
  // [/unwinding]
}

// [c_callback]
extern "C" int compare_as_text(void const* a, void const* b) {
  auto const text = [](void const* n) {  // of 50 digits: more than a string holds without memory
    std::string digits = std::to_string(*static_cast<int const*>(n));
    return std::string(50 - digits.size(), '0') + digits;
  };
  return text(a).compare(text(b));
}
// [/c_callback]

std::vector<int> backwards() {
  std::vector<int> numbers(2000);
  for (int i = 0; i < 2000; ++i) numbers[static_cast<std::size_t>(i)] = 2000 - i;
  return numbers;
}

TEST_CASE("preflight: an interrupt waits for the return of a C function", "[recovering]") {
  auto numbers = backwards();
  auto const r = exactly(
      1_KiB, [&] { std::qsort(numbers.data(), numbers.size(), sizeof(int), compare_as_text); });
  REQUIRE_FALSE(r);
  CHECK(r.error().deliveries() == 0);
  CHECK(std::is_sorted(numbers.begin(), numbers.end()));
}

TEST_CASE("C code that calls back, in a mask", "[recovering]") {
  auto numbers = backwards();
  // [c_callback_use]
  auto r = exactly(1_KiB, [&] {
    {
      memprof::masked_scope const mask;
      std::qsort(numbers.data(), numbers.size(), sizeof(int), compare_as_text);
    }
    memprof::cancellation_point();  // what was kept back is raised here at the latest
  });
  CHECK_FALSE(r);
  CHECK(std::is_sorted(numbers.begin(), numbers.end()));
  // [/c_callback_use]
  CHECK(r.error().deliveries() == 1);
}

TEST_CASE("preflight: an interrupt waits until a thread is joined", "[recovering]") {
  std::string text;
  bool joined = false;
  // [joinable]
  auto r = exactly(1_KiB, [&] {
    std::thread helper([] {});
    text.assign(10'000, 'x');  // not here: ~thread would terminate
    helper.join();
    joined = true;
  });
  CHECK_FALSE(r);
  CHECK(joined);
  // [/joinable]
}

}  // namespace
}  // namespace recovering
