// SPDX-License-Identifier: MIT
//
// Traces of memtrace, read and written again; the .json beside each says what memtrace's tools made
// of them. MEMPROF_TRACES names a folder with more of them.
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "memprof/trace/reader.hpp"
#include "memprof/trace/writer.hpp"

#include "support/catch2.hpp"
#include "support/sha256.hpp"
#include "support/trace_facts.hpp"
#include "support/traces.hpp"

using namespace memprof::trace;
using memprof::test::sha256;

namespace {

/// What memtrace's tools do to copy a trace.
std::string copy(std::filesystem::path const& file, int version) {
  reader in(file);
  info about = in.info();
  about.version = version;
  std::string out;
  writer to(
      [&](std::span<std::byte const> packet) {
        out.append(reinterpret_cast<char const*>(packet.data()), packet.size());
      },
      about, [&](location_code code) { return in.locations(code); });
  std::unordered_map<object_id, object_id> ids;
  for (event e; in.next(e);) {
    if (e.kind == event_kind::allocation) {
      ids[e.object] = to.put(e);
    } else {
      e.object = ids.at(e.object);
      to.put(e);
    }
  }
  to.close();
  return out;
}

}  // namespace

TEST_CASE("golden traces are read as memtrace reads them") {
  for (auto const& file : memprof::test::traces_in(memprof::test::traces_directory())) {
    INFO(file);
    auto const facts = memprof::test::facts_of(file);
    reader trace(file);
    CHECK(trace.info().version == facts["version"]);
    CHECK(trace.info().sample_rate == facts["info"]["sample_rate"]);
    CHECK(trace.info().word_bits == facts["info"]["word_size"]);
    CHECK(trace.info().host_name == facts["info"]["host_name"].get<std::string>());
    auto const& context = facts["info"]["context"];
    CHECK(trace.info().context == (context.is_string() ? context.get<std::string>() : ""));
    CHECK(trace.info().pid == facts["info"]["pid"]);
    CHECK(trace.info().start_time.time_since_epoch().count() == facts["info"]["start_time"]);
    sha256 sum;
    std::uint64_t lines = 0;
    for (event e; trace.next(e); ++lines) sum.add(memprof::test::dump_line(trace, e));
    CHECK(lines == facts["dump"]["lines"]);
    CHECK(sum.hex() == facts["dump"]["sha256"].get<std::string>());
    CHECK(trace.notices().empty());
    CHECK(trace.bytes_read() == trace.size_bytes());
  }
}

TEST_CASE("without backtraces the events are the same") {
  for (auto const& file : memprof::test::traces_in(memprof::test::traces_directory())) {
    INFO(file);
    reader with(file);
    reader without(file, {.backtraces = false});
    event a;
    event b;
    bool same = true;
    while (with.next(a)) {
      same &= without.next(b) && a.kind == b.kind && a.source == b.source && a.domain == b.domain &&
              a.time == b.time && a.object == b.object && a.length == b.length &&
              a.n_samples == b.n_samples && a.common_prefix == b.common_prefix &&
              b.backtrace.empty();
    }
    CHECK(same);
    CHECK_FALSE(without.next(b));
  }
}

TEST_CASE("a copy has the bytes that memtrace's tools write") {
  for (auto const& file : memprof::test::traces_in(memprof::test::traces_directory())) {
    auto const facts = memprof::test::facts_of(file);
    for (auto const& [how, result] : facts["rewritten"].items()) {
      if (!how.starts_with("copy")) continue;
      INFO(file << ": " << how);
      std::string const out = copy(file, how.find("version 3") != how.npos ? 3 : 2);
      CHECK(out.size() == result["bytes"]);
      sha256 sum;
      sum.add(out);
      CHECK(sum.hex() == result["sha256"].get<std::string>());
    }
  }
}
