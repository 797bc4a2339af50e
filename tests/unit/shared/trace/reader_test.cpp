// SPDX-License-Identifier: MIT
//
// Files that are no good: what is said of them, and how much of them is read nevertheless.
#include "memprof/trace/reader.hpp"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>
#include <unistd.h>

#include "support/catch2.hpp"
#include "support/traces.hpp"

using namespace memprof::trace;

namespace {

struct outcome {
  std::uint64_t events = 0;
  std::string error;
  std::size_t notices = 0;
};

template <typename Open>
outcome read_all(Open const& open) {
  outcome result;
  try {
    reader trace = open();
    bool in_next = true;
    event e;
    try {
      while (trace.next(e)) {
        in_next = false;
        memprof::test::dump_line(trace, e);
        ++result.events;
        in_next = true;
      }
    } catch (format_error const& error) {
      result.error = error.what();
      if (in_next) CHECK_FALSE(trace.next(e));
    }
    result.notices = trace.notices().size();
  } catch (format_error const& error) {
    result.error = error.what();
  }
  return result;
}

outcome read_file(std::filesystem::path const& file, reader_options options) {
  return read_all([&] { return reader(file, options); });
}

/// Through a pipe, some bytes at a time.
outcome read_bytes(std::string const& bytes, reader_options options = {}) {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  std::jthread const feeder([&, to = ends[1]] {
    for (std::size_t i = 0; i < bytes.size(); i += 1000) {
      if (::write(to, bytes.data() + i, std::min<std::size_t>(1000, bytes.size() - i)) < 0) break;
    }
    ::close(to);
  });
  return read_all([&] { return reader(ends[0], "pipe", options); });
}

}  // namespace

TEST_CASE("damaged traces are answered as advised") {
  auto const directory = memprof::test::traces_directory() / "bad";
  auto const expected = nlohmann::json::parse(memprof::test::contents(directory / "expected.json"));
  for (auto const& file : memprof::test::traces_in(directory)) {
    INFO(file);
    auto const name = file.filename().string();
    REQUIRE(expected.contains(name));
    auto const& facts = expected[name];
    std::string const advice = facts["advice"];
    outcome const normal = read_file(file, {});
    outcome const fast = read_file(file, {.backtraces = false});
    outcome const recovered = read_file(file, {.recover = true});
    outcome const both = read_file(file, {.backtraces = false, .recover = true});
    bool const rejects = !normal.error.empty();
    bool const may_warn = advice.find("warn") != advice.npos;
    if (advice.find("must reject") != advice.npos) CHECK((rejects || (may_warn && normal.notices)));
    if (advice.starts_with("should reject")) CHECK(rejects);
    if (advice.find("must accept") != advice.npos || facts["outcome"] == "accepted") {
      if (advice.find("reject") == advice.npos) CHECK_FALSE(rejects);
    }
    if (advice.starts_with("must warn") || advice.find("tell the user") != advice.npos) {
      CHECK((rejects || normal.notices > 0));
    }
    if (advice.find("after all events") != advice.npos) {
      CHECK(normal.events == facts["events_before"]);
    }
    if (rejects) {
      CHECK(normal.error.starts_with(file.string() + ": "));
      CHECK(normal.error.find(" at byte ") != normal.error.npos);
    }
    CHECK(fast.events >= normal.events);
    // Only a trace with a bad beginning cannot be recovered.
    if (recovered.error.empty()) {
      CHECK(recovered.events >= normal.events);
      if (rejects) CHECK(recovered.notices > 0);
      CHECK(both.error.empty());
    } else {
      CHECK(normal.events == 0);
    }
  }
}

TEST_CASE("an error says what is wrong") {
  static constexpr char const* texts[][2] = {
      {"empty_file", "the file is empty"},
      {"info_payload_cut", "the file ends within its first packet"},
      {"text_file", "this is not the beginning of a packet"},
      {"version_4", "version 4 of the format is not known"},
      {"packet_size_zero", "a packet of 0 bits"},
      {"begin_after_end", "a packet ends before it begins"},
      {"ids_begin_after_end", "the object ids of a packet go backwards"},
      {"ids_end_too_high", "the object ids of a packet end at"},
      {"cache_verifier_wrong", "the cache of backtraces is not as it was"},
      {"end_below_an_event", "an event's time is not within that of its packet"},
      {"unknown_event_5", "unknown event code 5"},
      {"unknown_event_117", "unknown event code 117"},
      {"second_trace_info", "a second trace-info"},
      {"first_packet_is_not_trace_info", "the first packet does not begin with the trace-info"},
      {"trace_info_with_extra_byte", "something follows the trace-info in its packet"},
      {"source_3", "an allocation from an unknown source"},
      {"promote_negative_delta", "an object is promoted before it is allocated"},
      {"collect_id_below_zero", "a negative object id"},
      {"alloc_cut_inside_codewords", "an event runs over the end of its packet"},
      {"location_inconsistent", "a code is announced again with other locations"},
      {"location_mtf_index_empty", "refers to the name of a file that was never announced"},
      {"location_string_without_end", "a text without an end"},
      {"code_without_location", "are missing from the trace"},
      {"length_negative", "a block of negative length"},
      {"nsamples_0", "an allocation without samples"},
      {"prefix_negative", "a negative common prefix"},
  };
  auto const directory = memprof::test::traces_directory() / "bad";
  std::size_t met = 0;
  for (auto const& [name, text] : texts) {
    for (char const* const of : {"flushes.", "rare."}) {
      auto const file = directory / (std::string(of) + name + ".ctf");
      if (!std::filesystem::exists(file)) continue;
      INFO(file);
      ++met;
      CHECK_THAT(read_file(file, {}).error, Catch::Matchers::ContainsSubstring(text));
    }
  }
  CHECK(met >= std::size(texts));
}

TEST_CASE("a trace that is cut anywhere gives its events up to there") {
  std::string const whole =
      memprof::test::contents(memprof::test::traces_directory() / "flushes.ctf");
  std::uint64_t before = 0;
  for (std::size_t size = 114; size <= whole.size(); ++size) {
    INFO(size);
    outcome const cut = read_bytes(whole.substr(0, size));
    REQUIRE(cut.error.empty());
    REQUIRE(cut.events >= before);
    before = cut.events;
  }
  CHECK(before == 14);
}

TEST_CASE("any change of any byte is survived, and recovered from") {
  std::string const whole = memprof::test::contents(memprof::test::traces_directory() / "tiny.ctf");
  std::mt19937 random(5);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    INFO(at);
    std::string changed = whole;
    changed[at] = static_cast<char>(random());
    read_bytes(changed);
    read_bytes(changed, {.backtraces = false});
    outcome const recovered = read_bytes(changed, {.recover = true});
    // The trace-info alone is needed; it ends at byte 170.
    if (at >= 170) {
      REQUIRE(recovered.error.empty());
    }
  }
}

TEST_CASE("a file that is not there") {
  CHECK_THROWS_AS(reader("/nowhere/to/be.found"), std::system_error);
  CHECK_THROWS_AS(reader(-1, "nothing"), std::system_error);
}
