// SPDX-License-Identifier: MIT
#include "page_server/packed_index.hpp"

#include <cstring>
#include <string>

#include "analysis/trace_source.hpp"
#include "support/catch2.hpp"
#include "unit/offline/page_server/trace_named.hpp"

using namespace memprof::page_server;

TEST_CASE("base64 is that of RFC 4648") {
  CHECK(base64("") == "");
  CHECK(base64("M") == "TQ==");
  CHECK(base64("Ma") == "TWE=");
  CHECK(base64("Man") == "TWFu");
  CHECK(base64("ManMan") == "TWFuTWFu");
  CHECK(base64("\xff\xfe\xfd") == "//79");
}

TEST_CASE("an index is its magic, its head, and aligned columns") {
  const std::string bytes = *trace_named("viewer_test_repo.ctf")->now()->index;
  REQUIRE(bytes.starts_with("memprof1"));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data() + 8, sizeof length);
  REQUIRE(length % 8 == 0);
  const json head = json::parse(bytes.substr(16, length));
  CHECK(head["trace"]["objects"] == 54);
  CHECK(head["trace"]["kept_objects"] == 54);
  CHECK(head["modules"] == json::array({""}));  // of OCaml: functions by their names
  CHECK(head["frames"][0].size() == 7);
  std::size_t size = 16 + length;
  std::string names;
  for (auto const& column : head["columns"]) {
    names += column[0].get<std::string>() + " ";
    const auto type = column[1].get<std::string>();
    const std::size_t width = type == "u8" ? 1 : type == "u16" ? 2 : type == "u32" ? 4 : 8;
    size += (column[2].get<std::size_t>() * width + 7) / 8 * 8;
  }
  CHECK(names == "parent frame length samples first second stack where between change time ");
  CHECK(size == bytes.size());
}

TEST_CASE("stacks that no block has any more are not in the index") {
  const auto file = memprof::test::traces_directory() / "viewer_test_repo.ctf";
  const auto frames = [&](std::size_t most) {
    memprof::analysis::trace_source source(file.string(), false);
    const memprof::analysis::trace_index index(source, nullptr, most);
    const std::string bytes = pack(index, frame_tree(index), json::object());
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + 8, sizeof length);
    return json::parse(bytes.substr(16, length))["columns"][0][2].get<std::size_t>();
  };
  CHECK(frames(10) < frames(1'000'000));
}
