// SPDX-License-Identifier: MIT
#include "encoding/interrupt_note.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "memprof/interrupted.hpp"

#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::encoding;

namespace {

constexpr trace::location work{.filename = "work.cpp", .defname = "work", .line = 7};

/// Its stack refers to locations that stay until the next call.
std::optional<trace::interrupt> read_note(std::string_view text) {
  static std::array<trace::location, 2> locations;
  locations = {work, trace::location{.filename = interrupt_file, .defname = text}};
  return interrupt_of(locations);
}

}  // namespace

TEST_CASE("interrupt_note: every kind is read as it was written, with the largest numbers") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const limit_kind kind : all_limit_kinds) {
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1048576}, most}) {
      const trace::interrupt in{.time = std::chrono::microseconds(n),
                                .kind = kind,
                                .allowed = n,
                                .measured = n,
                                .deferrals = static_cast<std::uint64_t>(n),
                                .thread = static_cast<std::uint64_t>(n),
                                .stack = {}};
      std::array<char, longest_interrupt_note> buffer{};
      const auto out = read_note(interrupt_text(in, buffer));
      REQUIRE(out);
      CHECK(out->kind == kind);
      CHECK(out->time == in.time);
      CHECK(out->allowed == n);
      CHECK(out->measured == n);
      CHECK(out->deferrals == in.deferrals);
      CHECK(out->thread == in.thread);
      REQUIRE(out->stack.size() == 1);
      CHECK(out->stack[0] == work);
    }
  }
}

TEST_CASE("interrupt_note: the text is the documented one; later fields are ignored") {
  const std::string_view text =
      "limit=global memory;at_us=12;allowed=3;measured=-4;deferrals=5;thread=6";
  const auto i = read_note(text);
  REQUIRE(i);
  CHECK(i->kind == limit_kind::global_memory);
  CHECK(i->measured == -4);
  std::array<char, longest_interrupt_note> buffer{};
  CHECK(interrupt_text(*i, buffer) == text);
  CHECK(read_note(std::string(text) + ";more=7"));
}

TEST_CASE("interrupt_note: malformed notes are no interrupts") {
  for (std::string_view text : {
           "",
           "limit=",
           "limit=unknown;at_us=1;allowed=1;measured=1;deferrals=1;thread=1",
           "at_us=1;allowed=1;measured=1;deferrals=1;thread=1",
           "limit=memory",
           "limit=memory;at_us=;allowed=1;measured=1;deferrals=1;thread=1",
           "limit=memory;at_us=1;measured=1;deferrals=1;thread=1",
           "limit=memory;at_us=-1;allowed=1;measured=1;deferrals=1;thread=1",
           "limit=memory;at_us=1;allowed=1;measured=1;deferrals=-1;thread=1",
           "limit=memory;at_us=1;allowed=99999999999999999999;measured=1;deferrals=1;thread=1",
       }) {
    CAPTURE(text);
    CHECK_FALSE(read_note(text));
  }
  CHECK_FALSE(interrupt_of({}));
  CHECK_FALSE(interrupt_of({&work, 1}));
}

TEST_CASE("interrupt_note: the innermost calls that fit, at most what an event holds") {
  const trace::location note{.filename = interrupt_file, .defname = "limit=token"};
  CHECK(fitting_stack({}, note) == 0);
  std::vector<trace::location> const deep(1'000, work);
  const std::size_t fits = fitting_stack(deep, note);
  CHECK(fits > 50);
  CHECK(fits < most_locations);
  std::string const large(location_budget, 'x');
  std::vector<trace::location> mixed(3, work);
  mixed[1].defname = large;
  CHECK(fitting_stack(mixed, note) == 1);
}
