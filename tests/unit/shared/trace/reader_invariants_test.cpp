// SPDX-License-Identifier: MIT
//
// The counts in the .json beside each golden trace: of events as the reader gives them, and of
// packets as they lie in the file, which a walk of its own here takes apart.
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <unordered_map>
#include <vector>

#include "memprof/trace/reader.hpp"

#include "support/catch2.hpp"
#include "support/trace_facts.hpp"
#include "support/traces.hpp"

using namespace memprof::trace;

static_assert(std::endian::native == std::endian::little);

namespace {

/// Takes numbers from bytes, as section 2 of the format's description has them.
class cursor {
 public:
  explicit cursor(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
  template <typename Integer>
  Integer take() {
    Integer value;
    REQUIRE(bytes_.size() - at_ >= sizeof value);
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  void skip_vint() {
    auto const tag = take<std::uint8_t>();
    at_ += tag == 253 ? 2 : tag == 254 ? 4 : tag == 255 ? 8 : 0;
  }
  void skip_text() { at_ = bytes_.find('\0', at_) + 1; }
  std::string_view take_bytes(std::size_t size) {
    REQUIRE(bytes_.size() - at_ >= size);
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

struct packet_counts {
  std::size_t total = 0, info = 0, location = 0, event = 0, empty = 0, largest = 0;
  std::uint64_t longest_span = 0;
  std::size_t locations = 0;
  std::array<std::size_t, 4> codewords{};
  std::unordered_map<std::uint64_t, std::size_t> announced;
};

void count_codewords(cursor& in, std::size_t n, packet_counts& counts) {
  for (std::size_t i = 0; i < n; ++i) {
    unsigned const tag = in.take<std::uint16_t>() & 3;
    ++counts.codewords[tag];
    if (tag == 2) in.take<std::uint8_t>();
    if (tag == 3) in.take<std::uint64_t>();
  }
}

void count_location(cursor& in, packet_counts& counts) {
  ++counts.locations;
  ++counts.announced[in.take<std::uint64_t>()];
  for (unsigned n = in.take<std::uint8_t>(); n > 0; --n) {
    std::uint64_t const low = in.take<std::uint32_t>();
    std::uint64_t const packed = low | std::uint64_t{in.take<std::uint16_t>()} << 32;
    if ((packed >> 38 & 31) == 31) in.skip_text();
    if ((packed >> 43 & 31) == 31) in.skip_text();
  }
}

void count_packet(std::string_view packet, packet_counts& counts) {
  cursor head(packet);
  head.take_bytes(8);
  auto const begin = head.take<std::uint64_t>();
  auto const end = head.take<std::uint64_t>();
  head.take_bytes(4);
  std::size_t const header_size = head.take<std::uint16_t>() >= 3 ? 68 : 66;
  ++counts.total;
  counts.largest = std::max(counts.largest, packet.size());
  counts.longest_span = std::max(counts.longest_span, end - begin);
  cursor in(packet.substr(header_size));
  bool first = true;
  for (; !in.at_end(); first = false) {
    unsigned const id = in.take<std::uint32_t>() >> 25;
    if (id == 0) {
      ++counts.info;
      return;
    }
    if (first) ++(id == 1 ? counts.location : counts.event);
    if (id == 1) {
      count_location(in, counts);
    } else if (id == 3 || id == 4) {
      in.skip_vint();
    } else if (id == 2) {
      in.skip_vint();
      in.skip_vint();
      in.take<std::uint8_t>();
      in.skip_vint();
      count_codewords(in, in.take<std::uint16_t>(), counts);
    } else {
      REQUIRE(id > 100);
      in.skip_vint();
      count_codewords(in, in.take<std::uint8_t>(), counts);
    }
  }
  if (first) ++counts.empty;
}

packet_counts count_packets(std::string_view file) {
  packet_counts counts;
  for (std::size_t at = 0; at < file.size();) {
    std::size_t const size = cursor(file.substr(at + 4)).take<std::uint32_t>() / 8;
    REQUIRE(size >= 66);
    REQUIRE(size <= file.size() - at);
    count_packet(file.substr(at, size), counts);
    at += size;
  }
  return counts;
}

}  // namespace

TEST_CASE("packets of golden traces lie where their .json files say") {
  for (auto const& file : memprof::test::traces_in(memprof::test::traces_directory())) {
    INFO(file);
    auto const facts = memprof::test::facts_of(file);
    packet_counts const counts = count_packets(memprof::test::contents(file));
    auto const& packets = facts["packets"];
    CHECK(counts.total == packets["total"]);
    CHECK(counts.info == packets["info"]);
    CHECK(counts.location == packets["location"]);
    CHECK(counts.event == packets["event"]);
    CHECK(counts.empty == packets["empty"]);
    CHECK(counts.largest == packets["largest_bytes"]);
    CHECK(counts.longest_span == packets["longest_span_us"]);
    CHECK(counts.locations == facts["events"]["location"]);
    auto const& codewords = facts["backtraces"]["codewords"];
    CHECK(counts.codewords[0] == codewords["hit0"]);
    CHECK(counts.codewords[1] == codewords["hit1"]);
    CHECK(counts.codewords[2] == codewords["hitN"]);
    CHECK(counts.codewords[3] == codewords["miss"]);
    CHECK(counts.locations - counts.announced.size() ==
          facts["distinct"]["codes_announced_twice_or_more"]);
  }
}

TEST_CASE("the events of golden traces add up to the sums in their .json files") {
  for (auto const& file : memprof::test::traces_in(memprof::test::traces_directory())) {
    INFO(file);
    auto const facts = memprof::test::facts_of(file);
    reader trace(file);
    std::map<std::string, std::uint64_t> events, samples;
    std::map<std::uint16_t, std::array<std::uint64_t, 2>> domains;
    double words = 0;  // larger than any integer in `edge`
    std::uint64_t largest = 0, longest = 0, frames = 0;
    std::int64_t last = 0, duration = 0;
    struct object {
      std::int64_t born;
      std::uint64_t samples;
    };
    std::unordered_map<object_id, object> live;
    std::vector<std::int64_t> lifetimes;
    static constexpr char const* allocations[] = {"alloc", "alloc_major", "alloc_ext"};
    static constexpr char const* heaps[] = {"minor", "major", "external"};
    for (event e; trace.next(e);) {
      last = e.time.count();
      duration = std::max(duration, last);
      ++domains[e.domain][0];
      if (e.kind == event_kind::promotion) {
        ++events["promote"];
        samples["promoted"] += live.at(e.object).samples;
      } else if (e.kind == event_kind::collection) {
        ++events["collect"];
        auto const dead = live.extract(e.object);
        REQUIRE(dead);
        lifetimes.push_back(e.time.count() - dead.mapped().born);
      } else {
        ++events[allocations[static_cast<int>(e.source)]];
        ++domains[e.domain][1];
        samples[heaps[static_cast<int>(e.source)]] += e.n_samples;
        samples["total"] += e.n_samples;
        words += static_cast<double>(e.length);
        largest = std::max(largest, e.length);
        longest = std::max(longest, std::uint64_t{e.backtrace.size()});
        frames += e.backtrace.size();
        live[e.object] = {e.time.count(), e.n_samples};
      }
    }
    for (auto const& [kind, n] : facts["events"].items()) {
      if (kind != "location")
        CHECK((kind + ": " + std::to_string(events[kind])) == (kind + ": " + n.dump()));
    }
    for (auto const& [kind, n] : facts["samples"].items()) CHECK(samples[kind] == n);
    CHECK(trace.info().bytes_of(static_cast<double>(samples["total"])) ==
          Approx(facts["estimated_bytes_allocated"].get<double>()).epsilon(1e-12));
    CHECK(words == Approx(facts["sum_of_lengths_words"].get<double>()).epsilon(1e-12));
    CHECK(largest == facts["largest_block_words"]);
    CHECK(last == facts["last_event_us"]);
    CHECK(duration == facts["duration_us"]);
    CHECK(longest == facts["backtraces"]["longest"]);
    CHECK(frames == facts["backtraces"]["sum_of_lengths"]);
    for (auto const& [domain, n] : facts["domains"].items()) {
      auto const& ours = domains[static_cast<std::uint16_t>(std::stoi(domain))];
      CHECK(ours[0] == n["events"]);
      CHECK(ours[1] == n["allocs"]);
    }
    std::uint64_t live_samples = 0;
    for (auto const& [id, o] : live) live_samples += o.samples;
    CHECK(live.size() == facts["live_at_end"]["objects"]);
    CHECK(live_samples == facts["live_at_end"]["samples"]);
    std::ranges::sort(lifetimes);
    if (facts.contains("lifetime_of_collected_us")) {
      auto const& facts_of_lifetimes = facts["lifetime_of_collected_us"];
      REQUIRE(lifetimes.size() == facts_of_lifetimes["count"]);
      double const sum = std::accumulate(lifetimes.begin(), lifetimes.end(), 0.0);
      double const n = static_cast<double>(lifetimes.size());
      CHECK(sum / n == Approx(facts_of_lifetimes["mean"].get<double>()).epsilon(1e-9));
      CHECK(lifetimes.back() == facts_of_lifetimes["max"]);
      CHECK(lifetimes[lifetimes.size() / 2] == facts_of_lifetimes["median"]);
      CHECK(lifetimes[lifetimes.size() * 9 / 10] == facts_of_lifetimes["p90"]);
    } else {
      CHECK(lifetimes.empty());
    }
    auto const counts = count_packets(memprof::test::contents(file));
    std::size_t unknown = 0;
    std::set<std::string_view> files, functions;
    for (auto const& [code, n] : counts.announced) {
      auto const positions = trace.locations(code);
      if (positions.empty()) ++unknown;
      for (location const& at : positions) {
        files.insert(at.filename);
        functions.insert(at.defname);
      }
    }
    CHECK(counts.announced.size() == facts["distinct"]["codes"]);
    CHECK(unknown == facts["distinct"]["codes_without_location"]);
    CHECK(files.size() == facts["distinct"]["files"]);
    CHECK(functions.size() == facts["distinct"]["function_names"]);
  }
}
