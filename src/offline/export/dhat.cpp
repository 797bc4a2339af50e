// SPDX-License-Identifier: MIT
#include "export/dhat.hpp"

#include <cmath>
#include <fmt/ostream.h>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

#include "export/names.hpp"

namespace memprof::exports {
namespace {

std::uint64_t whole(double value) {
  return static_cast<std::uint64_t>(std::llround(std::min(std::max(value, 0.0), 0x1p62)));
}

/// As DHAT writes frames. The code keeps apart what has the same text: the viewer refuses a file in
/// which two program points have the same frames.
std::string frame_text(trace::location_code code, frame const& f) {
  if (f.file.empty()) return fmt::format("0x{:X}: {}", code, f.function);
  return fmt::format("0x{:X}: {} ({}:{})", code, f.function, f.file, f.line);
}

class frame_table {
 public:
  explicit frame_table(analysis::code_table const& codes) : codes_(codes), texts_{"[root]"} {}

  /// The numbers of a code's frames, innermost first.
  std::string const& numbers(analysis::code_table::id code) {
    const auto [entry, is_new] = numbers_.try_emplace(code);
    if (!is_new) return entry->second;
    const auto frames = frames_of(code, codes_);
    for (auto f = frames.rbegin(); f != frames.rend(); ++f) {
      if (!entry->second.empty()) entry->second += ',';
      entry->second += std::to_string(texts_.size());
      texts_.push_back(frame_text(codes_.code(code), *f));
    }
    return entry->second;
  }
  /// The number of the frame that an empty backtrace gets.
  std::string none() {
    texts_.push_back(no_backtrace().function);
    return std::to_string(texts_.size() - 1);
  }
  [[nodiscard]] std::vector<std::string> const& texts() const noexcept { return texts_; }

 private:
  analysis::code_table const& codes_;
  std::vector<std::string> texts_;
  std::unordered_map<analysis::code_table::id, std::string> numbers_;
};

}  // namespace

void write_dhat(std::ostream& out, analysis::usage const& profile, trace::info const& info) {
  const auto bytes = [&](analysis::amount const& s) {
    return whole(info.bytes_of(static_cast<double>(s.samples)));
  };
  const std::int64_t end = std::max<std::int64_t>(1, profile.duration.count());
  fmt::print(out, R"({{"dhatFileVersion":2,"mode":"heap","verb":"Allocated"
,"bklt":true,"bkacc":false,"tu":"\u00b5s","Mtu":"s","tuth":500
,"cmd":{},"pid":{}
,"te":{},"tg":{}
,"pps":[
)",
             json_string(info.executable_name), info.pid, end, profile.peak_time.count());
  frame_table frames(profile.codes);
  char const* between = "";
  for (std::size_t i = 0; i < profile.rows.size(); ++i) {
    analysis::usage_row const& r = profile.rows[i];
    analysis::row_lifetimes const& lives = profile.lifetimes[i];
    // Of few samples the estimate of a site's own peak may be less than what it had at others.
    analysis::amount most = lives.most;
    if (most.samples > r.sums.allocated.samples) most = r.sums.allocated;
    for (analysis::amount const* had : {&r.sums.at_peak, &r.sums.in_use}) {
      if (most.samples < had->samples) most = *had;
    }
    constexpr auto root = analysis::stack_tree::root;
    std::string numbers = r.stack == root ? frames.none() : "";
    for (auto n = r.stack; n != root; n = profile.stacks.parent(n)) {
      if (!numbers.empty()) numbers += ',';
      numbers += frames.numbers(profile.stacks.code(n));
    }
    fmt::print(out,
               R"({}{{"tb":{},"tbk":{},"tl":{},"mb":{},"mbk":{},"gb":{},"gbk":{},"eb":{},"ebk":{},)"
               R"("fs":[{}]}})",
               between, bytes(r.sums.allocated), whole(r.sums.allocated.objects),
               whole(lives.lifetime), bytes(most), whole(most.objects), bytes(r.sums.at_peak),
               whole(r.sums.at_peak.objects), bytes(r.sums.in_use), whole(r.sums.in_use.objects),
               numbers);
    between = ",\n";
  }
  out << "\n]\n,\"ftbl\":[\n";
  between = "";
  for (std::string const& text : frames.texts()) {
    out << between << json_string(text);
    between = ",\n";
  }
  out << "\n]}\n";
}

}  // namespace memprof::exports
