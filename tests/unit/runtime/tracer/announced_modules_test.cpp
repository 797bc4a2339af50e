// SPDX-License-Identifier: MIT
#include "tracer/announced_modules.hpp"

#include <array>
#include <cstdint>
#include <dlfcn.h>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch2.hpp"
#include "support/sanitized.hpp"
#include "tracer/program_path.hpp"
#include "unit/runtime/tracer/unloadable_module.hpp"

using namespace memprof;
using namespace memprof::tracer;
using memprof::test::unloadable_module;
using memprof::test::within;

namespace {

/// A module that was announced.
struct sent {
  std::uintptr_t begin;
  std::uintptr_t end;
  std::string build_id;
  std::string path;
};

std::vector<sent> received;
bool room = true;

bool receive(relay_target const&, std::span<std::uint64_t const> first,
             std::span<std::uint64_t const> rest) noexcept {
  if (!room) return false;
  std::vector<std::uint64_t> words(first.begin(), first.end());
  words.insert(words.end(), rest.begin(), rest.end());
  relay::popped_record r;
  REQUIRE(relay::popped_record::read(words, r));
  REQUIRE((words[0] & 0xffff) == words.size());
  REQUIRE(r.head.kind == relay::record_kind::module);
  received.push_back({.begin = r.body[0],
                      .end = r.body[1],
                      .build_id = {reinterpret_cast<char const*>(&r.body[3]), 16},
                      .path = std::string(r.text(relay::module_words))});
  return true;
}

/// Where records would go: `receive` does not look at it.
struct target {
  std::unique_ptr<relay::control> shared = std::make_unique<relay::control>();
  std::unique_ptr<relay::channel> channel = std::make_unique<relay::channel>();
  relay_target to{*shared, *channel};
  std::unique_ptr<announced_modules> known = std::make_unique<announced_modules>();

  target() {
    received.clear();
    room = true;
  }
  /// How many modules that announced; -1 if there was no room.
  int announce(std::vector<std::uintptr_t> const& frames) const {
    const std::size_t before = received.size();
    if (!known->announce(frames, to, &receive)) return -1;
    return static_cast<int>(received.size() - before);
  }
};

std::uintptr_t within_program() { return within(reinterpret_cast<void const*>(&within_program)); }

}  // namespace

TEST_CASE(
    "announced_modules: what is never unloaded is announced at the beginning, and only then") {
  target t;
  find_program_path();
  announced_modules::begin(t.to, &receive);
  REQUIRE(received.size() == modules::permanent_modules()->count);
  CHECK(received[0].path == program_path());
  CHECK(received[0].path.ends_with("unit_tracer_test"));
  CHECK(received[0].begin < within_program());
  CHECK(received[0].end > within_program());
  CHECK(received[0].build_id.find_first_not_of("0123456789abcdef") == std::string::npos);
  std::set<std::string> paths;
  for (sent const& s : received) paths.insert(s.path);
  CHECK(paths.size() == received.size());
  CHECK(std::ranges::any_of(paths, [](std::string const& p) { return p.ends_with("/libc.so.6"); }));
  const std::vector<std::uintptr_t> stack{within_program(),
                                          within(reinterpret_cast<void const*>(&dlopen))};
  CHECK(t.announce(stack) == 0);
  CHECK(t.announce(stack) == 0);
}

TEST_CASE("announced_modules: one that may be unloaded is announced with its first stack") {
  target t;
  unloadable_module const module("small_frame");
  CHECK(t.announce({within_program(), module.frame, within_program()}) == 1);
  REQUIRE(received.size() == 1);
  CHECK(received[0].path == module.path);
  CHECK(received[0].begin < module.frame);
  CHECK(received[0].end > module.frame);
  CHECK(t.announce({within_program(), module.frame, within_program()}) == 0);
  CHECK(t.announce({module.frame}) == 0);
  // Another one is not taken for it, nor does it push the first one out.
  unloadable_module const second("large_frame");
  CHECK(t.announce({module.frame, second.frame, module.frame, second.frame}) == 1);
  CHECK(received.back().path == second.path);
  CHECK(received.back().build_id != received.front().build_id);
  CHECK(t.announce({module.frame, second.frame}) == 0);
  CHECK(t.announce({1234567}) == 0);  // code that no module has
}

TEST_CASE("announced_modules: without room it is tried again, and a forked child begins anew") {
  target t;
  unloadable_module const module("small_frame");
  room = false;
  CHECK(t.announce({within_program(), module.frame}) == -1);
  CHECK(t.announce({within_program(), module.frame}) == -1);
  CHECK(t.announce({within_program()}) == 0);
  room = true;
  CHECK(t.announce({within_program(), module.frame}) == 1);
  CHECK(t.announce({within_program(), module.frame}) == 0);
  t.known->forget();
  CHECK(t.announce({within_program(), module.frame}) == 1);
  CHECK(t.announce({within_program(), module.frame}) == 0);
}

namespace {

announced_modules* forgetful = nullptr;

/// Meanwhile another recorder attaches.
bool receive_and_forget(relay_target const& to, std::span<std::uint64_t const> first,
                        std::span<std::uint64_t const> rest) noexcept {
  forgetful->forget();
  return receive(to, first, rest);
}

}  // namespace

TEST_CASE("announced_modules: forgotten while a thread announces what came to another's place") {
  target t;
  forgetful = t.known.get();
  for (int round = 0; round < 10; ++round) {
    unloadable_module const module(round % 2 == 0 ? "small_frame" : "large_frame");
    CHECK(t.known->announce(std::vector{module.frame}, t.to,
                            round % 2 == 0 ? &receive : &receive_and_forget));
  }
  unloadable_module const module("small_frame");
  t.known->forget();
  CHECK(t.announce({module.frame}) == 1);
  CHECK(t.announce({module.frame, within_program()}) == 0);
}

TEST_CASE("announced_modules: one in another's place is another, by its build id or its name") {
  auto const [one, other] = GENERATE(std::pair("small_frame", "large_frame"),
                                     std::pair("without_id", "without_id_either"));
  target t;
  std::uintptr_t before = 0;
  int same_place = 0;
  for (int round = 0; round < 10; ++round) {
    unloadable_module const module(round % 2 == 0 ? one : other);
    same_place += module.frame == before;
    before = module.frame;
    // Though the stack's addresses may be those of the last round.
    CHECK(t.announce({within_program(), module.frame}) == 1);
    CHECK(received.back().path == module.path);
    CHECK(t.announce({within_program(), module.frame}) == 0);
  }
  // Else this has tested nothing.
  if (MEMPROF_SANITIZED == 0) CHECK(same_place > 0);
}
