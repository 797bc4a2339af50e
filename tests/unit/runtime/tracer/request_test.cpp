// SPDX-License-Identifier: MIT
#include "tracer/request.hpp"

#include <memory>
#include <string>

#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::tracer;

TEST_CASE("request: a file's name is made absolute, and long texts are cut") {
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
}
