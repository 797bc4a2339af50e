// SPDX-License-Identifier: MIT
#include "export/dhat.hpp"

#include <cmath>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

#include "export/names.hpp"

namespace memprof::exports {
namespace {

std::string whole(double value) {
  return std::to_string(
      static_cast<std::uint64_t>(std::llround(std::min(std::max(value, 0.0), 0x1p62))));
}

/// As DHAT writes frames. The code keeps apart what has the same text: the viewer refuses a file in
/// which two program points have the same frames.
std::string frame_text(trace::location_code code, frame const& f) {
  std::string text = "0x";
  constexpr char digits[] = "0123456789ABCDEF";
  int shift = 60;
  while (shift > 0 && ((code >> shift) & 15) == 0) shift -= 4;
  for (; shift >= 0; shift -= 4) text += digits[(code >> shift) & 15];
  text += ": " + f.function;
  if (!f.file.empty()) text += " (" + f.file + ":" + std::to_string(f.line) + ")";
  return text;
}

class frame_table {
 public:
  explicit frame_table(analysis::code_table const& codes) : codes_(codes), texts_{"[root]"} {}

  /// The numbers of a code's frames, innermost first.
  std::string const& numbers(analysis::code_table::id code) {
    const auto [place, is_new] = numbers_.try_emplace(code);
    if (!is_new) return place->second;
    const auto frames = frames_of(code, codes_);
    for (auto f = frames.rbegin(); f != frames.rend(); ++f) {
      if (!place->second.empty()) place->second += ',';
      place->second += std::to_string(texts_.size());
      texts_.push_back(frame_text(codes_.code(code), *f));
    }
    return place->second;
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

void write_dhat(std::ostream& out, analysis::stack_profile const& profile,
                trace::info const& info) {
  const auto bytes = [&](analysis::sampled_sum const& s) {
    return whole(info.bytes_of(static_cast<double>(s.samples)));
  };
  const std::int64_t end = std::max<std::int64_t>(1, profile.end.count());
  out << "{\"dhatFileVersion\":2,\"mode\":\"heap\",\"verb\":\"Allocated\"\n"
      << ",\"bklt\":true,\"bkacc\":false,\"tu\":\"\\u00b5s\",\"Mtu\":\"s\",\"tuth\":500\n"
      << ",\"cmd\":" << json_string(info.executable_name) << ",\"pid\":" << info.pid
      << "\n,\"te\":" << end << ",\"tg\":" << profile.peak_time.count() << "\n,\"pps\":[\n";
  frame_table frames(profile.codes);
  bool first = true;
  for (analysis::stack_row const& r : profile.rows) {
    if (!first) out << ",\n";
    first = false;
    out << "{\"tb\":" << bytes(r.allocated) << ",\"tbk\":" << whole(r.allocated.blocks)
        << ",\"tl\":" << whole(r.lifetime) << ",\"mb\":" << bytes(r.most)
        << ",\"mbk\":" << whole(r.most.blocks) << ",\"gb\":" << bytes(r.at_peak)
        << ",\"gbk\":" << whole(r.at_peak.blocks) << ",\"eb\":" << bytes(r.live)
        << ",\"ebk\":" << whole(r.live.blocks) << ",\"fs\":[";
    constexpr auto root = analysis::stack_tree::root;
    if (r.stack == root) out << frames.none();
    for (auto n = r.stack; n != root; n = profile.stacks[n].parent) {
      out << frames.numbers(profile.stacks[n].code)
          << (profile.stacks[n].parent == root ? "" : ",");
    }
    out << "]}";
  }
  out << "\n]\n,\"ftbl\":[\n";
  first = true;
  for (std::string const& text : frames.texts()) {
    out << (first ? "" : ",\n") << json_string(text);
    first = false;
  }
  out << "\n]}\n";
}

}  // namespace memprof::exports
