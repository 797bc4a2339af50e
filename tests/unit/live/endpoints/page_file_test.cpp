// SPDX-License-Identifier: MIT
#include "endpoints/page_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/catch2.hpp"

using namespace memprof::endpoints;
namespace fs = std::filesystem;

TEST_CASE("page file: what was chosen comes before the environment, that before the usual places") {
  unsetenv("MEMPROF_PAGE");
  const auto usual = page_file_places();
  REQUIRE_FALSE(usual.empty());
  for (std::string const& place : usual) CHECK(place.ends_with("/memprof/viewer.html"));
  setenv("MEMPROF_PAGE", "/some/page.html", 1);
  CHECK(page_file_places() == std::vector<std::string>{"/some/page.html"});
  choose_page_file("/another/page.html");
  CHECK(page_file_places() == std::vector<std::string>{"/another/page.html"});
  choose_page_file("");
  CHECK(page_file_places() == std::vector<std::string>{"/some/page.html"});
}

TEST_CASE("page file: the prefix of what is installed, and no other folder") {
  CHECK(prefix_of("/opt/x/bin/server") == "/opt/x");
  CHECK(prefix_of("/usr/sbin/server") == "/usr");
  CHECK(prefix_of("/usr/lib64/libmemprof-serve.so.0") == "/usr");
  CHECK(prefix_of("/usr/lib/some-linux-gnu/libmemprof-serve.so.0") == "/usr");
  CHECK(prefix_of("/tmp/job/server").empty());
  CHECK(prefix_of("/tmp/server").empty());
  CHECK(prefix_of("").empty());
}

TEST_CASE("page file: the first that is a file, and not a huge one") {
  char name[] = "/tmp/memprof_page_XXXXXX";
  const fs::path folder = mkdtemp(name);
  const fs::path page = folder / "page.html", huge = folder / "huge.html";
  std::ofstream(page) << "<!doctype html>";
  std::ofstream(huge) << "<!doctype html>";
  fs::resize_file(huge, (16 << 20) + 1);
  CHECK(read_page_file({folder / "none", folder, "/dev/zero", huge, page}) == "<!doctype html>");
  CHECK(read_page_file({folder, huge}) == std::nullopt);
  fs::remove_all(folder);
}
