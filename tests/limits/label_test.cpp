// SPDX-License-Identifier: MIT
//
// memprof::label: sampled blocks carry the labels of their thread or task.
#include "memprof/label.hpp"

#include <new>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "memprof/memprof.hpp"

#include "limits/labels_now.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

TEST_CASE("label: labels nest, and the innermost of a key hides the others", "[label]") {
  CHECK(current_label_set() == 0);
  CHECK(labels_now().empty());
  {
    label const tenant{"tenant", "a"};
    std::uint32_t const outer = current_label_set();
    CHECK(labels_now() == pairs{{"tenant", "a"}});
    {
      label const request{"request", "GET /x"};
      label const other{"tenant", "b"};
      CHECK(labels_now() == pairs{{"tenant", "b"}, {"request", "GET /x"}});
    }
    CHECK(current_label_set() == outer);
    CHECK(in_thread([] { return current_label_set(); }) == 0);
  }
  CHECK(current_label_set() == 0);
  label const again{"tenant", "a"};
  CHECK(labels_now() == pairs{{"tenant", "a"}});
  CHECK(labels_of(1024).empty());
}

TEST_CASE("label: samples have the labels of the allocation", "[label]") {
  exactly fixture;
  std::vector<std::uint32_t> seen;
  seen.reserve(10);
  auto p = start(sampling_rate{1.0}, tracker<int, int>{.alloc_minor = [&](allocation const& a) {
                   seen.push_back(a.labels);
                   return std::optional<int>{};
                 }});
  release(allocate(small_block), small_block);
  std::uint32_t set = 0;
  {
    label const l{"request", "samples"};
    set = current_label_set();
    release(allocate(small_block), small_block);
  }
  release(allocate(small_block), small_block);
  p.stop();
  CHECK(seen == std::vector<std::uint32_t>{0, set, 0});
}

TEST_CASE("label: those of a task that hops go with it", "[label]") {
  budget account({});
  budget_handle const task = account.handle();
  std::optional<label> in_task;
  label const mine{"thread", "first"};
  std::uint32_t const here = current_label_set();
  std::uint32_t part = 0;
  task.resume([&] {
    in_task.emplace("request", "hops");
    part = current_label_set();
  });
  CHECK(part != here);
  CHECK(current_label_set() == here);
  in_thread([&] {
    label const theirs{"thread", "second"};
    std::uint32_t const there = current_label_set();
    std::uint32_t inside = 0, after = 0;
    task.resume([&] {
      inside = current_label_set();
      in_task.reset();
      after = current_label_set();
    });
    CHECK(inside == part);
    CHECK(after == here);  // what was around it where it began
    CHECK(current_label_set() == there);
  });
  task.resume([&] { part = current_label_set(); });
  CHECK(part == here);
}

TEST_CASE("label: one that ends outside of its task changes nobody's labels", "[label]") {
  budget account({});
  std::optional<label> in_task;
  account.handle().resume([&] { in_task.emplace("request", "ends outside"); });
  label const mine{"thread", "bystander"};
  std::uint32_t const here = current_label_set();
  in_task.reset();
  CHECK(current_label_set() == here);
}

TEST_CASE("label: one that never ends, as after longjmp, ends with that around it", "[label]") {
  {
    label const tenant{"tenant", "jumps"};
    alignas(label) unsigned char memory[sizeof(label)];
    ::new (static_cast<void*>(memory)) label{"request", "is left"};
    CHECK(labels_now() == pairs{{"request", "is left"}, {"tenant", "jumps"}});
  }
  CHECK(current_label_set() == 0);
  std::optional<label> first, second;
  first.emplace("a", "ends first");
  second.emplace("b", "ends second");
  first.reset();
  second.reset();
  CHECK(current_label_set() == 0);
}

TEST_CASE("label: a forked child keeps them", "[label]") {
  label const l{"request", "forks"};
  pid_t const child = fork();
  if (child == 0) {
    bool const right = labels_now() == pairs{{"request", "forks"}};
    label const more{"child", "new"};
    _exit(right && labels_now().size() == 2 ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("label: many threads make the same and other ones", "[label]") {
  std::vector<std::vector<pairs>> seen(4);
  in_threads(seen.size(), [&](std::size_t t) {
    for (int i = 0; i < 50; ++i) {
      label const common{"n", std::to_string(i)};
      label const own{"t", std::to_string(t)};
      seen[t].push_back(labels_now());
    }
  });
  for (std::size_t t = 0; t < seen.size(); ++t) {
    for (std::size_t i = 0; i < seen[t].size(); ++i) {
      CHECK(seen[t][i] == pairs{{"t", std::to_string(t)}, {"n", std::to_string(i)}});
    }
  }
}

// The last one: it uses up all sets of the process.
TEST_CASE("label: what finds no room is left out, and long texts are cut", "[label]") {
  {
    label const l{std::string(1000, 'k'), std::string(1000, 'v')};
    CHECK(labels_now() == pairs{{std::string(40, 'k'), std::string(200, 'v')}});
  }
  std::uint64_t const before = labels_left_out();
  for (int i = 0; i < 2000; ++i) label const l{"id", std::to_string(i)};
  CHECK(labels_left_out() - before >= 2000 - 1023);
  CHECK(labels_left_out() - before < 2000);
  label const l{"id", "one too many"};
  CHECK(labels_now().empty());
}

}  // namespace
}  // namespace memprof::test
