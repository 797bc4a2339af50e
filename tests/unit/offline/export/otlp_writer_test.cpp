// SPDX-License-Identifier: MIT
#include "export/otlp_writer.hpp"

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch2.hpp"

using namespace memprof;

namespace {

/// The fields of a message, read apart from the writer: by number, in their order.
struct fields {
  struct field {
    std::uint64_t number;
    std::uint64_t value = 0;
    std::string bytes;
  };
  std::vector<field> all;

  explicit fields(std::string const& text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::uint64_t key = varint(text, at);
      field f{.number = key / 8, .value = 0, .bytes = {}};
      if (key % 8 == 0) {
        f.value = varint(text, at);
      } else {
        const std::uint64_t size = key % 8 == 1 ? 8 : varint(text, at);
        REQUIRE(at + size <= text.size());
        f.bytes = text.substr(at, size);
        at += size;
      }
      all.push_back(f);
    }
  }

  [[nodiscard]] std::vector<std::string> texts(std::uint64_t number) const {
    std::vector<std::string> result;
    for (field const& f : all) {
      if (f.number == number) result.push_back(f.bytes);
    }
    return result;
  }
  [[nodiscard]] fields only(std::uint64_t number) const {
    const auto found = texts(number);
    REQUIRE(found.size() == 1);
    return fields(found[0]);
  }
  [[nodiscard]] std::uint64_t number(std::uint64_t number) const {
    for (field const& f : all) {
      if (f.number == number) return f.value;
    }
    return 0;
  }
  [[nodiscard]] std::vector<std::uint64_t> packed(std::uint64_t number) const {
    std::vector<std::uint64_t> result;
    for (std::string const& text : texts(number)) {
      for (std::size_t at = 0; at < text.size();) result.push_back(varint(text, at));
    }
    return result;
  }

  static std::uint64_t varint(std::string const& text, std::size_t& at) {
    std::uint64_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(text.at(at++));
      n |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return n;
    }
  }
};

using numbers = std::vector<std::uint64_t>;

/// Two stacks: f called by main, once with blocks of 64 and once of 128 bytes, of which those are
/// freed; and main alone.
fields written() {
  trace::info process;
  process.executable_name = "/bin/prog";
  process.pid = 17;
  std::ostringstream out;
  exports::otlp_writer writer(out, process);
  const std::uint64_t module = writer.mapping_id({.file = "/bin/prog", .build_id = "abcd"});
  CHECK(writer.mapping_id({.file = "/bin/prog", .build_id = "abcd"}) == module);
  const std::vector<pprof::line> inlined{{"f", "f.cpp", 3, {}}, {"g", "f.cpp", 9, "_Z1gv"}};
  const std::vector<pprof::line> main_line{{"main", "main.cpp", 5, {}}};
  const std::uint64_t f = writer.add_location(module, 0x1234, inlined);
  const std::uint64_t main = writer.add_location(module, 0x2345, main_line);
  const std::vector<std::uint64_t> deep{f, main}, shallow{main};
  writer.add_sample(deep, {10, 640, 5, 320}, 64);
  writer.add_sample(deep, {1, 128, 0, 0}, 128);
  writer.add_sample(shallow, {2, 128, 2, 128}, 64);
  writer.add_sample(shallow, {0, 0, 0, 0}, 64);
  writer.finish({.time_nanoseconds = 1'700'000'000'000'000'000,
                 .duration_nanoseconds = 5'000'000'000,
                 .period = 8000,
                 .default_type = "alloc_space",
                 .comments = {"a comment"}});
  return fields(out.str());
}

}  // namespace

TEST_CASE("otlp_writer: tables begin with an empty element, and have each thing once") {
  const fields dictionary = written().only(2);
  for (const std::uint64_t table : {1u, 2u, 3u, 4u, 5u, 6u, 7u}) {
    INFO(table);
    REQUIRE_FALSE(dictionary.texts(table).empty());
    CHECK(dictionary.texts(table)[0].empty());
  }
  const auto strings = dictionary.texts(5);
  const auto mapping = fields(dictionary.texts(1).at(1));
  CHECK(strings.at(mapping.number(4)) == "/bin/prog");
  const auto build_id = fields(dictionary.texts(6).at(mapping.packed(5).at(0)));
  CHECK(strings.at(build_id.number(1)) == "process.executable.build_id.gnu");
  CHECK(build_id.only(2).texts(1) == std::vector<std::string>{"abcd"});

  REQUIRE(dictionary.texts(2).size() == 3);
  const auto location = fields(dictionary.texts(2)[1]);
  CHECK(location.number(1) == 1);
  CHECK(location.number(2) == 0x1234);
  REQUIRE(location.texts(3).size() == 2);  // inlined calls, innermost first
  const auto line = fields(location.texts(3)[1]);
  CHECK(line.number(2) == 9);
  const auto function = fields(dictionary.texts(3).at(line.number(1)));
  CHECK(strings.at(function.number(1)) == "g");
  CHECK(strings.at(function.number(2)) == "_Z1gv");
  CHECK(strings.at(function.number(3)) == "f.cpp");

  REQUIRE(dictionary.texts(7).size() == 3);
  CHECK(fields(dictionary.texts(7)[1]).packed(1) == numbers{1, 2});
  CHECK(fields(dictionary.texts(7)[2]).packed(1) == numbers{2});
}

TEST_CASE("otlp_writer: a profile for each value, the default one first") {
  const fields whole = written();
  const auto dictionary = whole.only(2);
  const auto strings = dictionary.texts(5);
  const auto resource = whole.only(1).only(1);
  CHECK(resource.texts(1).size() == 3);  // path, name, pid
  const auto scope = whole.only(1).only(2);
  CHECK(scope.only(1).texts(1) == std::vector<std::string>{"memprof"});
  const auto profiles = scope.texts(2);
  REQUIRE(profiles.size() == 4);
  const std::vector<std::string> types{"alloc_space", "alloc_objects", "inuse_objects",
                                       "inuse_space"};
  const std::vector<numbers> values{{640, 128, 128}, {10, 1, 2}, {5, 2}, {320, 128}};
  for (std::size_t i = 0; i < 4; ++i) {
    const fields profile(profiles[i]);
    INFO(types[i]);
    CHECK(strings.at(profile.only(1).number(1)) == types[i]);
    CHECK(profile.number(4) == 5'000'000'000);
    CHECK(profile.number(6) == 8000);
    CHECK(profile.texts(3) ==
          std::vector<std::string>{std::string("\x00\x00\x2a\x36\xfe\x9c\x97\x17", 8)});
    numbers found;
    for (std::string const& text : profile.texts(2)) {
      const fields sample(text);
      found.push_back(sample.packed(4).at(0));
      const auto size = fields(dictionary.texts(6).at(sample.packed(2).at(0)));
      CHECK(strings.at(size.number(1)) == "bytes");
    }
    CHECK(found == values[i]);
  }
  const fields first(profiles[0]);
  const auto samples = first.texts(2);
  CHECK(fields(samples[0]).number(1) == 1);
  CHECK(fields(samples[1]).number(1) == 1);
  CHECK(fields(samples[2]).number(1) == 2);
  const auto size = fields(dictionary.texts(6).at(fields(samples[1]).packed(2).at(0)));
  CHECK(size.only(2).number(3) == 128);
  const auto comment = fields(dictionary.texts(6).at(first.packed(11).at(0)));
  CHECK(strings.at(comment.number(1)) == "pprof.profile.comment");
}
