// SPDX-License-Identifier: MIT
//
// What the writer refuses, and what becomes of it when a packet cannot be written.
#include "memprof/trace/writer.hpp"

#include <filesystem>
#include <limits>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "memprof/trace/reader.hpp"

#include "support/catch2.hpp"

using namespace memprof::trace;
using namespace std::chrono_literals;

namespace {

info valid() {
  info about;
  about.sample_rate = 0.5;
  return about;
}

std::span<location const> nowhere(location_code) { return {}; }
void nothing(std::span<std::byte const>) {}

}  // namespace

TEST_CASE("a trace-info that the format cannot hold is refused, by the member's name") {
  auto const refused = [](info const& about, char const* member) {
    CHECK_THROWS_WITH(writer(nothing, about, nowhere), Catch::Matchers::ContainsSubstring(member));
    CHECK_THROWS_AS(writer(nothing, about, nowhere), std::invalid_argument);
  };
  for (int version : {-1, 0, 1, 4}) {
    info about = valid();
    about.version = version;
    refused(about, "info.version");
  }
  for (double rate : {0.0, -0.5, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    info about = valid();
    about.sample_rate = rate;
    refused(about, "info.sample_rate");
  }
  info about = valid();
  about.word_bits = 16;
  refused(about, "info.word_bits");
  about = valid();
  about.version = 2;
  about.initial_domain = 1;
  refused(about, "info.initial_domain");
  about = valid();
  about.start_time -= std::chrono::years(60);
  refused(about, "info.start_time");
  about = valid();
  about.context.assign(40000, 'x');
  refused(about, "info");
}

TEST_CASE("an event that the format cannot hold is refused, and the trace goes on") {
  std::vector<std::byte> file;
  writer to([&](std::span<std::byte const> p) { file.insert(file.end(), p.begin(), p.end()); },
            valid(), nowhere);
  location_code const stack[] = {1, 2, 3};
  auto const id = to.allocation(1us, heap::minor, 3, 1, stack);
  constexpr std::uint64_t huge = std::uint64_t{1} << 63;
  CHECK_THROWS_AS(to.allocation(2us, heap::minor, huge, 1, stack), std::invalid_argument);
  CHECK_THROWS_AS(to.allocation(2us, heap::minor, 1, huge, stack), std::invalid_argument);
  CHECK_THROWS_AS(to.allocation(2us, heap::minor, 1, 0, stack), std::invalid_argument);
  location_code const empty_slot[] = {0};
  CHECK_THROWS_AS(to.allocation(2us, heap::minor, 1, 1, empty_slot), std::invalid_argument);
  to.collection(3us, id);
  to.close();
  std::filesystem::path const name =
      std::filesystem::temp_directory_path() / ("memprof-writer-" + std::to_string(::getpid()));
  {
    writer again(name, valid(), nowhere);
    again.collection(3us, again.allocation(1us, heap::minor, 3, 1, stack));
    again.close();
  }
  reader trace(name);
  event e;
  REQUIRE(trace.next(e));
  CHECK(e.length == 3);
  CHECK(std::filesystem::file_size(name) == file.size());
  std::filesystem::remove(name);
}

TEST_CASE("what a sink or a lookup throws comes out, and the writer is useless then") {
  bool full = false;
  writer to(
      [&](std::span<std::byte const>) {
        if (full) throw std::system_error(ENOSPC, std::generic_category());
      },
      valid(), nowhere);
  location_code const stack[] = {1};
  to.allocation(1us, heap::minor, 3, 1, stack);
  full = true;
  CHECK_THROWS_AS(to.close(), std::system_error);
  full = false;
  CHECK_THROWS(to.close());

  writer lost(nothing, valid(),
              [](location_code) -> std::span<location const> { throw std::out_of_range("lost"); });
  lost.allocation(1us, heap::minor, 3, 1, stack);
  CHECK_THROWS_WITH(lost.close(), "lost");
}

TEST_CASE("a file that cannot be written is an error that names it") {
  CHECK_THROWS_AS(writer("/nowhere/to/be.written", valid(), nowhere), std::system_error);
  CHECK_THROWS_WITH(writer("/nowhere/to/be.written", valid(), nowhere),
                    Catch::Matchers::ContainsSubstring("/nowhere/to/be.written"));
  auto const write_to_full = [] { writer("/dev/full", valid(), nowhere).close(); };
  CHECK_THROWS_AS(write_to_full(), std::system_error);
}
