// SPDX-License-Identifier: MIT
#include "tracer/thread_number.hpp"

#include <cstdint>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "support/catch2.hpp"

using namespace memprof::tracer;

namespace {

struct told {
  std::vector<named_thread> all;
  bool refuses = false;
  std::uint32_t last_look = first_samples;
  std::uint32_t sample(std::uint32_t session) {
    return number_in_trace(session, last_look, [&](named_thread const& t) {
      if (!refuses) all.push_back(t);
      return !refuses;
    });
  }
};

}  // namespace

TEST_CASE("threads are numbered from 1, and are told once") {
  told here, there;
  const std::uint32_t mine = here.sample(1);
  std::uint32_t other = 0;
  std::uint32_t id = 0;
  std::thread([&] {
    id = static_cast<std::uint32_t>(gettid());
    pthread_setname_np(pthread_self(), "another");
    for (int i = 0; i < 1000; ++i) other = there.sample(1);
  }).join();
  CHECK(mine == 1);
  CHECK(other == 2);
  REQUIRE(here.all.size() == 1);
  CHECK(here.all[0].number == mine);
  CHECK(here.all[0].id == static_cast<std::uint32_t>(gettid()));
  REQUIRE(there.all.size() == 1);
  CHECK(there.all[0].number == other);
  CHECK(there.all[0].id == id);
  CHECK(std::string(there.all[0].name.data()) == "another");
}

TEST_CASE("a name that comes later is seen at sample 2, 4, ... 128") {
  std::thread([&] {
    told t;
    const std::uint32_t number = t.sample(1);
    for (int i = 2; i <= 100; ++i) t.sample(1);
    pthread_setname_np(pthread_self(), "renamed");
    for (int i = 101; i < 128; ++i) t.sample(1);
    CHECK(t.all.size() == 1);
    CHECK(t.sample(1) == number);
    REQUIRE(t.all.size() == 2);
    CHECK(t.all[1].number == number);
    CHECK(std::string(t.all[1].name.data()) == "renamed");
    pthread_setname_np(pthread_self(), "too late");
    for (int i = 0; i < 1000; ++i) t.sample(1);
    CHECK(t.all.size() == 2);
  }).join();
}

TEST_CASE("where later system calls may be filtered, the name at the first sample counts") {
  std::thread([&] {
    told t;
    t.last_look = first_sample;
    t.sample(1);
    pthread_setname_np(pthread_self(), "renamed");
    for (int i = 0; i < 1000; ++i) t.sample(1);
    CHECK(t.all.size() == 1);
  }).join();
}

TEST_CASE("each trace is told, and one that could not be is told at the next sample") {
  std::thread([&] {
    told t;
    const std::uint32_t number = t.sample(1);
    CHECK(t.sample(2) == number);
    CHECK(t.all.size() == 2);
    t.refuses = true;
    CHECK(t.sample(3) == number);
    t.refuses = false;
    CHECK(t.sample(3) == number);
    CHECK(t.all.size() == 3);
  }).join();
}
