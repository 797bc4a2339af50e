// SPDX-License-Identifier: MIT
// fork while tasks are paused and inside a running one: child and parent both resume, cancel and
// destroy them.
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "memprof/fiber.hpp"
#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

namespace {

struct counts_destructors {
  int& count;
  ~counts_destructors() { ++count; }
};

void go_on(std::vector<memprof::task<int>>& tasks, int& destroyed) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    auto& t = tasks[i];
    if (i % 3 == 0) {
      CHECK(t.cancel() == memprof::task_state::interrupted);
      CHECK(!t.result());
    } else if (i % 3 == 1) {
      while (!t.done()) t.resume();
      CHECK(t.result()->value == static_cast<int>(i));
    }
  }
  tasks.clear();
  CHECK(destroyed == 30);
}

}  // namespace

int main() {
  memprof::set_process_sampling_rate(memprof::sampling_rate{1.0});
  memprof::set_global_memory_limit(10_GiB);
  memprof::set_global_memory_victim(memprof::victim::largest);
  for (int round = 0; round < 20; ++round) {
    int destroyed = 0;
    std::vector<memprof::task<int>> tasks;
    for (int i = 0; i < 30; ++i) {
      tasks.emplace_back(memprof::limits{.memory = 1_GiB, .global_memory = true}, [&destroyed, i] {
        const counts_destructors object{destroyed};
        for (int k = 0; k < 1000; ++k) ::operator delete(::operator new(100));
        return i;
      });
    }
    for (auto& t : tasks) CHECK(t.run_for(1_kw) == memprof::task_state::paused);

    pid_t child = -1;
    memprof::task forker{memprof::limits{.global_memory = true}, [&] {
                           child = fork();
                           CHECK(child >= 0);
                           for (int k = 0; k < 100; ++k) ::operator delete(::operator new(100));
                         }};
    CHECK(forker.resume() == memprof::task_state::finished);
    go_on(tasks, destroyed);
    CHECK(memprof::abandoned_tasks() == 0);
    if (child == 0) {
      memprof::set_global_memory_limit(0_B);
      CHECK(!memprof::limit_global_memory([] { ::operator delete(::operator new(8)); }));
      _exit(33);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 33);
  }
}
