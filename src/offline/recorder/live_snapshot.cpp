// SPDX-License-Identifier: MIT
#include "recorder/live_snapshot.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <deque>
#include <map>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "memprof/trace/writer.hpp"

#include "encoding/encoding.hpp"
#include "recorder/process_facts.hpp"

namespace memprof::recorder {
namespace {

/// The codes of all processes, by what they mean.
class common_codes {
 public:
  trace::location_code code_of(live_blocks& of, trace::location_code code) {
    const auto [known, fresh] = known_.try_emplace({&of, code}, code);
    if (!fresh) return known->second;
    const auto found = of.locate(code);
    if (found.empty()) return code;  // in no module: a name for itself
    std::pair<std::string, std::string> meaning{found[0].filename, found[0].defname};
    const auto [place, is_new] = codes_.try_emplace(std::move(meaning), first + locations_.size());
    if (is_new) {
      locations_.push_back(found[0]);
      locations_.back().filename = place->first.first;
      locations_.back().defname = place->first.second;
    }
    return known->second = place->second;
  }
  [[nodiscard]] std::span<trace::location const> locate(trace::location_code code) const {
    if (code < first || code - first >= locations_.size()) return {};
    return {&locations_[code - first], 1};
  }

 private:
  /// Above all codes of module_table.
  static constexpr trace::location_code first = std::uint64_t{1} << 60;

  std::map<std::pair<live_blocks*, trace::location_code>, trace::location_code> known_;
  std::map<std::pair<std::string, std::string>, trace::location_code> codes_;
  std::deque<trace::location> locations_;
};

struct chosen_block {
  live_blocks::block what;
  live_blocks* of;
};

void write_all(int descriptor, std::span<std::byte const> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw std::system_error(errno, std::generic_category(), "the report's memory");
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

}  // namespace

live_snapshot::live_snapshot(std::span<live_blocks* const> of)
    : descriptor_(memfd_create("memprof-report", MFD_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw std::system_error(errno, std::generic_category(), "the report's memory");
  }
  try {
    write(of);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

live_snapshot::~live_snapshot() { ::close(descriptor_); }

std::string live_snapshot::file() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

void live_snapshot::write(std::span<live_blocks* const> of) {
  std::uint64_t start = ~std::uint64_t{0};
  std::vector<chosen_block> all;
  for (live_blocks* const l : of) {
    if (l->rate() == 0) continue;
    start = std::min(start, l->start_time());
    l->for_each([&](live_blocks::block const& b) { all.push_back({b, l}); });
  }
  std::ranges::sort(all, {}, [](chosen_block const& b) { return b.what.time; });
  const std::uint64_t now = microseconds_now();
  age_ = now > start ? now - start : 0;

  trace::info info;
  info.version = encoding::newest_version;
  info.sample_rate = of.front()->rate();
  info.word_bits = 64;
  info.executable_name = of.front()->program();
  info.host_name = host_name();
  info.pid = static_cast<std::uint64_t>(of.front()->process());
  info.start_time = decltype(info.start_time)(std::chrono::microseconds(start));
  common_codes codes;
  trace::writer writer(
      [this](std::span<std::byte const> packet) { write_all(descriptor_, packet); }, info,
      [&](trace::location_code code) { return codes.locate(code); });
  std::vector<trace::location_code> backtrace;
  for (chosen_block const& b : all) {
    backtrace.clear();
    for (const auto code : b.what.backtrace) backtrace.push_back(codes.code_of(*b.of, code));
    // No clock of the program's is trusted: times lie between the start and now.
    const std::uint64_t since = std::min(b.what.time > start ? b.what.time - start : 0, age_);
    writer.allocation(std::chrono::microseconds(since), trace::heap::major, b.what.length,
                      b.what.samples, backtrace);
  }
  writer.close();
}

}  // namespace memprof::recorder
