// SPDX-License-Identifier: MIT
#include "tracer/file_name.hpp"

#include <string>

#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::tracer;

TEST_CASE("file_name: %p becomes the process id, in names that fit") {
  char name[4096];
  CHECK(expand_process_id("/a/%p.%p%", 77, name));
  CHECK(std::string(name) == "/a/77.77%");
  CHECK(expand_process_id(std::string(4095, 'x').c_str(), 1, name));
  CHECK(std::string(name).size() == 4095);
  CHECK_FALSE(expand_process_id(std::string(4096, 'x').c_str(), 1, name));
  CHECK_FALSE(expand_process_id((std::string(4093, 'x') + "%p").c_str(), 1000, name));
}
