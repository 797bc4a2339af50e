// SPDX-License-Identifier: MIT
#include "http/descriptor.hpp"

#include <fcntl.h>
#include <memory>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "support/catch2.hpp"

using namespace memprof::http;

namespace {

bool is_open(int number) { return fcntl(number, F_GETFD) >= 0; }

descriptor fresh() {
  return descriptor::made_by([] { return eventfd(0, EFD_CLOEXEC); });
}

}  // namespace

TEST_CASE("descriptor: closed when it is destroyed, also if it was moved") {
  int number = -1;
  {
    descriptor first = fresh();
    number = first.get();
    CHECK(is_open(number));
    const descriptor second(std::move(first));
    CHECK(first.get() == -1);  // NOLINT(bugprone-use-after-move)
    CHECK(second.get() == number);
  }
  CHECK_FALSE(is_open(number));
  CHECK(descriptor::made_by([] { return -1; }).get() == -1);
}

TEST_CASE("descriptor: a child has none of them, and leaves the parent's alone") {
  std::vector<std::unique_ptr<descriptor>> all;
  for (int i = 0; i < 5; ++i) all.push_back(std::make_unique<descriptor>(fresh()));
  all.erase(all.begin() + 2);  // in the middle of the list
  const int number = all.front()->get();
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    bool right = !is_open(number) && all.front()->get() == -1;
    const descriptor own = fresh();  // perhaps with that number
    all.clear();
    right = right && is_open(own.get());
    _exit(right ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  for (auto const& d : all) CHECK(is_open(d->get()));
}
