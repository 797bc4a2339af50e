// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/catch2.hpp"
#include "tracer/code_names.hpp"
#include "tracer/event_queue.hpp"
#include "tracer/file_name.hpp"
#include "tracer/messages.hpp"
#include "tracer/request.hpp"
#include "tracer/stack_scratch.hpp"
#include "tracer/traced_block.hpp"

using namespace memprof;
using namespace memprof::tracer;

TEST_CASE("event_queue keeps the order, over laps, and says when it is full") {
  event_queue q;
  CHECK_FALSE(q.push({}));
  REQUIRE(q.renew());
  queued_event e;
  CHECK_FALSE(q.pop(e));
  std::uint64_t next_in = 0;
  std::uint64_t next_out = 0;
  for (int lap = 0; lap < 3; ++lap) {
    while (q.push({.time = next_in})) ++next_in;
    CHECK(q.pushed() - q.popped() == event_queue::capacity);
    for (int i = 0; i < 1000 * (lap + 1); ++i) {
      REQUIRE(q.pop(e));
      REQUIRE(e.time == next_out++);
    }
  }
  while (q.pop(e)) REQUIRE(e.time == next_out++);
  CHECK(next_in == next_out);
  CHECK(next_in == event_queue::capacity + 3000);
}

TEST_CASE("event_queue: four threads push, none is lost, each in its order") {
  event_queue q;
  REQUIRE(q.renew());
  constexpr std::uint64_t each = 100'000;
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&q, t] {
      for (std::uint64_t i = 0; i < each; ++i) {
        while (!q.push({.time = i, .tag = t})) std::this_thread::yield();
      }
    });
  }
  std::array<std::uint64_t, 4> next{};
  queued_event e;
  bool in_order = true;
  for (std::uint64_t n = 0; n < each * 4;) {
    if (!q.pop(e)) {
      std::this_thread::yield();
      continue;
    }
    in_order = in_order && e.time == next[e.tag]++;
    ++n;
  }
  for (auto& t : threads) t.join();
  CHECK(in_order);
  CHECK_FALSE(q.pop(e));
}

TEST_CASE("late_list: a record is in it once, with all that is late") {
  late_list late;
  const std::uint32_t a = traced_blocks.acquire();
  const std::uint32_t b = traced_blocks.acquire();
  CHECK(late.take() == 0);
  late.add(a, traced_block::late_promotion, 5);
  late.add(b, traced_block::late_collection, 6);
  late.add(a, traced_block::late_collection, 7);
  CHECK_FALSE(late.empty());
  CHECK(late.take() == b);
  CHECK(traced_blocks[b].next_late == a);
  CHECK(traced_blocks[a].next_late == 0);
  CHECK(traced_blocks[a].late.exchange(0) ==
        (traced_block::late_promotion | traced_block::late_collection));
  CHECK(traced_blocks[a].promoted_at == 5);
  CHECK(traced_blocks[a].collected_at == 7);
  CHECK(late.empty());
  CHECK(traced_blocks[b].late.exchange(0) == traced_block::late_collection);
  traced_blocks.release(a);
  traced_blocks.release(b);
}

TEST_CASE("codes are named by module, address in the file, and build id") {
  auto const modules = std::make_unique<module_list>();
  code_names names(*modules);
  modules->refresh();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  const auto in_libc = reinterpret_cast<std::uintptr_t>(&std::strtol);
  for (const std::uintptr_t address : {here, in_libc}) {
    CHECK(modules->code_of(address) == address);
    const auto found = names.locate(address);
    REQUIRE(found.size() == 1);
    const std::string name(found.front().defname);
    const std::string path(found.front().filename);
    INFO(name);
    CHECK(path.starts_with("/"));
    CHECK(name.starts_with(path.substr(path.rfind('/') + 1) + "+0x"));
    const auto* const module = modules->module_of(address);
    REQUIRE(module != nullptr);
    const auto offset = std::stoull(name.substr(name.rfind("+0x") + 3), nullptr, 16);
    CHECK(offset == address - 1 - module->bias);
    const auto id = name.find('@');
    if (id != std::string::npos) CHECK(name.size() - id == 17);
    CHECK(names.locate(address).front().defname.data() == found.front().defname.data());
  }
  // Of no module; and many, so that the table grows.
  CHECK(names.locate(4096).empty());
  for (std::uintptr_t i = 1; i < 10'000; ++i) CHECK(names.locate(in_libc + i).size() == 1);
  const std::string_view one = names.locate(in_libc + 1).front().defname;
  CHECK(one != names.locate(in_libc + 2).front().defname);
}

TEST_CASE("file names") {
  char name[4096];
  CHECK(expand_process_id("/a/%p.%p%", 77, name));
  CHECK(std::string(name) == "/a/77.77%");
  CHECK_FALSE(expand_process_id(std::string(4096, 'x').c_str(), 1, name));
  CHECK_FALSE(expand_process_id((std::string(4093, 'x') + "%p").c_str(), 1000, name));
  auto const wanted = std::make_unique<settings>();
  CHECK(set_file(*wanted, "a.ctf"));
  CHECK(wanted->file[0] == '/');
  CHECK_FALSE(wanted->for_each_process);
  CHECK(set_file(*wanted, "/x/%p"));
  CHECK(wanted->for_each_process);
  CHECK(std::string(wanted->file.data()) == "/x/%p");
  CHECK_FALSE(set_file(*wanted, ""));
  set_context(*wanted, std::string(10'000, 'c').c_str());
  CHECK(std::string(wanted->context.data()).size() == longest_context);

  std::array<char, longest_message> text;
  REQUIRE(set_file(*wanted, ("/" + std::string(3000, 'y')).c_str()));
  describe({step::write, ENOSPC}, *wanted, text);
  CHECK_THAT(text.data(), Catch::Matchers::EndsWith("...: No space left on device"));
}

TEST_CASE("stack_scratch lends each place once") {
  auto const scratch = std::make_unique<stack_scratch>();
  for (std::size_t i = 0; i < stack_scratch::places; ++i) CHECK(scratch->borrow() == i);
  CHECK(scratch->borrow() == stack_scratch::places);
  scratch->give_back(5);
  CHECK(scratch->borrow() == 5);
  CHECK(scratch->at(5).size() == callstack::largest_stack);
  scratch->forget();
  CHECK(scratch->borrow() == 0);
}
