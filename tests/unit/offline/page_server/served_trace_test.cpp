// SPDX-License-Identifier: MIT
#include "page_server/served_trace.hpp"

#include <filesystem>
#include <string>
#include <unistd.h>

#include "support/catch2.hpp"
#include "support/traces.hpp"

using namespace memprof::page_server;

TEST_CASE("what is not there yet is empty, and comes") {
  const auto folder =
      std::filesystem::temp_directory_path() / ("memprof-serve-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const auto file = folder / "a.ctf";
  served_trace trace(trace_options{
      .file = file.string(), .recover = false, .awaited = true, .names = nullptr, .version = "1"});
  auto const nothing = trace.now();
  CHECK(nothing->facts["objects"] == 0);
  CHECK(nothing->generation == 1);
  CHECK(trace.growing());
  CHECK_FALSE(trace.refresh());
  std::filesystem::copy_file(memprof::test::traces_directory() / "tiny.ctf", file);
  CHECK(trace.refresh());
  CHECK_FALSE(trace.refresh());
  CHECK(trace.now()->facts["objects"] == 6);
  CHECK(trace.now()->generation == 2);
  CHECK(nothing->facts["objects"] == 0);  // who still reads it is not disturbed
  CHECK(nothing->index->find("memprof1") == 0);
  const auto other = folder / "b.ctf";
  std::filesystem::copy_file(memprof::test::traces_directory() / "flushes.ctf", other);
  trace.follow(other.string());
  CHECK(trace.refresh());
  CHECK(trace.now()->facts["file"] == "b.ctf");
  CHECK(trace.now()->index->find("\"generation\":3") != std::string::npos);
  std::filesystem::remove_all(folder);
}
