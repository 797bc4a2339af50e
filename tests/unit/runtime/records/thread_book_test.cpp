// SPDX-License-Identifier: MIT
#include "records/thread_book.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "support/catch2.hpp"

using namespace memprof;
using records::named_thread;
using records::thread_book;

namespace {

named_thread called(std::uint32_t number, std::uint32_t id, std::string_view name) {
  named_thread t{.number = number, .id = id};
  std::ranges::copy(name, t.name.begin());
  return t;
}

std::string text(thread_book& book, trace::location_code code) {
  const auto locations = book.locate(code);
  REQUIRE(locations.size() == 1);
  const auto t = encoding::thread_of(code, locations);
  REQUIRE(t);
  return std::to_string(t->number) + " " + std::to_string(t->id) + " " + std::string(t->name);
}

}  // namespace

TEST_CASE("names of threads, and new codes for new names") {
  thread_book book;
  CHECK_FALSE(book.is_known(1));
  book.name(called(1, 4711, "main thread"));
  CHECK(book.is_known(1));
  const auto first = book.code_of(1);
  CHECK(text(book, first) == "1 4711 main thread");
  const std::string_view kept = book.locate(first)[0].defname;
  book.name(called(1, 4711, "other"));
  CHECK(book.code_of(1) != first);
  CHECK(text(book, book.code_of(1)) == "1 4711 other");
  CHECK(kept == "main thread 4711");  // the encoder still refers to it
  CHECK(text(book, book.code_of(trace::most_threads)) == "65535 0 ");
  CHECK(book.code_of(trace::most_threads + 1) == 0);
}

TEST_CASE("the same name again is no new one") {
  thread_book book;
  book.name(called(1, 2, "a"));
  const auto code = book.code_of(1);
  book.name(called(1, 2, "a"));
  CHECK(book.code_of(1) == code);
  CHECK(code == encoding::thread_code(1, 0));
}

TEST_CASE("a thread that is renamed without end keeps a name") {
  thread_book book;
  for (unsigned i = 0; i < 2 * encoding::most_namings; ++i) {
    book.name(called(1, 2, std::to_string(i)));
  }
  CHECK(text(book, book.code_of(1)) == "1 2 " + std::to_string(encoding::most_namings - 1));
}
