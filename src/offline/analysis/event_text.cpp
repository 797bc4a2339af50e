// SPDX-License-Identifier: MIT
#include "analysis/event_text.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>

#include "text/text.hpp"

namespace memprof::analysis {
namespace {

constexpr std::string_view kind_text(trace::heap h) {
  switch (h) {
    case trace::heap::minor:
      return "alloc";
    case trace::heap::major:
      return "alloc_major";
    case trace::heap::external:
      break;
  }
  return "alloc_ext";
}

}  // namespace

std::string_view event_text::line(trace::event const& e) {
  // Traces have millions of lines: formats are compiled, and the array is long enough for any
  // numbers.
  std::array<char, 192> buffer;
  const auto time = std::max<std::int64_t>(e.time.count(), 0);
  char* end = fmt::format_to(buffer.data(), FMT_COMPILE("{:010} {:010} "), time, e.object);
  if (e.kind != trace::event_kind::allocation) {
    short_line_.assign(buffer.data(), end);
    return short_line_ += e.kind == trace::event_kind::promotion ? "promote\n" : "collect\n";
  }
  end = fmt::format_to(end, FMT_COMPILE("{} {} len={} dom={}"), kind_text(e.source), e.n_samples,
                       e.length, e.domain);
  std::string& head = head_.assign(buffer.data(), end);
  if (e.thread != 0) {
    fmt::format_to(std::back_inserter(head), " thread={} ({})", e.thread,
                   text::printable(threads_.find(e.thread, reader_).name));
  }
  // "{: }": a blank in the place of the sign.
  end = fmt::format_to(buffer.data(), FMT_COMPILE(" {: 4}:"),
                       static_cast<std::int64_t>(e.common_prefix));
  head.append(buffer.data(), end);

  last_line& last = lines_[e.domain];
  const std::size_t known = std::min(
      {static_cast<std::size_t>(e.common_prefix), last.ends.size() - 1, e.backtrace.size()});
  const std::size_t kept = last.ends[known];
  if (head.size() == last.head) {
    std::memcpy(last.text.data(), head.data(), head.size());
  } else {
    last.text.replace(0, last.head, head);
    last.head = head.size();
  }
  last.text.resize(last.head + kept);
  last.ends.resize(known + 1);
  for (std::size_t i = known; i < e.backtrace.size(); ++i) {
    last.text.append(code_text(e.backtrace[i]));
    last.ends.push_back(last.text.size() - last.head);
  }
  last.text.push_back('\n');
  return last.text;
}

std::string_view event_text::code_text(trace::location_code code) {
  std::uint32_t& place = index_.find(code);
  return place != flat_index::none ? std::string_view(texts_[place]) : add_code(code, place);
}

std::string_view event_text::add_code(trace::location_code code, std::uint32_t& place) {
  auto locations = reader_.locations(code);
  if (names_) locations = names_->resolve(locations, reader_.info().start_time);
  locations = whole_.complete(locations, reader_);
  std::string text;
  for (trace::location const& l : locations) {
    fmt::format_to(std::back_inserter(text), " {}@{}:{}:{}-{}", text::printable(l.defname),
                   text::printable(l.filename), l.line, l.start_char, l.end_char);
  }
  if (locations.empty()) text = fmt::format(" ${}", code);
  texts_.push_back(std::move(text));
  place = static_cast<std::uint32_t>(texts_.size() - 1);
  return texts_.back();
}

}  // namespace memprof::analysis
