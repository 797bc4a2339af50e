// SPDX-License-Identifier: MIT
#include "tools/run/look_jobs.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/catch2.hpp"

using memprof::tools::look_jobs;
using namespace std::chrono_literals;

namespace {

/// A thread that looks, as the recorder's does, until it is destroyed.
class looking {
 public:
  explicit looking(look_jobs& jobs)
      : thread_([this, &jobs] {
          while (!end_) {
            jobs.work();
            std::this_thread::sleep_for(1ms);
          }
        }) {}
  ~looking() {
    end_ = true;
    thread_.join();
  }
  looking(looking const&) = delete;
  looking& operator=(looking const&) = delete;

  [[nodiscard]] std::thread::id id() const { return thread_.get_id(); }

 private:
  std::atomic<bool> end_{false};
  std::thread thread_;
};

std::string error_of(look_jobs& jobs) {
  try {
    jobs.run([] { FAIL("done all the same"); });
  } catch (std::runtime_error const& e) {
    return e.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("look jobs: done by the thread that looks, before `run` returns") {
  look_jobs jobs;
  const looking recorder(jobs);
  std::thread::id by;
  jobs.run([&] { by = std::this_thread::get_id(); });
  CHECK(by == recorder.id());
}

TEST_CASE("look jobs: many threads at a time") {
  look_jobs jobs;
  const looking recorder(jobs);
  int sum = 0;  // plain: one thread alone adds, and each reads after its job
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) {
          int seen = 0;
          jobs.run([&] { seen = ++sum; });
          if (seen == 0) ++wrong;
        }
      });
    }
  }
  CHECK(wrong == 0);
  CHECK(sum == 800);
}

TEST_CASE("look jobs: what a job throws, its caller gets, and the others are done") {
  look_jobs jobs;
  const looking recorder(jobs);
  std::jthread other([&] {
    for (int i = 0; i < 50; ++i) jobs.run([] {});
  });
  for (int i = 0; i < 50; ++i) {
    CHECK_THROWS_AS(jobs.run([] { throw std::domain_error("no process"); }), std::domain_error);
  }
}

TEST_CASE("look jobs: who waits when the looks end is told so, as whoever comes later") {
  look_jobs jobs;
  std::string waiting;
  bool ended = false;
  {
    const std::jthread caller([&] { waiting = error_of(jobs); });
    const std::jthread sleeper([&] { ended = jobs.wait_for_end(60s); });
    std::this_thread::sleep_for(20ms);
    CHECK_FALSE(jobs.wait_for_end(0s));
    jobs.end();
  }
  CHECK(waiting == "the program has ended");
  CHECK(ended);
  CHECK(error_of(jobs) == "the program has ended");
  CHECK(jobs.wait_for_end(0s));
  jobs.work();  // nothing of theirs is left
}

TEST_CASE("look jobs: nobody looks for five seconds") {
  look_jobs jobs;
  const auto begin = std::chrono::steady_clock::now();
  CHECK(error_of(jobs) == "the recorder is busy");
  CHECK(std::chrono::steady_clock::now() - begin >= 5s);
  jobs.work();  // it was taken back: its caller is gone
}
