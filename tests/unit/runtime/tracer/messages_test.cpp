// SPDX-License-Identifier: MIT
#include "tracer/messages.hpp"

#include <array>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include "support/catch2.hpp"
#include "tracer/request.hpp"

using namespace memprof;
using namespace memprof::tracer;

TEST_CASE("messages: a long file name leaves room for the reason") {
  auto const wanted = std::make_unique<settings>();
  std::array<char, longest_message> text;
  REQUIRE(set_file(*wanted, ("/" + std::string(3000, 'y')).c_str()));
  describe({step::write, ENOSPC}, *wanted, text);
  CHECK_THAT(text.data(), Catch::Matchers::EndsWith("...: No space left on device"));
}

TEST_CASE("messages: a file name of 255 characters is whole, a longer one is not") {
  auto const wanted = std::make_unique<settings>();
  std::array<char, longest_message> text;
  const std::string longest = "/" + std::string(253, 'y') + "z";
  REQUIRE(set_file(*wanted, longest.c_str()));
  describe({step::write, ENOSPC}, *wanted, text);
  CHECK(std::string_view{text.data()}.find(longest + ": ") != std::string_view::npos);
  REQUIRE(set_file(*wanted, ("/" + longest).c_str()));
  describe({step::write, ENOSPC}, *wanted, text);
  CHECK(std::string_view{text.data()}.find("y...: ") != std::string_view::npos);
}

TEST_CASE("messages: the longest one comes to standard error whole") {
  const std::string text(longest_message - 1, 'm');
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    _exit(say_to_program(text.c_str()) ? 0 : 3);  // 3: this kernel gives no descriptor away
  }
  close(ends[1]);
  std::string said;
  char part[1000];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;)
    said.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 3) return;
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(said == "memprof: " + text + "\n");
}
